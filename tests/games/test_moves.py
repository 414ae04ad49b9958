"""Whole moves of all games: they are the mask's sequences of picks, and their texts name them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gubs_env import find_game, fubnub_v0, gubs_v0
from gubs_env.engine.moves import MOST_PICKS
from gubs_env.games.fubnub.cards import POINT_TITLES, ActionCard
from tests.amounts import MORE
from tests.api.tables import every_module
from tests.api.tables import tables as interface_tables
from tests.games.cases import every_case, main_tables, main_tables_of_ours

RULES = Path(__file__).parents[2] / "docs" / "rules"
INSIDE = {gubs_v0.Phase.NAME, gubs_v0.Phase.TARGET, gubs_v0.Phase.MEANT}


def goes_on(game, before, after):
    """Return whether the move under way goes on: only Gubs has moves of several picks."""
    if game.name != "gubs_v0":
        return False
    order = gubs_v0.Phase.ORDER
    return after["phase"] in INSIDE or (before["phase"] == after["phase"] == order)


def sequences(game, states):
    """Yield the picks of every move at a decision, by stepping copies through the mask."""
    batch = game.new_batch(states.copy())
    game.kernel.advance(*batch, np.array([-1]), 1, False, False)
    for action in np.flatnonzero(batch.masks[0]).tolist():
        twin = game.new_batch(states.copy())
        game.kernel.advance(*twin, np.array([action]), 1, False, False)
        if goes_on(game, states[0], twin.states[0]):
            yield from ((action, *rest) for rest in sequences(game, twin.states))
        else:
            yield (action,)


@main_tables
def test_moves_are_the_sequences_of_picks_that_the_mask_allows(case, num_players, options):
    games = case.games(4, num_players, options, seed=7)
    for decision in range(40 * MORE):
        for index in np.flatnonzero(games.under_way).tolist():
            moves = games.legal_moves(index)
            texts = {" ".join(move.text.split()).casefold() for move in moves}
            assert len(texts) == len(moves), "two moves have the same text"
            if decision % 6 == index % 6:
                expected = list(sequences(case.game, games.states[index : index + 1]))
                assert [move.picks for move in moves] == expected
            picks = np.flatnonzero(games.masks[index]).tolist()
            names = [games.action_text(index, pick) for pick in picks]
            assert len(set(names)) == len(picks), "two picks have the same text"
        games.random_step()


@main_tables_of_ours
def test_people_count_places_from_1(case, num_players, options):
    env = case.module.raw_env(num_players, case.module.Rules(**options))
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    texts = [case.game.rules_text(), case.game.moves_text]
    for _ in range(60):
        if not (moves := env.legal_moves()):
            break
        texts += [env.describe(env.agent_selection), *(move.text for move in moves)]
        env.play(moves[rng.integers(len(moves))])
    texts += [*env.log(), env.draw("player_0")]
    for text in texts:
        assert not re.search(
            r"\b(place|ghost|trick|target) 0\b|\bat seat \d|^ *0 [A-Z]", text, re.M
        )


@interface_tables
def test_a_game_is_played_in_whole_moves_by_text(module, num_players, options):
    environment = module.raw_env(num_players, module.Rules(**options))
    games = module.vector_env(2, num_players, rules=module.Rules(**options), autoreset=False)
    environment.reset(seed=11)
    games.reset(seed=10)
    rng = np.random.default_rng(5)
    for _ in range(150):
        moves = environment.legal_moves()
        assert moves == games.legal_moves(1)
        if not moves:
            break
        move = moves[rng.integers(len(moves))]
        assert environment.parse_move(f"  {move.text.upper()} ") == move
        environment.play(move.text)
        done = games.play(1, move).dones[1]
        assert done == environment.is_done("player_0")
        assert (games.states[1]["rng"] == environment.state()["rng"]).all()
    if not moves:
        with pytest.raises(ValueError, match="the game is over"):
            environment.parse_move("Pass")
        with pytest.raises(ValueError, match="the game is over"):
            games.play(1, "Pass")


@every_module
def test_listing_moves_plays_nothing(module):
    environment = module.raw_env()
    environment.reset(seed=2)
    for _ in range(20):
        saved = environment.to_json()
        state = environment.state().tobytes()
        for move in environment.legal_moves():
            environment.parse_move(move.text)
        assert environment.to_json() == saved
        assert environment.state().tobytes() == state
        environment.step(np.flatnonzero(environment.observe(environment.agent_selection)
                                        ["action_mask"])[-1])  # fmt: skip


@every_module
def test_a_move_that_is_not_legal_is_refused_and_nothing_changes(module):
    environment = module.env()
    with pytest.raises(RuntimeError, match="call reset"):
        environment.legal_moves()
    environment.reset(seed=1)
    before = environment.state().tobytes()
    move = environment.legal_moves()[0]
    with pytest.raises(ValueError, match=f"no legal move is called 'Sing'.*{re.escape(move.text)}"):
        environment.play("Sing")
    for picks in ((), (10**6,), (*move.picks, *move.picks)):
        with pytest.raises(ValueError, match="no legal move has the picks"):
            environment.play(picks)
    for wrong in (None, 3, [1.5], ["a"]):
        with pytest.raises(TypeError, match="a move is a text or its picks"):
            environment.play(wrong)
    with pytest.raises(TypeError, match="a move is a text"):
        environment.parse_move(7)
    with pytest.raises(ValueError, match=r"is not legal|the space is"):
        environment.action_text(10**6)
    assert environment.state().tobytes() == before


@every_case
def test_a_question_says_who_waits_and_what_is_asked(case):
    environment = case.module.raw_env()
    environment.reset(seed=3)
    for _ in range(40):
        if not environment.legal_moves():
            break
        for agent in environment.agents:
            question = environment.game.question(environment.view(agent))
            acting = agent == environment.agent_selection
            assert question.startswith("You: " if acting else "Waiting for ")
            assert environment.describe(agent).endswith(question)
        moves = environment.legal_moves()
        environment.play(moves[len(moves) // 2])


@every_module
def test_the_log_goes_on_where_it_was_read(module):
    environment = module.raw_env()
    environment.reset(seed=9)
    read: dict[str | None, list[str]] = {agent: [] for agent in (None, *environment.agents)}
    for _ in range(60):
        if not (moves := environment.legal_moves()):
            break
        environment.play(moves[0])
        for agent, lines in read.items():
            lines += environment.log(agent, since=len(lines))
    for agent, lines in read.items():
        twin = module.raw_env.from_json(environment.to_json())
        assert lines == environment.log(agent) == twin.log(agent) == environment.clone().log(agent)
    with pytest.raises(ValueError, match="since"):
        environment.log(since=-1)
    environment.reset(seed=9)
    assert environment.log() == []


# --------------------------------------------------------------------------------- rules on a page


@every_case
def test_the_page_of_rules_is_a_page(case):
    lines = case.game.rules_text().splitlines()
    assert len(lines) <= 90
    assert max(map(len, lines)) <= 200


@pytest.mark.parametrize("name", ["gubs", "bad_bad_turtle"])
def test_the_page_of_rules_lists_the_cards_of_the_rules(name):
    page, text = (RULES / f"{name}.md").read_text(), find_game(name).rules_text()
    rows = re.findall(r"\| \d+ \| ([^|]+) \| (\d+) \| [^|]+", page.split("## 2")[0])
    assert len(rows) == 32
    for title, copies in rows:
        assert re.search(rf"\n- {re.escape(title)} ×{copies}[,:] ", text), title


def test_the_page_of_rules_lists_all_cards_of_fubnub():
    page, text = (RULES / "fubnub.md").read_text(), fubnub_v0.rules_text()
    titles = re.findall(r"^\| \d+ \| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE)
    assert {card.title for card in ActionCard} <= set(titles)
    for title in (*titles, *POINT_TITLES):
        assert f"\n- {title}: " in text


def test_most_picks_is_enough():
    assert MOST_PICKS >= 6  # a card, what it stands for, three places, the card meant there
