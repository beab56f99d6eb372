"""`wts-fast engine` as another program sees it: a process behind two pipes."""

import contextlib
import json
import queue
import signal
import subprocess
import sys
import threading
import time

COMMAND = [sys.executable, "-m", "wts_fast", "engine"]

#: Seconds for anything that should take none: a machine that compiles something else meanwhile is slow, not wrong.
LONG = 240.0


class EngineProcess:
    """Sends lines and hands out the answers in their order."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.answers = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.answers.put((time.perf_counter(), json.loads(line, parse_constant=lambda word: 1 / 0)))
        self.answers.put((time.perf_counter(), None))

    def send(self, *things):
        """Send objects as JSON, and bytes as they are."""
        for thing in things:
            data = thing if isinstance(thing, bytes) else json.dumps(thing).encode() + b"\n"
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def read(self, timeout=LONG):
        """Return the next answer; None at the end of the output."""
        return self.answers.get(timeout=timeout)[1]

    def ask(self, thing, timeout=LONG):
        """Send something while nothing is under way, and return the answer."""
        self.send(thing)
        return self.read(timeout)

    def rest(self, timeout=LONG):
        """Return all answers up to the end of the output."""
        found = []
        while (answer := self.read(timeout)) is not None:
            found.append(answer)
        return found

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self, timeout=LONG):
        """Close the input; return the last answers, the exit status and what was said on standard error."""
        self.process.stdin.close()
        return self.rest(timeout), self.process.wait(timeout), self.process.stderr.read()

    def close(self):
        self.process.kill()
        for stream in (self.process.stdin, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()
        self.process.wait()
        self.reader.join(5)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.close()
