"""Pages and commands of a game at the terminal, with typed lines from a list."""

from __future__ import annotations

import re

import pytest

from gubs_env import gubs_v0
from gubs_env.engine.card_texts import paragraphs
from gubs_env.engine.text import painter
from gubs_env.play.layout import ESCAPE
from gubs_env.play.opponents import make_player
from gubs_env.play.rules import card_words, goal, rules_of
from gubs_env.play.saves import read_game
from gubs_env.play.screen import Leave
from gubs_env.play.session import Player, Session
from gubs_env.play.terminal import TerminalGame
from gubs_env.replays import judging
from tests.play.tables import Typist, dealt, every_game, play_to_the_end, rng_of, seated


def laid(hands, colonies):
    """Return a game with cards where they are named; player_0 is to play a card."""
    env = gubs_v0.raw_env(len(hands))
    env.set_state(gubs_v0.position(hands, colonies))
    return env


def at_a_window(num_players=2):
    """Return a game in which player_0 has played Lure and player_1 may answer."""
    env = laid(["Lure", "Feather, Spear", ""][:num_players], ["Gub"] * num_players)
    env.play("Lure player_1's Gub")
    return env


CLEARED = re.compile(r"\x1b\[[\d;]*[A-Z]|\r")


class Leaving(Typist):
    """A screen whose typist leaves at the end of the lines."""

    def ask(self, prompt):
        self.asked.append(prompt)
        if (line := next(self.lines, None)) is None:
            raise Leave
        return line


def said(session, lines, tmp_path, capsys, screen=Leaving, **options):
    """Return what is printed while these lines are typed."""
    session.path = tmp_path / "game.json"
    TerminalGame(session, screen(lines, **options), 0).run()
    return capsys.readouterr().out


# ---------------------------------------------------------------------------------------- commands


def test_commands_say_what_they_say_and_play_nothing(tmp_path, capsys):
    env = dealt(seed=5)
    adviser = make_player("heuristic", env.table, 0.1)
    session = seated(env, env.possible_agents, adviser=adviser)
    before = env.to_json()
    lines = ["", "help", "rules", "card LURE", "card trap", "card", "hint", "moves", "log", "back",
             "table", "more", "save", "Sing"]  # fmt: skip
    text = said(session, lines, tmp_path, capsys)
    assert env.to_json() == before
    for words in (
        "Choose a move by its number",
        "Each player tends a colony of Gubs",
        "Lure, Hazard (7 in the printed deck): Take a Free Gub",
        "no card has this name",
        "name a card: Gub, Esteemed Elder",
        "heuristic would play: Draw a card",
        "Skip the draw",
        "nothing yet",
        "Nothing is chosen yet; a move that was played stays played.",
        "No move fits 'sing'. Type a number, or help.",
    ):
        assert words in text
    assert text.count("The game is saved in") == 2
    assert re.search("gubs(_env)? play --resume", text)
    assert read_game(tmp_path / "game.json")[0].to_json() == before


@pytest.mark.parametrize(
    ("game", "name", "found"),
    [
        ("gubs", "lure", ["Lure"]),
        ("gubs", "ring", ["Single Ring", "Double Ring", "Triple Ring"]),
        ("fubnub", "gold", ["Gold"]),
        ("bad_bad_turtle", "TURTLE", ["Turtle"]),
        ("bad_bad_turtle", "no", ["No Reveal", "No Trash", "No Way"]),
    ],
)
def test_a_card_is_found_by_its_name_or_a_part_of_it(game, name, found):
    words = card_words(dealt(game).game, name)
    titles = [re.split(r", | \(|:", line)[0] for line in words]
    assert [title.casefold() for title in titles] == [title.casefold() for title in found]


def test_a_hint_without_agents_says_so(tmp_path, capsys):
    session = seated(dealt(), ["player_0", "player_1"])
    text = said(session, ["", "hint"], tmp_path, capsys)
    assert "No agent is installed that could give a hint." in text


