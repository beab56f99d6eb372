"""The board in a browser: a server for one machine, with the rules and the searches behind a small HTTP interface.

`app.py` is the interface: what each address takes and gives. `fields.py` reads what comes in, `views.py` makes what
goes out, `jobs.py` runs searches beside the event loop and `commitments.py` keeps hidden squares. `guard.py` turns away
what no page of ours sends, `files.py` holds the page, and `server.py` binds, keeps time, and ends.
"""

from __future__ import annotations

__all__: list[str] = []
