"""The parts of pictures that all games share: SVG text, colours, cards, seats around a table.

A picture is made from a view by the `drawing` module of a game. Nothing here is imported before the
first picture is drawn.
"""
