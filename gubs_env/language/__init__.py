"""Games as text, for language models: prompts, answers, and other names for the cards.

This package speaks to no network and knows no loop. `gubs_env.agents.text_game.TextGame` holds one
game and asks this package for its texts:

>>> from gubs_env import gubs_v0
>>> from gubs_env.agents.text_game import TextGame
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

- `options`: `TextOptions`, the contents of a prompt, and the consequence of wrong answers.
- `prompts`: `Prompt`, made of system text, news, table, question, listed moves and failed answers.
  `prompt.messages()` returns it for a chat, `str(prompt)` as one text, `prompt.user` without the
  system text.
- `answers`: `parse_answer` reads JSON or a line and returns a legal `Move`; it raises
  `UnparsableAnswer` or `IllegalMove`, which names the nearest legal moves.
- `names`: `Names`, a seeded bijection between the words that name cards and invented ones.

docs/reference/prompts.md shows the prompts in full.
"""
