"""What the engine protocol costs: a query over pipes against the same search in this process, in pairs.

``python bench/protocol_overhead.py [PAIRS]`` prints medians in milliseconds: a query, its search here, their
difference, and a query without a search. Medians of pairs hold on a busy machine too, where means do not.
"""

import json
import statistics
import subprocess
import sys
import time

import wts_fast as wts

POSITION = "9/9/3b1w3/2w1b4/3bb4/4ww3/2w6/9/9 -"


def main(pairs: int) -> None:
    position = wts.Position(POSITION)
    query = json.dumps({"id": 1, "position": POSITION, "nodes": 1, "seed": 1}).encode() + b"\n"
    command = [sys.executable, "-m", "wts_fast", "engine"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(line: bytes) -> float:
            begun = time.perf_counter()
            process.stdin.write(line)
            process.stdin.flush()
            if not process.stdout.readline():
                raise SystemExit("the engine has ended")
            return 1000 * (time.perf_counter() - begun)

        ask(query)
        wts.analyze(position, nodes=1, seed=1)
        queries, searches, without = [], [], []
        for _ in range(pairs):
            queries.append(ask(query))
            begun = time.perf_counter()
            wts.analyze(position, nodes=1, seed=1)
            searches.append(1000 * (time.perf_counter() - begun))
            without.append(ask(query.replace(b'"nodes": 1', b'"nodes": 0')))
        process.stdin.close()
    more = [query - search for query, search in zip(queries, searches, strict=True)]
    for name, times in (("query", queries), ("search", searches), ("difference", more), ("no search", without)):
        print(f"{name:<10} {statistics.median(times):.3f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
