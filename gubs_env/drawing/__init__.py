"""The parts of pictures that all games share: SVG text, colours, cards, seats around a table.

The module `drawing` of a game makes a picture from a view. Nothing here is imported before the
first picture is drawn.
"""