def test_agents_that_wait_for_their_code_say_so(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("gubs_env.play.session.is_long_work_interpreted", lambda: True)
    session = seated(at_a_window())
    assert not session.note
    for player in session.opponents.values():
        monkeypatch.setattr(type(player.agent), "estimate", len, raising=False)
    assert "play weaker for the first minutes" in said(session, [], tmp_path, capsys)


def test_a_choice_is_taken_back_and_nothing_else(tmp_path, capsys):
    env = laid(["Spear, Lure, Smahl Thief", *[""] * 5], ["Gub"] * 6)
    session = Session(env, {seat: Player("x", None) for seat in env.possible_agents[1:]})
    text = said(session, ["lure", "back", "spear", "dax", ""], tmp_path, capsys)
    assert "Play Lure  (5 moves)" in text
    assert "back takes the choice back" in text
    assert session.log("player_0")[0].startswith("You play Spear at Dax's Gub")


def test_a_move_is_shown_before_it_is_played(tmp_path, capsys):
    env = laid(["Spear, Lure", ""], ["Gub", "Gub"])
    session = seated(env)
    before = env.to_json()
    text = said(session, ["lu", "back", "2", "spear", "back"], tmp_path, capsys)
    assert env.to_json() == before
    assert text.count("1  Lure Ada's Gub\n(Enter plays it; back takes the choice back)") == 2
    assert "No move fits 'spear'. Type a number, back, or help." in text
    said(session, ["lu", "lure"], tmp_path, capsys)
    assert session.log("player_0")[0] == "You play Lure at Ada's Gub"


def test_a_pass_is_played_at_once_and_an_answer_is_not(tmp_path, capsys):
    for typed, passes in (("pass", True), ("answer", False)):
        session = seated(at_a_window(), ["player_1"])
        text = said(session, [typed], tmp_path, capsys)
        assert ("Enter plays it" in text) != passes
        assert ("You pass" in session.log("player_1")) == passes


def test_enter_plays_the_only_move(tmp_path, capsys):
    session = seated(dealt("bad_bad_turtle", 2), ["player_0", "player_1"])
    said(session, ["", ""], tmp_path, capsys)
    assert session.log(None)[0].endswith("takes the turn and discards 2 cards unseen")


def test_forced_moves_play_themselves_where_that_is_wished(tmp_path, capsys):
    """In Bad, Bad, Turtle a turn without a card on it leaves nothing to choose."""
    session = seated(dealt("bad_bad_turtle", seed=1), ["player_0"])
    text = said(session, ["auto"], tmp_path, capsys)
    assert "auto plays all that is forced" in text
    assert "Forced moves play themselves; auto ends that." in text
    log = session.log("player_0")
    assert sum(line.startswith("You take the turn") for line in log) > 1
    assert len(session.moves("player_0")) > 1
    news = " ".join(text.split("Since you last decided")[-1].split())
    assert all(line in news for line in log)


def test_auto_asks_again_when_it_is_typed_again(tmp_path, capsys):
    session = seated(dealt(seed=5), ["player_0"])
    text = said(session, ["auto", "auto"], tmp_path, capsys)
    assert "Forced moves are asked again." in text


def test_several_people_are_asked_also_where_a_move_is_forced(tmp_path, capsys):
    session = seated(dealt("bad_bad_turtle", 2), ["player_0", "player_1"])
    text = said(session, ["", "auto"], tmp_path, capsys)
    assert "each is asked, also where a move is forced" in " ".join(text.split())
    assert session.log(None) == []


@every_game
@pytest.mark.parametrize("width", [31, 41, 63, 101])
def test_no_line_of_a_game_is_wider_than_the_terminal(game, width, tmp_path, capsys, monkeypatch):
    """Names of files are left whole, so that they can be copied."""
    monkeypatch.setattr(judging.Decision, "weighed", None)  # which takes many games
    monkeypatch.setattr(judging, "expected", lambda *_: 0.0)
    session = seated(dealt(game, seed=3), ["player_0"])
    lines = ["help", "moves", "log", "nothing of the kind", "auto", "auto", *["1"] * 800, "no"]
    text = said(session, lines, tmp_path, capsys, width=width)
    for line in text.split("\n"):
        assert len(line) < width or "game.json" in line, line


@every_game
def test_the_rules_are_shown_whole_at_any_width(game, tmp_path, capsys):
    text = dealt(game).game.rules_text()
    for width in (40, 81, 121):
        Typist(width=width).page(paragraphs(text))
        shown = capsys.readouterr().out
        assert shown.split() == text.split()
        assert max(map(len, shown.splitlines())) < width


@pytest.mark.parametrize(
    ("mode", "items", "has_teams"), [("team", 5, True), ("full", 4, False), ("royal", 3, False)]
)
def test_the_rules_leave_out_what_is_of_other_modes(mode, items, has_teams):
    table = dealt("fubnub", 4, rules={"mode": mode}).table
    lines = rules_of(table)
    assert any(line.startswith("- Green and Purple: ") for line in lines)
    has_cards = any(line.startswith(("The action cards", "- Peek: ")) for line in lines)
    assert has_cards == (mode == "full")
    numbers = [line.split(".")[0] for line in lines if re.match(r"\d\. ", line)]
    assert numbers == [str(number + 1) for number in range(items)]
    assert any("caller" in line for line in lines) == has_teams
    assert (" cards. The first side with more than half" in goal(table)) == has_teams
    assert (" cards. The most point cards win" in goal(table)) == (not has_teams)
    assert ("2. Each player in turn, the dealer last" in "".join(lines)) == has_teams
    assert not any("mode=" in line for line in lines)
    assert any("in teams or alone (Battle Royal with ghosts): a ghost" in line for line in lines)
    assert rules_of(dealt("gubs").table) == paragraphs(dealt("gubs").game.rules_text())


# ------------------------------------------------------------------------------------------- pages


def test_an_interrupt_is_shown_as_one(tmp_path, capsys):
    session = Session(at_a_window(), {"player_0": Player("random", None)})
    text = said(session, [], tmp_path, capsys)
    assert "On the table: Lure at your Gub" in text
    assert "It is Ada's turn, but you are asked now." in text
    assert "You: answer Lure, or let it take effect" in text
    assert "Answer Lure with Feather" in text


def test_who_is_asked_in_a_window_is_not_told():
    env = at_a_window(3)
    session = Session(env, {seat: Player("x", None) for seat in ("player_0", "player_1")})
    assert session.question("player_2") == "Waiting for the others"
    assert session.question(None) == "Waiting for the others"


def test_the_news_are_what_happened_since_the_last_decision(tmp_path, capsys):
    session = seated(dealt(seed=3), ["player_0"], opponent="random")
    while session.person is None:
        session.play_opponent()
    text = said(session, ["draw", ""], tmp_path, capsys)
    page = text.split("Since you last decided")[-1]
    assert "  You draw " in page
    assert "Bo " not in page.split("You: ")[0]


def test_the_end_tells_the_outcome_and_shows_hands_if_they_are_wanted(tmp_path, capsys):
    for answer in ("yes", "no"):
        env = dealt(seed=8)
        play_to_the_end(env, rng_of(3))
        text = said(seated(env), ["perhaps", answer], tmp_path, capsys)
        assert text.count("The game is over: ") == 1
        assert ("You have won" in text) == (0 in env.outcome().winners)
        assert ("You have lost." in text) == (0 not in env.outcome().winners)
        assert "Type yes or no." in text
        assert (text.count("Hand: ") == 3) == (answer == "yes")
        assert "The game is saved in" in text


@every_game
@pytest.mark.parametrize("width", [40, 81, 121])
def test_no_line_of_a_page_is_wider_than_the_terminal(game, width, tmp_path, capsys):
    most = {"gubs": 6, "fubnub": 4, "bad_bad_turtle": 8}[game]
    session = seated(dealt(game, most, seed=6), dealt(game, most).possible_agents)
    rng = rng_of(9)
    for _ in range(15):
        if session.is_over:
            break
        moves = session.moves(session.person)
        session.play(session.person, moves[rng.integers(len(moves))])
        hands = {seat: session.table(f"player_{seat}").private for seat in range(most)}
        for seat, shown in ((session.people[1], {}), (None, {}), (None, hands)):
            screen, table = Typist(width=width), session.table(seat)
            lines = screen.layout.table(table, shown)
            assert max(map(len, lines)) < width
            screen.paint = painter(True)
            assert [ESCAPE.sub("", line) for line in screen.layout.table(table, shown)] == lines


def test_no_line_breaks_inside_the_title_of_a_card():
    env = gubs_v0.raw_env(2)
    discard = "Toad Rider ×2, Smahl Thief, Super Lure ×2, Haki Flute ×2, Age-Old Cure, Omen Beetle"
    env.set_state(gubs_v0.position(["Flop Boat, Velvet Moth", ""], discard=discard, seed=1))
    session = Session(env, {})
    titles = (*discard.split(", "), "Flop Boat", "Velvet Moth")
    for width in range(31, 90):
        lines = Typist(width=width).layout.table(session.table("player_0"))
        assert all(any(title in line for line in lines) for title in titles), width


def test_a_page_names_everything_on_the_table():
    env = laid(["Spear, Lure", "Gub", ""], ["", "Gub + Mushroom; Esteemed Elder", "Gub"])
    session = Session(env, {})
    for width in (41, 81, 121):
        text = " ".join(Typist(width=width).layout.table(session.table("player_0")))
        text = " ".join(text.replace("│", " ").split())
        for words in ("You (have the turn)", "Lure, Spear", "Mushroom", "Esteemed Elder"):
            assert words in text


@pytest.mark.parametrize("people", [["player_0"], ["player_0", "player_1"]])
def test_moves_of_agents_are_told_once_as_they_are_played(people, tmp_path, capsys):
    class Redrawing(Leaving):
        def __init__(self, lines):
            super().__init__(lines, width=121)
            self.redraws = True

    env = dealt(num_players=4, seed=3)
    before = seated(env, env.possible_agents)
    for _ in range(12):
        before.play(before.person, before.moves(before.person)[0])
    session = seated(env, people)
    told = len(env.log())
    lines = ["1"] * 40
    text = said(session, lines, tmp_path, capsys, screen=Redrawing)
    shown = [line for line in re.sub(CLEARED, "\n", text).split("\n") if line[:2] == "  "]
    live = " ".join(" ".join(shown).split())  # long lines are wrapped
    reader = people[0] if len(people) == 1 else None
    told_to = session.log(reader)[told:]
    by_agents = [line for line in told_to if line.startswith(("Ada ", "Bo ", "Cleo "))]
    assert by_agents
    for line in set(by_agents):
        assert line in live


def test_only_enter_opens_the_page_of_the_next_person(tmp_path, capsys):
    session = seated(dealt(seed=3), ["player_0", "player_1"])
    text = said(session, ["hello", "hint", "", "quit", "yes"], tmp_path, capsys)
    closed, _, opened = text.partition("Hand:")
    assert closed.count("Only Enter goes on; quit saves the game and leaves.") == 2
    assert opened


def test_a_game_can_be_left_before_the_next_page_opens(tmp_path, capsys):
    session = seated(dealt(seed=3), ["player_0", "player_1"])
    text = said(session, ["quit", "yes"], tmp_path, capsys)
    assert "Hand:" not in text
    assert read_game(tmp_path / "game.json")[0].to_json() == session.env.to_json()


@pytest.mark.parametrize("error", [ValueError, KeyError])
def test_the_game_is_saved_where_an_agent_fails(error, tmp_path):
    class Failing:
        def act(self, observations, masks, rngs=None):
            raise error("of the agent")

    env = dealt(seed=3)
    players = {"player_0": Player("failing", Failing())}
    session = Session(env, players, path=tmp_path / "game.json")
    game = TerminalGame(session, Leaving(["1"] * 20), 0)
    told = (
        rf"agent 'failing' failed: {error.__name__}: .*of the agent.* \(.*test_terminal\.py, line"
    )
    with pytest.raises(ValueError, match=told):
        game.run()
    assert read_game(tmp_path / "game.json")[0].to_json() == env.to_json()


# ------------------------------------------------------------------------------------------ saving


def test_a_game_that_cannot_be_written_goes_to_the_temporary_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    path = tmp_path / "no such folder" / "game.json"
    session = seated(dealt(), ["player_0", "player_1"], path=path)
    TerminalGame(session, Leaving([]), 0).run()
    assert "cannot be written" in capsys.readouterr().out
    assert session.path.parent.parent == tmp_path
    assert read_game(session.path)[0].to_json() == session.env.to_json()


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"game": 3}', '{"game": "chess"}', '{"game": "gubs_v0"}', "\xff", "NaN"],
)
def test_a_file_without_a_game_is_refused(tmp_path, text):
    path = tmp_path / "bad.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match="holds no game to go on with"):
        read_game(path)
