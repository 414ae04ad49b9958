"""Saved games: they go on exactly, and a text from anywhere gives a game or a clear error."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import gubs_env
from gubs_env import Record, fubnub_v0, gubs_v0
from tests.api.edits import edited
from tests.api.tables import MODULES, TABLES, at, every_module, play, play_to_the_end, random_action

ONE_OF_EACH = at(
    {name: TABLES[name] for name in ("gubs, 3 players", "fubnub, royal for 4", "turtle, 4 players")}
)


WON = {"payoffs": [1, -1], "scores": [1, 0], "winners": [0]}


def shown(environment):
    """Return everything that the interface shows of a game."""
    seen = [
        [part.tobytes() for part in environment.observe(agent).values()]
        for agent in environment.possible_agents
    ]
    last = environment.last(observe=False) if environment.agents else None
    fields = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations")
    told = [getattr(environment, name) for name in (*fields, "truncations", "infos")]
    return seen, last, told, environment.log(), environment.state().tobytes(), environment.to_json()


def goes_on(environment, decisions=10**6):
    """Assert that a game and its saved copy are equal, and stay so as they are played on."""
    again = type(environment).from_json(environment.to_json())
    assert shown(again) == shown(environment)
    rng = np.random.default_rng(3)
    for _ in range(decisions):
        if not environment.agents:
            break
        action = random_action(environment, rng)
        environment.step(action)
        again.step(action)
        assert again.last(observe=False) == environment.last(observe=False) if again.agents else 1
    assert shown(again) == shown(environment)
    environment.reset()
    again.reset()
    assert again.state().tobytes() == environment.state().tobytes(), "the RNG goes on alike"


def begun(module, num_players, rules, decisions=0, make="env", options=None):
    environment = getattr(module, make)(num_players, rules)
    environment.reset(seed=5, options=options)
    return play(environment, decisions)


def illegal_action(environment):
    return int(environment.observe(environment.agent_selection)["action_mask"].argmin())


# ---------------------------------------------------------------------------------- exactly


@ONE_OF_EACH
@pytest.mark.parametrize("make", ["env", "raw_env"])
@pytest.mark.parametrize("decisions", [0, 1, 30])
def test_a_saved_game_goes_on_exactly(make, decisions, module, num_players, options):
    goes_on(begun(module, num_players, options, decisions, make))


@ONE_OF_EACH
@pytest.mark.parametrize("gone", [0, 1, 2, 10])
def test_a_finished_game_whose_agents_leave_goes_on_exactly(gone, module, num_players, options):
    environment = play_to_the_end(begun(module, num_players, options))
    for _ in range(min(gone, num_players)):
        environment.step(None)
    goes_on(environment)


@pytest.mark.parametrize("name", ["fubnub, cut off", "turtle, cut off"])
def test_a_game_that_was_cut_off_goes_on_exactly(name):
    environment = play_to_the_end(begun(*TABLES[name]))
    assert any(environment.truncations.values())
    goes_on(environment)


@ONE_OF_EACH
@pytest.mark.parametrize("gone", [0, 1, 2, 10])
def test_a_forfeited_game_goes_on_exactly(gone, module, num_players, options, caplog):
    environment = begun(module, num_players, options, decisions=11)
    environment.step(illegal_action(environment))
    for _ in range(min(gone, num_players)):
        environment.step(None)
    caplog.clear()
    goes_on(environment)
    assert not caplog.messages, "loading warns of nothing"


@every_module
def test_the_starting_player_and_a_game_after_the_first_are_saved(module):
    environment = begun(module, 4, {}, options={"starting_player": 2})
    assert json.loads(environment.to_json())["start"]["starting_player"] == 2
    goes_on(environment, decisions=20)
    play(environment, 5)
    environment.reset()
    goes_on(environment, decisions=20)


def test_a_game_from_a_position_is_saved_with_its_state():
    environment = gubs_v0.raw_env(2)
    environment.set_state(gubs_v0.position(["Lure", "Mushroom"], seed=1))
    play(environment, 3)
    assert list(json.loads(environment.to_json())["start"]) == ["state"]
    goes_on(environment)


def test_rules_of_numpy_numbers_are_saved():
    rules = fubnub_v0.Rules(max_cycles=np.int64(300), move_points=np.bool_(True))
    environment = fubnub_v0.raw_env(rules=rules)
    environment.reset(seed=1)
    assert fubnub_v0.raw_env.from_json(environment.to_json()).state() == environment.state()


@ONE_OF_EACH
@pytest.mark.parametrize("decisions", [0, 20, 10**6])
def test_a_saved_game_is_a_record(tmp_path, decisions, module, num_players, options):
    environment = begun(module, num_players, options)
    play(environment, decisions)
    file = tmp_path / "games.jsonl"
    file.write_text(environment.to_json())
    [found] = gubs_env.read_records(file)
    assert found.agents == tuple(environment.possible_agents)
    assert found.line() == environment.to_json() == found.env().to_json()
    named = Record.of(environment, ["me"] * num_players, seed=5).line()
    again = module.env.from_json(named)
    assert (again.state(), again.log()) == (environment.state(), environment.log())


# ----------------------------------------------------------------------------------- refused


def changed(saved, path, value):
    """Return the JSON text with another value at a path."""
    saved = json.loads(json.dumps(saved))
    inner = saved
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(saved)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["format"], "gubs_env game 0", "format is 'gubs_env game 0', not 'gubs_env game 1'"),
        (["format"], True, "format is True, not"),
        (["game"], "fubnub_v0", "game is 'fubnub_v0', not 'gubs_v0'"),
        (["version"], 2, "version is 2: it must be a text"),
        (["players"], {"step": "x"}, "the record has an unknown key, 'players'"),
        (["agents"], ["me"] * 7, "Gubs is for 2 to 6 players"),
        (["agents"], "2", "agents must be a list, not '2'"),
        (["agents", 0], "a\n", "agent 0 is 'a.n': it must be a text of 1 to 200 printable"),
        (["seed"], 3, "the record has an unknown key, 'start'"),
        (["rules", "letters"], "nowhere", "rules option letters='nowhere'"),
        (["rules", "letter"], "thirds", "rules has an unknown key, 'letter'"),
        (["rules", "deck"], {"Gub": 10**30}, "deck: Gub ×1000"),
        (["rules"], None, "rules must be an object, not None"),
        (["start", "rng"], [0, 0, 0, 0], "its four words must not all be 0"),
        (["start", "rng"], [1, 2, 3], "rng must be a list of 4"),
        (["start", "rng", 0], 2**32, r"rng\[0\] is 4294967296: allowed are 0 to 4294967295"),
        (["start", "rng", 0], True, r"rng\[0\] must be a whole number, not True"),
        (["start", "starting_player"], 2, "starting_player is 2: allowed are 0 to 1"),
        (["start", "state"], {}, "start has an unknown key, 'rng'"),
        (["actions", 1], 63, "action number 1 of the saved game: action 63 .* is not legal"),
        (["actions", 1], 64, "action number 1 of the saved game: action 64: the space is 0 to 63"),
        (["actions", 1], 1.0, r"actions\[1\] must be a whole number, not 1.0"),
        (["actions"], {}, "actions must be a list"),
        (["decisions", 0], 99, r"decisions \[99, \d\] contradict the replay of the actions"),
        (["outcome"], WON, "the actions end before the game does"),
        (["outcome"], {"payoffs": [1]}, "outcome lacks 'scores'"),
        (["illegal_action"], 63, "only env.. ends a game so; load it with env.from_json"),
        (["gone"], 1, "gone is 1: allowed is 0 to 0 at this point"),
        (["gone"], -1, "gone is -1: allowed are 0 to 2"),
    ],
)  # fmt: skip
def test_what_to_json_does_not_write_is_refused(path, value, said):
    environment = begun(gubs_v0, 2, {}, decisions=4, make="raw_env")
    saved = json.loads(environment.to_json())
    if path == ["start", "state"]:
        said = "start has an unknown key, 'rng'"
    with pytest.raises(ValueError, match=said):
        gubs_v0.raw_env.from_json(changed(saved, path, value))


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("phase", 1.9, "phase must be a whole number, not 1.9"),
        ("phase", "1", "phase must be a whole number, not '1'"),
        ("phase", True, "phase must be a whole number, not True"),
        ("hand_size", [1], "hand_size must be a list of 6"),
        ("hand_size", 3, "hand_size must be a list of 6"),
        ("decisions", 2**63, "decisions is 9223372036854775808: allowed are -9"),
        ("num_players", 3, "the state is of 3 players"),
        ("step", 3, "state has an unknown key, 'step'"),
    ],
)
def test_a_stored_state_holds_whole_numbers_in_range(field, value, said):
    environment = gubs_v0.raw_env(2)
    environment.set_state(gubs_v0.position(["Lure", "Mushroom"], seed=1))
    saved = json.loads(environment.to_json())
    with pytest.raises(ValueError, match=said):
        gubs_v0.raw_env.from_json(changed(saved, ["start", "state", field], value))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", "NaN", "[" * 10**5, b"\xff", None])
def test_what_is_no_saved_game_is_refused(text):
    with pytest.raises(ValueError, match="the record of a game"):
        gubs_v0.raw_env.from_json(text)


def test_actions_after_the_end_are_refused_at_once():
    environment = play_to_the_end(begun(gubs_v0, 2, {}))
    saved = json.loads(environment.to_json())
    count = len(saved["actions"])
    saved["actions"] += [0] * 10
    with pytest.raises(ValueError, match=f"the game is over after {count} of them"):
        gubs_v0.env.from_json(json.dumps(saved))
    saved["actions"] += [0] * 900_000
    with pytest.raises(ValueError, match="actions: a game at this table has at most"):
        gubs_v0.env.from_json(json.dumps(saved))


def test_an_illegal_action_that_is_legal_is_refused():
    environment = begun(gubs_v0, 2, {})
    saved = json.loads(environment.to_json())
    legal = int(environment.observe("player_0")["action_mask"].argmax())
    for action, said in ((legal, "which is legal at that point"), (64, "the space is 0 to 63")):
        with pytest.raises(ValueError, match=said):
            gubs_v0.env.from_json(json.dumps(saved | {"illegal_action": action}))
    finished = json.loads(play_to_the_end(environment).to_json())
    with pytest.raises(ValueError, match="the game is over before it"):
        gubs_v0.env.from_json(json.dumps(finished | {"illegal_action": 63}))


def test_a_render_mode_that_there_is_not_is_refused():
    text = begun(gubs_v0, 2, {}).to_json()
    with pytest.raises(ValueError, match="render_mode='x'"):
        gubs_v0.env.from_json(text, render_mode="x")
    assert gubs_v0.env.from_json(text, render_mode="ansi").render().startswith("Gubs, seen by")


# ----------------------------------------------------------------------------------- damaged


def saves(module):
    """Return saved games of a module in various phases, each with its class."""
    players = 3 if module is not fubnub_v0 else 4
    texts = []
    for decisions in (0, 12, 40):
        environment = begun(module, players, {}, decisions)
        texts.append(environment.to_json())
        environment.step(illegal_action(environment))
        environment.step(None)
        texts.append(environment.to_json())
    finished = play_to_the_end(begun(module, players, {}))
    finished.step(None)
    return [*texts, finished.to_json(), begun(module, 2 if players == 3 else 4, {}, 5).to_json()]


def from_positions(module):
    """Return saved games that begin with states, in various phases."""
    environment = begun(module, module.GAME.players, {})
    texts = []
    for _ in range(12):
        state = environment.state()
        played = module.env(module.GAME.players)
        played.set_state(state)
        texts.append(play(played, 3).to_json())
        play(environment, 4)
        if environment.is_done(environment.agent_selection):
            break
    return texts


def damage(make, texts, count, seed=0):
    """Return how many of `count` damaged texts gave a game and how many a ValueError."""
    rng = np.random.default_rng(seed)
    working, messages = 0, []
    for number in range(count):
        text = edited(texts[rng.integers(len(texts))], rng, 1 + number % 2)
        try:
            environment = make.from_json(text)
        except ValueError as error:
            messages.append(str(error))
            continue
        assert make.from_json(environment.to_json()).to_json() == environment.to_json()
        play(environment, 3)
        working += 1
    assert all(message and "\n" not in message for message in messages)
    return working, len(messages)


@every_module
def test_a_damaged_text_gives_a_game_or_a_clear_error(module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        working, refused = damage(module.env, saves(module), 300)
    assert working
    assert refused > 200


if __name__ == "__main__":
    import sys

    for module in MODULES:
        for name, texts in (("dealt", saves(module)), ("position", from_positions(module))):
            if name in sys.argv[2:]:
                print(module.GAME.name, name, damage(module.env, texts, int(sys.argv[1]), 1))
