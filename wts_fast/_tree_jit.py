"""The growth of the matrix tree, jitted: which cell to look behind next, and how what is found comes back.

A round chooses some leaves one after another, opens them (at once, if there are threads) and then solves anew every
node above them, deepest first. Only the number of leaves of a round matters for the result, not who opened them.

`counts` is int64[3]: nodes in use, the slot to look at next (the first is the root's for good), and the number of
the round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import jit
from ._node_jit import fill, settle

__all__ = ["choose_leaves", "merge_leaves", "recall", "transplant"]

Array = Any  # numba arrays; what each holds stands in the docstrings
Work = Any  # what `_double_jit.new_work` makes, one for each thread

_CLOSED = 1e-9  # a node whose bounds are this near is known
_WIDEST = 16  # leaves of a round at most
_MOVED = 1e-5  # smaller changes of a value are not passed on


@jit
def take_slot(nodes: Array, slots: Array, counts: Array, node: int) -> bool:
    """Give a node room for its matrix; false if all of it is needed in this round. Slot 0 is the root's."""
    for _ in range(slots.size):
        s = max(1, counts[1])
        counts[1] = s + 1 if s + 1 < slots.size else 1
        slot = slots[s]
        if slot.used != counts[2]:
            if slot.owner > 0:
                nodes[slot.owner].slot = -1
            slot.owner = node
            slot.used = counts[2]
            nodes[node].slot = s
            return True
    return False


@jit
def recall(nodes: Array, slots: Array, counts: Array, node: int, weights: Array) -> bool:
    """Make sure that an opened node has its matrix, filling it anew if its room was given away."""
    if nodes[node].slot >= 0:
        slots[nodes[node].slot].used = counts[2]
        return True
    if node == 0:
        nodes[0].slot = 0
    elif not take_slot(nodes, slots, counts, node):
        return False
    fill(nodes, slots, node, weights)
    return True


@jit
def pick(nodes: Array, slots: Array, top: int, seen: Array) -> int:
    """Return the cell that is owed most: the product of both squares' shares per visit so far; -1 if all are known.

    `seen` is int32[81 * 81], all 0, and is left so. At first only cells with at least one square of the present
    strategies count: what two squares that nobody plays do to each other matters to nobody.
    """
    node = nodes[top]
    n = int(node.size)
    static = slots[node.slot].cells
    c = node.child
    while c >= 0:
        child = nodes[c]
        # A leaf of this round, not opened yet, or a node that is known: nothing to look for.
        closed = child.size == 0 or child.upper - child.lower <= _CLOSED
        seen[child.cell] = -1 if closed else child.visits
        c = child.sibling
    best = np.float32(0.0)
    chosen = -1
    draws = n <= 2
    for everything in range(2):
        for i in range(n):
            own = everything == 1
            for k in range(node.num_kept[0]):
                own |= node.kept[0, k] == i
            share = node.mix[0, i]
            if share < 0.0:
                continue  # the root is denied this square; White's are passed by below, being less than nothing
            for k in range(n if own else int(node.num_kept[1])):
                j = k if own else int(node.kept[1, k])
                cell = i * n + j
                visits = seen[cell]
                owed = share * node.mix[1, j] / np.float32(1 + visits)
                if visits < 0 or owed <= best:
                    continue
                if visits == 0 and (
                    abs(static[cell]) >= np.float32(1.0) or (draws and static[cell] == np.float32(0.0))
                ):
                    continue
                best = owed
                chosen = cell
        if chosen >= 0:
            break
    c = node.child
    while c >= 0:
        seen[nodes[c].cell] = 0
        c = nodes[c].sibling
    return chosen


@jit
def choose_leaves(nodes: Array, slots: Array, counts: Array, weights: Array, left: int, seen: Array) -> int:
    """Begin a round: take leaves into the tree, not opened, as many as fit its size, at most `left`; return how many.

    0 means that nothing is left to look for, or no room: the caller knows which by the number of nodes.
    """
    counts[2] += 1
    first = counts[0]
    most = min(left, max(1, min(_WIDEST, nodes[0].visits // 32)))
    while counts[0] - first < most and counts[0] < nodes.size:
        top = 0
        leaf = -1
        while recall(nodes, slots, counts, top, weights):
            cell = pick(nodes, slots, top, seen)
            if cell < 0:
                break
            c = nodes[top].child
            while c >= 0 and nodes[c].cell != cell:
                c = nodes[c].sibling
            if c >= 0:
                top = int(c)
                continue
            if not take_slot(nodes, slots, counts, counts[0]):
                break
            leaf = counts[0]
            counts[0] += 1
            node = nodes[leaf]
            node.parent = top
            node.cell = cell
            node.depth = nodes[top].depth + 1
            node.size = 0
            node.visits = 0
            node.guess = slots[nodes[top].slot].cells[cell]
            node.sibling = nodes[top].child
            nodes[top].child = leaf
            break
        if leaf < 0:
            break
        c = leaf
        while c >= 0:
            nodes[c].visits += 1
            c = nodes[c].parent
    count: int = counts[0] - first
    return count


@jit
def merge_leaves(
    nodes: Array, slots: Array, counts: Array, params: Array, weights: Array, first: int, last: int, work: Work
) -> None:
    """End a round: bring the values and bounds of its leaves up, deepest first."""
    x = np.empty(81)
    y = np.empty(81)
    deepest = 0
    for leaf in range(first, last):
        deepest = max(deepest, nodes[leaf].depth)
    # Nodes that changed, of one depth at a time.
    changed = np.empty(last - first, np.int64)
    parents = np.empty(last - first, np.int64)
    count = 0
    for depth in range(deepest, 0, -1):
        fresh = 0
        for k in range(count + last - first):
            node = changed[k] if k < count else first + k - count
            if nodes[node].depth == depth:
                parent = int(nodes[node].parent)
                known = False
                for h in range(fresh):
                    known |= parents[h] == parent
                if not known:
                    parents[fresh] = parent
                    fresh += 1
        count = 0
        for k in range(fresh):
            top = parents[k]
            if not recall(nodes, slots, counts, top, weights):
                continue
            value = nodes[top].value
            lower = nodes[top].lower
            upper = nodes[top].upper
            settle(nodes, slots, top, params, work, x, y)
            node = nodes[top]
            if top > 0 and (abs(node.value - value) > _MOVED or node.lower > lower or node.upper < upper):
                changed[count] = top
                count += 1


@jit
def transplant(old: Array, top: int, used: int, new: Array, counts: Array) -> None:
    """Copy the nodes from `top` down, of an array of which `used` are in use, into an empty one with `top` as root."""
    origin = np.empty(used, np.int64)
    origin[0] = top
    counts[0] = 1
    new[0].parent = -1
    new[0].sibling = -1
    done = 0
    while done < counts[0]:
        source = old[origin[done]]
        node = new[done]
        node.state[:] = source.state
        node.value = source.value
        node.lower = source.lower
        node.upper = source.upper
        node.guess = source.guess
        node.child = -1
        node.cell = source.cell
        node.depth = source.depth - old[top].depth
        node.visits = source.visits
        node.slot = -1
        node.size = source.size
        node.mix[:] = source.mix
        node.kept[:] = source.kept
        node.num_kept[:] = source.num_kept
        last = -1
        c = source.child
        while c >= 0:
            copy = counts[0]
            counts[0] += 1
            origin[copy] = c
            new[copy].parent = done
            new[copy].sibling = -1
            if last < 0:
                node.child = copy
            else:
                new[last].sibling = copy
            last = copy
            c = old[c].sibling
        done += 1
