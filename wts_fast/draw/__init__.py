"""Boards as text and as SVG, and the story of a turn: pure strings, no dependency.

Everything here takes a `State` or anything that has one as ``.state``.
"""
