"""Writes the field reference in protocol.md from `wts_fast.protocol.schema`.

Run without arguments; ``--check`` changes nothing and ends with status 1 where the page is not what it should be.
"""

import sys
from pathlib import Path

from wts_fast.protocol.schema import CODES, QUERIES, REPLIES, Object, walk

PAGE = Path(__file__).with_name("protocol.md")
BEGIN, END = "<!-- fields: begin -->\n", "<!-- fields: end -->\n"

HEADINGS = {
    "analysis": "A report of progress, or a final answer",
    "failure of one turn": "A turn whose search failed",
    "error": "A line that is refused",
    "stop": "`stop`",
    "stop_all": "`stop_all`",
    "version": "`version`",
    "info": "`info`",
}


def table(thing: Object, queries: bool) -> list[str]:
    """Return the lines of a table of an object's fields."""
    lines = ["| field | holds | |", "|---|---|---|"]
    for path, field in walk(thing):
        holds = field.kind.words
        mark = ("" if field.required else "optional: ") if not queries else ("**required**: " if field.required else "")
        lines.append(f"| `{path}` | {holds} | {mark}{field.about} |")
    return lines


def reference() -> str:
    """Return all tables."""
    lines = ["### Queries", ""]
    for action, thing in QUERIES.items():
        lines += [f'#### `"action": "{action}"`', "", *table(thing, True), ""]
    lines += ["### Answers", ""]
    for kind, thing in REPLIES.items():
        lines += [f"#### {HEADINGS[kind]}", "", *table(thing, False), ""]
    lines += ["### Codes of errors", "", "| code | |", "|---|---|", *(f"| `{c}` | {a} |" for c, a in CODES.items()), ""]
    lines += ["Texts of positions, squares of moves and options have some more, which their reasons explain.", ""]
    return "\n".join(lines)


def replaced(page: str, new: str) -> str:
    """Return the page with `new` between its markers."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE.name} has lost its markers")
    return f"{head}{BEGIN}\n{new}\n{END}{tail}"


def main() -> int:
    """Write the page, or only look at it."""
    page = PAGE.read_text(encoding="utf-8")
    new = replaced(page, reference())
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(new, encoding="utf-8")
    return int("--check" in sys.argv[1:] and new != page)


if __name__ == "__main__":
    raise SystemExit(main())
