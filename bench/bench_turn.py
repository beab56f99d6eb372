"""One turn: from a Python loop, told event by event, many side by side, and by the oracle."""

import pytest
from positions import DENSE

from wts_fast import oracle
from wts_fast.engine import Batch
from wts_fast.layers import BATCH, Prepared


@pytest.mark.parametrize("layer", ["play", "explain", "step"])
def test_turn(timed_layer, layer):
    timed_layer(layer)


def joint_turns(positions, most):
    """All joint turns of positions, cut to `most` of each; the cut takes from everywhere."""
    for position in positions:
        pairs = [(b, w) for b in position.legal for w in position.legal]
        for black, white in pairs[:: -(-len(pairs) // most)]:
            yield position, black, white


def test_turns_on_dense_boards(timed):
    """Captures, hatching eggs and rows: what a turn costs where much happens."""
    steps = list(joint_turns(DENSE, 60))

    def run():
        return len(steps), [str(position.play(black, white)) for position, black, white in steps]

    slow = [oracle.Position(str(position)).play(black, white) for position, black, white in steps]
    timed("play-dense", "turns", Prepared(run, list(map(str, slow))))


def test_step_on_dense_boards(timed):
    steps = list(joint_turns(DENSE, 5000))[:BATCH]
    positions, black, white = zip(*steps, strict=True)
    start = Batch(positions)

    def run():
        batch = start.copy()
        batch.step(black, white)
        return len(steps), batch.states.tobytes()

    ends = Batch(position.play(b, w) for position, b, w in steps)
    timed("step-dense", "turns", Prepared(run, ends.states.tobytes()))
