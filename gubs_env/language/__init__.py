"""Games as text, for language models: prompts, answers, and other names for the cards.

This package speaks to no network and knows no loop. `gubs_env.api.text_game.TextGame` holds one
game and asks this package for its texts:

>>> from gubs_env import gubs_v0
>>> from gubs_env.api.text_game import TextGame
>>> env = gubs_v0.raw_env(num_players=2)
>>> env.reset(seed=0)
>>> game = TextGame(env)
>>> game.seat, game.is_over
('player_0', False)
>>> [move.text for move in game.moves()]
['Skip the draw', 'Draw a card']
>>> prompt = game.prompt()
>>> print(prompt.question)
You: draw, or skip the draw
>>> game.play(game.parse('{"move": "draw a card"}'))

| module | contents |
|---|---|
| `options` | `TextOptions`: what a prompt holds, and what follows a wrong answer |
| `prompts` | `Prompt`: system text, news, table, question, listed moves, failed answers; `messages` returns it for a chat, `str` as one text |
| `answers` | `parse_answer`: JSON or a line → a legal `Move`; `UnparsableAnswer`, `IllegalMove` |
| `names` | `Names`: a seeded bijection between the words that name cards and invented ones |

docs/language_models.md shows the prompts in full.
"""
