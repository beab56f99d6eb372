"""Random verbs over real pipes, garbage among them, in any order: one final answer a turn, one error a bad line.

A model keeps what must be answered. One process serves all examples, as an engine does that is never restarted; after
a failure the next example gets a new one.
"""

import atexit
import json
import queue
import time
from collections import Counter

import hypothesis.strategies as st
from engine_process import LONG, EngineProcess
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from test_protocol import FULL, MIDDLE, OVER, valid

from wts_fast.protocol import schema

POSITIONS = st.sampled_from(["start", MIDDLE, OVER, "9/9/9/9/4e4/9/9/9/9 E5"])
SQUARES = st.sampled_from(["A1", "B2", "e5", "I9"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9) | SQUARES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([f.name for f in schema.QUERIES["analyze"].fields if f.name not in ("id", "turns", "moves")])


def is_garbage(line):
    """Whether a line is no object in JSON: hypothesis also tries what it finds in the sources, queries among it."""
    try:
        return not isinstance(json.loads(line), dict)
    except ValueError:
        return True


class Shared:
    """The process, how many lines it has had, and whether an example ended badly with it."""

    process = None
    lines = 0
    spoilt = False
    ids = 0

    @classmethod
    def get(cls):
        if cls.process is None or cls.spoilt:
            if cls.process is not None:
                cls.process.close()
            cls.process, cls.lines = EngineProcess(), 0
            atexit.register(cls.process.close)
            cls.process.ask(FULL)
            cls.lines = 1
        cls.spoilt = True
        return cls.process


class Engine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.process = Shared.get()
        self.turns = {}  # id: the turns that must be answered; None where a query may be refused
        self.finals = Counter()
        self.errors = Counter()  # by line
        self.bad = set()  # lines that must be refused
        self.doubtful = {}  # line: id
        self.expected = []  # answers of actions, in order
        self.long = 0

    # --- what goes out

    def send(self, thing, pieces=1):
        data = thing if isinstance(thing, bytes) else json.dumps(thing).encode() + b"\n"
        step = max(1, len(data) // pieces)
        for at in range(0, len(data), step):
            self.process.send(data[at : at + step])
        Shared.lines += data.count(b"\n")
        return Shared.lines

    def new_id(self, text):
        Shared.ids += 1
        return f"q{Shared.ids}" if text else Shared.ids

    @rule(position=POSITIONS, nodes=st.integers(0, 3), text=st.booleans(), pieces=st.integers(1, 4))
    def ask(self, position, nodes, text, pieces):
        identity = self.new_id(text)
        self.turns[identity] = [0]
        self.send({"id": identity, "position": position, "nodes": nodes}, pieces)

    @rule(turns=st.permutations([0, 1, 2]), count=st.integers(1, 3), seed=st.integers(0, 2**64 - 1))
    def ask_for_a_batch(self, turns, count, seed):
        identity = self.new_id(True)
        self.turns[identity] = turns[:count]
        moves = [["A1", "B1"], ["e5", "E5"]]
        self.send({"id": identity, "moves": moves, "turns": turns[:count], "nodes": 1, "seed": seed})

    @rule(squares=st.lists(SQUARES, min_size=1, unique=True), name=st.sampled_from(["only", "avoid"]))
    def ask_with_limits(self, squares, name):
        identity = self.new_id(False)
        self.turns[identity] = [0]
        self.send({"id": identity, "position": "start", "nodes": 2, name: {"black": squares}})

    @precondition(lambda self: self.long < 3)
    @rule(position=POSITIONS, reports=st.booleans())
    def ask_for_ever(self, position, reports):
        identity = self.new_id(True)
        self.turns[identity] = [0]
        self.long += 1
        self.send({"id": identity, "position": position, "seconds": 1e6} | ({"reportEvery": 0.02} if reports else {}))

    @precondition(lambda self: self.turns)
    @rule(data=st.data())
    def stop(self, data):
        identity = data.draw(st.sampled_from(sorted(self.turns, key=str)))
        self.send({"action": "stop", "id": identity})
        self.expected.append(("stop", identity))

    @rule(identity=st.text(max_size=5))
    def stop_what_is_not_there(self, identity):
        self.send({"action": "stop", "id": f"-{identity}"})
        self.expected.append(("stop", f"-{identity}"))

    @rule()
    def stop_all(self):
        self.send({"action": "stop_all", "id": 0})
        self.expected.append(("stop_all", 0))

    @rule(action=st.sampled_from(["version", "info"]))
    def ask_about_the_engine(self, action):
        self.send({"action": action, "id": 1})
        self.expected.append((action, 1))

    @rule(line=st.binary(max_size=60).map(lambda line: line.replace(b"\n", b"")).filter(is_garbage))
    def send_garbage(self, line):
        number = self.send(line + b"\n")
        if line.strip():
            self.bad.add(number)

    @rule(value=JSON.filter(lambda value: not isinstance(value, dict)))
    def send_other_json(self, value):
        self.bad.add(self.send(value))

    @rule(depth=st.integers(5000, 200_000))
    def send_a_deep_nest(self, depth):
        self.bad.add(self.send(b'{"id":' + b"[" * depth + b"\n"))

    @rule(more=st.integers(1, 100_000))
    def send_a_line_that_is_too_long(self, more):
        self.bad.add(self.send(b"x" * (schema.MOST_LINE + more) + b"\n"))

    @rule(ends=st.lists(st.sampled_from([b"\n", b"\r\n", b" \t\n"]), min_size=1, max_size=3))
    def send_blank_lines(self, ends):
        self.send(b"".join(ends))

    @rule(field=FIELDS, value=JSON)
    def spoil_a_field(self, field, value):
        identity = self.new_id(True)
        self.turns[identity] = None
        self.doubtful[self.send({"id": identity, "position": MIDDLE, "nodes": 1, field: value})] = identity

    @rule(name=st.text(min_size=1, max_size=9).filter(lambda name: name not in schema.QUERIES["analyze"].names))
    def add_a_field(self, name):
        self.bad.add(self.send({"id": self.new_id(True), "position": MIDDLE, "nodes": 1, name: 1}))

    @rule(cut=st.integers(1, 40))
    def cut_a_query_short(self, cut):
        line = json.dumps({"id": self.new_id(True), "position": MIDDLE, "nodes": 1}).encode()
        self.bad.add(self.send(line[:-cut] + b"\n"))

    # --- what comes back

    def hear(self, timeout):
        answer = self.process.read(timeout)
        assert answer is not None, "the engine has ended"
        valid(answer)
        if "action" in answer:
            # Actions are done as they are read.
            assert (answer["action"], answer["id"]) == self.expected.pop(0)
        elif "line" in answer:
            self.errors[answer["line"]] += 1
            assert answer["line"] in self.bad | set(self.doubtful)
        else:
            assert answer["id"] in self.turns
            turns = self.turns[answer["id"]]
            assert turns is None or answer["turn"] in turns
            assert not self.finals[answer["id"], answer["turn"]]
            self.finals[answer["id"], answer["turn"]] += answer["final"]
        return answer

    @rule()
    def hear_all_so_far(self):
        try:
            while True:
                self.hear(0.0005)
        except queue.Empty:
            pass

    def synchronise(self):
        """Wait until everything sent so far was read, and see that what was wrong with it has been said."""
        self.send({"action": "info", "id": "sync"})
        self.expected.append(("info", "sync"))
        while True:
            answer = self.hear(LONG)
            if answer.get("id") == "sync":
                break
        assert set(self.errors) - set(self.doubtful) == self.bad
        assert all(count == 1 for count in self.errors.values())
        return answer["waiting"]

    def missing(self):
        known = {(i, turn) for i, turns in self.turns.items() if turns is not None for turn in turns}
        return known - set(+self.finals)

    def undecided(self):
        """Doubtful queries that were neither refused nor answered."""
        answered = {identity for identity, _ in +self.finals}
        return [i for line, i in self.doubtful.items() if not self.errors[line] and i not in answered]

    def teardown(self):
        self.stop_all()
        until = time.monotonic() + LONG
        while self.synchronise() or self.missing() or self.undecided():
            assert time.monotonic() < until, (self.missing(), self.undecided())
            time.sleep(0.002)
        for line, identity in self.doubtful.items():
            # Refused or answered, and not both.
            assert bool(self.errors[line]) != any(i == identity for i, _ in +self.finals)
        assert not self.expected
        Shared.spoilt = False


Engine.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
TestEngine = Engine.TestCase
