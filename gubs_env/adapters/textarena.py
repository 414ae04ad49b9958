"""The games as environments of TextArena, all seats played in text; needs TextArena.

Importing this module registers `gubs_env/gubs_v0` and the other games:
env = textarena.make("gubs_env/gubs_v0")
"""

from __future__ import annotations

from typing import Any

from gubs_env.agents.text_game import TextGame
from gubs_env.agents.text_options import TextOptions
from gubs_env.api.aec import environment_of
from gubs_env.games import all_games, find_game, find_table
from gubs_env.support.checks import require_extra

require_extra("textarena", "textarena")

import textarena  # noqa: E402
from textarena import ObservationType  # noqa: E402


class TextArenaGame(textarena.Env):
    """One game, in which each player is told only what its seat may know.

    Player k has the seat `player_k`. An answer that names no legal move may be repeated until
    `text_options.attempts` answers were wrong; then the player loses with −1, and all others get 0.

    Args:
        game: the name of the game.
        rules: the options of the rules, as a dict; None means the defaults.
        text_options: the contents of the prompts; None means the defaults.
    """

    def __init__(
        self, game: str = "gubs", rules: Any = None, text_options: TextOptions | None = None
    ) -> None:
        self._game, self._rules = find_game(game), rules
        self._options = text_options or TextOptions()

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal a game; raise ValueError for a number of players that it does not allow."""
        env = environment_of(find_table(self._game, num_players, self._rules))
        env.reset(seed)
        self._text = TextGame(env, self._options)
        self._wrong = 0
        self.state = textarena.State(num_players=num_players)
        roles = {player: f"Player {player}" for player in range(num_players)}
        self.state.standard_resets(role_mapping=roles)
        for player, seat in enumerate(env.possible_agents):
            self._tell(player, self._text.system(seat), ObservationType.PROMPT)
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Play the move that an answer names."""
        state, player = self.state, self.state.current_player_id
        try:
            self._text.play(self._text.parse(action))
        except ValueError as error:
            self._refuse(player, str(error))
            return state.step()
        self._wrong = 0
        state.game_info[player]["turn_count"] += 1
        if self._text.is_over:
            rewards = self._text.env.rewards.values()
            self._finish(dict(enumerate(rewards)), self._text.question("player_0"))
        else:
            self._ask()
        return state.step()

    def _ask(self) -> None:
        prompt = self._text.prompt()
        seats = self._text.env.possible_agents
        self.state.current_player_id = seats.index(self._text.env.agent_selection)
        self._tell(self.state.current_player_id, prompt.user, ObservationType.GAME_BOARD)

    def _refuse(self, player: int, error: str) -> None:
        self._wrong += 1
        if self._wrong < self._options.attempts:
            self._tell(player, f"That does not work: {error}.", ObservationType.GAME_ADMIN)
            return
        self.state.game_info[player]["invalid_move"] = True
        rewards = dict.fromkeys(range(self.state.num_players), 0.0)
        self._finish(rewards | {player: -1.0}, f"Player {player} named no legal move.")

    def _finish(self, rewards: dict[int, float], reason: str) -> None:
        self.state.rewards, self.state.done = rewards, True
        self.state.step_info["reason"] = reason
        for player in rewards:
            self.state.game_info[player]["reason"] = reason
            self._tell(player, reason, ObservationType.GAME_ADMIN)

    def _tell(self, player: int, message: str, kind: ObservationType) -> None:
        self.state.add_observation(to_id=player, message=message, observation_type=kind)


for _game in all_games():
    textarena.register(f"gubs_env/{_game.name}", TextArenaGame, game=_game.name)
