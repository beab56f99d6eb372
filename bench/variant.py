"""The tree without one of its ideas, as a player for `wts-fast match`: ``command:python bench/variant.py carry=0``.

``carry=0`` lets what was found behind some cells say nothing about the others; ``explore=0`` looks only behind squares
of the present strategies.
"""

from __future__ import annotations

import json
import sys

from wts_fast import Position, _node_jit, analyze

#: Which places of `_node_jit.PARAMETERS` a name stands for.
PLACES = {"explore": (0, 1), "carry": (5,)}


def main() -> None:
    for word in sys.argv[1:]:
        name, _, number = word.partition("=")
        for place in PLACES[name]:
            _node_jit.PARAMETERS[place] = float(number)
    for line in sys.stdin:
        query = json.loads(line)
        limit = {name: query[name] for name in ("seconds", "nodes") if name in query}
        found = analyze(Position(query["position"]), method="tree", seed=query["seed"], **limit)
        mixes = {colour: dict(found.top(colour, 81)) for colour in ("black", "white")}
        print(json.dumps({"id": query["id"], **mixes, "value": found.value}), flush=True)


if __name__ == "__main__":
    main()
