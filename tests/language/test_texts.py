"""Prompts, answers and invented names: what a seat is told, and how it is understood."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, find_table, fubnub_v0, gubs_v0
from gubs_env.agents.answers import IllegalMove, UnparsableAnswer, parse_answer
from gubs_env.agents.invented_names import REAL_NAMES, Names, invented_names
from gubs_env.agents.prompts import FailedAnswer, system_text, table_as_text
from gubs_env.agents.text_game import TextGame
from gubs_env.agents.text_options import TextOptions
from gubs_env.api.aec import environment_of
from gubs_env.engine.moves import Move
from gubs_env.engine.rng import seed_rng
from tests.amounts import MORE
from tests.games.cases import every_case_of_ours, main_tables

LISTED = TextOptions(list_moves=True)
RENAMED = TextOptions(list_moves=True, names="obfuscated", names_seed=1)
MOVES = [Move("Draw a card", (1,)), Move("Lure player_1's first Gub", (4, 9))]


def text_game(module, seed=0, options=None, **table):
    env = module.raw_env(**table)
    env.reset(seed=seed)
    return TextGame(env, options)


def from_state(table, state):
    env = environment_of(table)
    env.set_state(state)
    return TextGame(env, skip_forced=False)


def play_randomly(game, rng, moves=1):
    for _ in range(moves):
        if not game.is_over:
            legal = game.moves()
            game.play(legal[rng.integers(len(legal))])


# ------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    "answer",
    [
        "Draw a card",
        "draw  a CARD.",
        '"Draw a card"',
        "**Draw a card**",
        "- Draw a card",
        "2. Draw a card",
        "Move: draw a card",
        "[Draw a card]",
        "[draw a card.]",
        "I keep my Gub. [Draw a card]",
        "[Draw a card]\nThat is the safest.",
        "I considered [Lure player_1's first Gub], but [Draw a card] is better.",
        '[I draw.\n{"move": "Draw a card"}]',
        "My move: `Draw a card`.",
        "I could lure, but my hand is full.\n\nDraw a card\n```\n",
        '{"move": "Draw a card"}',
        '```json\n{"reason": "why {not}?", "move": "draw a card"}\n```',
        'First {"move": "Lure player_1\'s first Gub"}, no: {"move": "Draw a card"} is better.',
        '{"a": {"move": "x"}} {broken {"move": " Draw a card "}',
    ],
)
def test_a_move_is_found_in_an_answer(answer):
    assert parse_answer(answer, MOVES) == MOVES[0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "the answer is empty"),
        ("  \n ``` \n", "the answer is empty"),
        ("{move: draw}", "not valid JSON"),
        ('{"action": "Draw a card"}', 'no text under "move"'),
        ('{"move": 3}', 'no text under "move"'),
        ('{"move": " "}', 'no text under "move"'),
        ("[" * 100_000 + "{", "not valid JSON"),
    ],
)
def test_an_answer_without_a_move_is_unparsable(answer, said):
    with pytest.raises(UnparsableAnswer, match=said):
        parse_answer(answer, MOVES)


@pytest.mark.parametrize("answer", ["[Draw two cards]", "Lure player_1's first Gub"])
def test_brackets_make_no_move_legal_and_the_last_line_comes_first(answer):
    answer = f"[Draw a card]\n{answer}"
    if "[Draw two" in answer:
        with pytest.raises(IllegalMove, match="Draw two cards"):
            parse_answer(answer, MOVES)
    else:
        assert parse_answer(answer, MOVES) == MOVES[1]


@pytest.mark.parametrize("answer", ["Draw two cards", '{"move": "Draw two cards"}'])
def test_an_illegal_move_is_told_the_nearest_legal_ones(answer):
    with pytest.raises(IllegalMove) as error:
        parse_answer(answer, MOVES)
    assert str(error.value) == (
        "'Draw two cards' is not a legal move; legal moves near it are: Draw a card; "
        "Lure player_1's first Gub"
    )


def test_an_answer_that_is_no_text_is_an_error():
    with pytest.raises(TypeError, match="must be a text, not 3"):
        parse_answer(3, MOVES)


# ------------------------------------------------------------------------------------- prompts


def test_a_prompt_tells_the_news_since_the_last_decision_of_its_seat():
    game, rng = text_game(gubs_v0), np.random.default_rng(0)
    told = {seat: 0 for seat in game.env.possible_agents}
    for _ in range(60):
        if game.is_over:
            break
        seat, log = game.seat, game.env.log(game.seat)
        assert list(game.prompt().news) == game.news(seat) == log[told[seat] :]
        told[seat] = len(log)
        play_randomly(game, rng)


def test_a_prompt_has_its_parts_in_order():
    game = text_game(gubs_v0, options=LISTED)
    play_randomly(game, np.random.default_rng(1), 9)
    prompt = game.prompt([FailedAnswer("no", "too short")])
    parts = [
        prompt.system, "Since your last decision:", prompt.table, prompt.question,
        "Your legal moves:", *(move.text for move in game.moves()), "no",
        "That does not work: too short. Answer again.",
    ]  # fmt: skip
    places = [str(prompt).index(part) for part in parts[:5]]
    assert places == sorted(places)
    assert "\n\n".join([prompt.user, *parts[-2:]]) in str(prompt)
    roles = [message["role"] for message in prompt.messages()]
    assert roles == ["system", "user", "assistant", "user"]
    assert gubs_v0.rules_text() in prompt.system
    assert 'JSON on a line of its own:\n{"move": "…"}' in prompt.system
    assert "Your legal moves" not in game.prompt(options=TextOptions()).user


def test_a_prompt_names_partners_and_changed_rules():
    teams = text_game(fubnub_v0)
    assert "Your partner is player_2." in teams.system("player_0")
    assert "Rule options" not in teams.system("player_0")
    alone = text_game(gubs_v0, rules={"ask_everyone": True, "letters": "anywhere"})
    assert "You play for yourself." in alone.system("player_1")
    said = "Rule options of this table: letters=anywhere, ask_everyone=True.\n"
    assert said in alone.system("player_1")


def test_decisions_without_a_choice_are_played_at_once():
    game, rng = text_game(bad_bad_turtle_v0, seed=3), np.random.default_rng(0)
    while not game.is_over:
        assert len(game.legal_actions()) > 1
        play_randomly(game, rng)
    with pytest.raises(RuntimeError, match="the game is over"):
        game.prompt()
    assert game.seat is None
    assert game.moves() == []
    assert game.question("player_0").startswith("The game is over")


def test_a_wrong_option_is_refused():
    with pytest.raises(ValueError, match="names='none': allowed are real, obfuscated"):
        TextOptions(names="none")
    with pytest.raises(ValueError, match="on_failure='cry': allowed are forfeit, random"):
        TextOptions(on_failure="cry")
    with pytest.raises(ValueError, match="attempts=0: must be at least 1"):
        TextOptions(attempts=0)
    with pytest.raises(ValueError, match="list_moves='yes': must be True or False"):
        TextOptions(list_moves="yes")


@every_case_of_ours
def test_the_system_text_shows_every_kind_of_move(case):
    """Every legal move of random games looks like one of the examples, up to names and places."""
    words = re.compile("|".join(sorted(case.game.card_words, key=len, reverse=True)))

    def kind(text):
        text = re.sub(r"Cricket Song as [\w -]*: ", "CARD: ", text)
        text = words.sub("CARD", text)
        text = re.sub(r"(CARD ?)+(\d\b ?)?", "CARD ", text.replace("CARD and CARD", "CARD"))
        text = re.sub(r"(your own|player_\d's) ([a-z]+ )?CARD", "CARD", text)
        text = re.sub(r"yourself|player_\d", "player", text)
        return re.sub(r"\s+", " ", re.sub("( and CARD)+", "", text)).strip().casefold()

    shown = {kind(line.removeprefix("- ")) for line in case.game.moves_text.splitlines()}
    rng = np.random.default_rng(4)
    for num_players, options in (case.tables[name] for name in case.main):
        for seed in range(MORE):
            env = case.module.raw_env(num_players, case.game.rules(**options))
            env.reset(seed=seed)
            game = TextGame(env)
            while not game.is_over and len(env.actions) < 150:
                unknown = {move.text for move in game.moves() if kind(move.text) not in shown}
                assert not unknown
                play_randomly(game, rng)


# ----------------------------------------------------------------------------------- other names


def titles(case):
    """Return the titles of all cards of a game."""
    found = {line.split(" ×")[0].split(":")[0] for line in case.game.rules_text().splitlines()
             if line.startswith("- ")}  # fmt: skip
    assert len(found) > 25
    return {title.removeprefix("- ") for title in found}


@every_case_of_ours
def test_invented_names_are_a_bijection_that_the_seed_determines(case):
    words = set(case.game.card_words)
    maps = [invented_names(case.game, seed).to_invented for seed in range(20)]
    for found in maps:
        assert set(found) >= words
        assert len(set(found.values())) == len(found)
        assert not set(found.values()) & words
    assert maps[0] == invented_names.__wrapped__(case.game, 0).to_invented
    assert len({tuple(found.values()) for found in maps}) == len(maps)
    with pytest.raises(ValueError, match="two words have the same invented name"):
        Names({"Lure": "Mirot", "Gub": "Mirot"})


@every_case_of_ours
def test_no_card_is_called_by_its_name_in_a_prompt_with_invented_names(case):
    rng, asked = np.random.default_rng(7), 0
    original = re.compile(
        r"\b(" + "|".join(map(re.escape, [*titles(case), *case.game.card_words])) + r")(s|es)?\b"
    )
    for num_players, options in (case.tables[name] for name in case.main[:2]):
        env = case.module.raw_env(num_players, case.game.rules(**options))
        env.reset(seed=5)
        game, names = TextGame(env, RENAMED), invented_names(case.game, 1)
        while not game.is_over and len(env.actions) < 80:
            prompt, real = game.prompt(), game.prompt(options=LISTED)
            assert not original.search(str(prompt)), original.search(str(prompt))
            assert names.restore(str(prompt)) == str(real)
            for move, plain in zip(game.moves(), env.legal_moves(), strict=True):
                assert game.parse(json.dumps({"move": move.text})).picks == plain.picks
                assert names.restore(move.text) == plain.text
            asked += 1
            play_randomly(game, rng)
    assert asked > 15


# --------------------------------------------------------------------------------------- secrets


def texts_of(table, view, options):
    """Return what the seat of a view is told, but for the log."""
    game = table.game
    names = invented_names(game, 1) if options is RENAMED else REAL_NAMES
    moves = [move.text for move in names.hide_moves(game.legal_moves(view))]
    system = system_text(table, view, names, options.list_moves)
    question = names.hide(game.question(view))
    return "\n".join([system, table_as_text(game, view, names), question, *moves])


@main_tables
def test_prompts_stay_the_same_when_everything_hidden_changes(case, num_players, options):
    games = case.games(2, num_players, options, seed=13)
    rng, table = np.random.default_rng(num_players), find_table(case.game, num_players, options)
    changed = compared = 0
    for decision in range(20 * MORE):
        if not len(going := np.flatnonzero(games.under_way)):
            break
        index = int(going[decision % len(going)])
        state = games.states[index : index + 1].copy()
        actor = int(state["actor"][0])
        viewer = actor if decision % 2 else int(rng.integers(num_players))
        other = case.scramble(state, viewer, rng)
        views = [case.game.view(each, 0, viewer) for each in (state, other)]
        for how in (LISTED, RENAMED):
            one, again = (texts_of(table, view, how) for view in views)
            assert one == again
        changed += not (state[case.secret] == other[case.secret]).all()
        compared += 1
        games.random_step()
    assert changed > compared / 3


@main_tables
def test_the_news_stay_the_same_when_everything_hidden_changes(case, num_players, options):
    """In a game and in one with other secrets, a seat is told the same while it sees the same."""
    games = case.games(2, num_players, options, seed=17)
    table, rng = find_table(case.game, num_players, options), np.random.default_rng(3)
    told = 0
    for decision in range(20 * MORE):
        if not len(going := np.flatnonzero(games.under_way)):
            break
        index = int(going[decision % len(going)])
        state = games.states[index : index + 1].copy()
        drawn = games.views([index])
        case.game.kernel.determinize(drawn, 0, seed_rng(decision))
        for name in ("rng", "decisions"):  # which no view holds
            drawn[name] = state[name]
        seat = f"player_{state['actor'][0]}"
        pair = [from_state(table, each) for each in (state, drawn)]
        for _ in range(6):
            if any(game.is_over for game in pair):
                break
            legal = [game.legal_actions().tolist() for game in pair]
            action = int(rng.choice(legal[0]))
            if action not in legal[1]:
                break
            for game in pair:
                game.env.step(action)
            views = [game.env.view(seat).state for game in pair]
            if views[0].tobytes() != views[1].tobytes():
                break
            if state["num_seats"][0] > num_players and pair[0].env.log() != pair[1].env.log():
                break  # a ghost laid another card in front of all, in a hand that is over now
            news = [game.news(seat, RENAMED) for game in pair]
            assert news[0] == news[1], "the log tells what the view hides"
            told += len(news[0])
        games.random_step()
    assert told
