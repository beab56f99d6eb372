"""The engine protocol: JSON lines in, JSON lines out.

What can be asked and what is answered stands in `schema` as data. `lines` cuts the input into lines and reads them
strictly, `queries` turns an object into work, and `loop` does it. ``docs/protocol.md`` describes it all for users.
"""
