"""Replays: a recorded game as one page of HTML, to step through, to play and to scrub.

`frames` walks through a record, `judging` says how likely a network finds each move, `page` writes
the page; its style and script lie beside them.
"""
