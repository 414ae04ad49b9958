"""Replays: a recorded game as a page of HTML to step through, or as a moving picture.

- `frames`: the table before each move of a record
- `judging`: the probabilities of whole moves, according to a network, and mistakes
- `weighing`: what one move costs against another
- `page`: the page, whose style and script lie beside it
- `gif`: a moving picture
"""
