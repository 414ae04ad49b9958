"""Replays: a recorded game as one page of HTML, to step through, to play and to scrub.

`frames` walks through a record, `page` writes the page; its style and script lie beside them.
"""
