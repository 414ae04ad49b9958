"""The interfaces show pictures: in notebooks, by render mode, with all hands open on request."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import gymnasium
import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.drawing import window
from tests.api.tables import every_module
from tests.commands import python
from tests.drawing.reading import Picture

needs_pixels = pytest.mark.skipif(
    not (find_spec("resvg_py") and find_spec("PIL")), reason="the extra `draw` is not installed"
)
without_display = pytest.mark.usefixtures("no_display")


@pytest.fixture
def no_display(monkeypatch):
    monkeypatch.setattr(window, "has_display", lambda: False)


def dealt(module, **options):
    environment = module.env(**options)
    environment.reset(seed=1)
    return environment


def play_out(environment):
    for agent in environment.agent_iter():
        done = environment.is_done(agent)
        mask = environment.observe(agent)["action_mask"]
        environment.step(None if done else int(np.flatnonzero(mask)[0]))


@every_module
def test_a_notebook_shows_the_view_of_the_acting_agent(module):
    environment = module.env()
    assert environment._repr_svg_() is None, "a picture before the game"
    environment.reset(seed=1)
    acting = environment.agent_selection
    assert environment._repr_svg_() == environment.view(acting)._repr_svg_()
    assert environment._repr_svg_() == environment.draw(acting) == environment.draw()
    play_out(environment)
    assert "The game is over" in environment._repr_svg_()


WRAPPED = """
from IPython.core.interactiveshell import InteractiveShell
show = InteractiveShell.instance().display_formatter.format
import gymnasium
from pettingzoo.utils import OrderEnforcingWrapper
from gubs_env import gubs_v0

env = OrderEnforcingWrapper(gubs_v0.raw_env())
alone = gymnasium.make("gubs_env/Gubs-v0", opponents="random", render_mode="svg")
assert "image/svg+xml" not in show(env)[0]
for each in env, alone:
    each.reset(seed=1)
drawn = [env.unwrapped.draw(), alone.render()]
for each, picture in (env, drawn[0]), (drawn[0], drawn[0]), (alone, drawn[1]), (drawn[1], drawn[1]):
    assert show(each)[0]["image/svg+xml"] == picture, each
assert "image/svg+xml" not in show(gymnasium.make("CartPole-v1"))[0]
"""


def test_a_notebook_shows_wrapped_environments_and_pictures():
    pytest.importorskip("IPython", reason="needs IPython")
    python(WRAPPED)


@every_module
def test_the_mode_svg_returns_the_picture(module):
    environment = dealt(module, render_mode="svg")
    assert environment.render() == environment.draw(environment.agent_selection)
    alone = module.single_agent_env(render_mode="svg")
    assert alone._repr_svg_() is None
    alone.reset(seed=1)
    assert alone.render() == alone._repr_svg_() == alone.view()._repr_svg_()
    many = module.single_agent_vector_env(2, render_mode="svg")
    many.reset(seed=1)
    assert all(picture.startswith("<svg ") for picture in many.render())


def test_open_hands_shows_what_each_hand_holds():
    environment = dealt(gubs_v0, num_players=4)
    assert None in Picture(environment.draw("player_1")).at("hand of player_2")
    state = environment.state()
    picture = Picture(environment.draw("player_1", open_hands=True))
    for seat in range(4):
        shown = picture.at(f"hand of player_{seat}")
        assert shown == {
            gubs_v0.Card(kind).title: int(state.hand[seat, kind])
            for kind in np.flatnonzero(state.hand[seat]).tolist()
        }
    assert "Gubs, all hands open" in picture.words
    assert "player_0's decision: draw, or skip the draw" in picture.words


@pytest.mark.parametrize("module", [fubnub_v0, bad_bad_turtle_v0])
def test_open_hands_shows_every_card_of_the_other_games(module):
    environment = dealt(module)
    for _ in range(12):
        environment.step(int(np.flatnonzero(environment.last()[0]["action_mask"])[0]))
        picture = Picture(environment.draw("player_1", open_hands=True))
        for seat in range(4):
            assert None not in picture.at(f"hand of player_{seat}")


def test_every_decision_of_a_game_can_be_drawn_with_open_hands():
    environment = dealt(gubs_v0, num_players=3)
    rng = np.random.default_rng(0)
    while not environment.is_done(environment.agent_selection):
        Picture(environment.draw("player_0", open_hands=True))
        legal = np.flatnonzero(environment.last()[0]["action_mask"])
        environment.step(int(rng.choice(legal)))
    Picture(environment.draw(open_hands=True))


def test_drawing_before_a_game_or_for_nobody_is_an_error():
    environment = gubs_v0.raw_env()
    with pytest.raises(RuntimeError, match=r"call reset\(\) before draw\(\)"):
        environment.draw()
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="no agent is called 'player_9'"):
        environment.draw("player_9")


@without_display
@every_module
def test_people_read_the_table_where_there_is_no_display(module, capsys):
    environment = dealt(module, render_mode="human")
    assert environment.render() is None
    assert "seen by" in capsys.readouterr().out
    environment.close()


def test_people_see_the_picture_where_there_is_a_display(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(window, "has_display", lambda: True)
    monkeypatch.setattr(window, "_draw", lambda tkinter, svg, title: shown.append((svg, title)))
    for package in ("tkinter", "resvg_py"):
        pytest.importorskip(package)
    environment = dealt(gubs_v0, render_mode="human")
    environment.step(1)
    assert shown == [(environment.draw(), "Gubs")]
    assert capsys.readouterr().out == ""


def test_people_read_the_table_where_pixels_cannot_be_drawn(monkeypatch, capsys):
    monkeypatch.setattr(window, "has_display", lambda: True)
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    dealt(gubs_v0, render_mode="human").render()
    assert "Gubs, seen by" in capsys.readouterr().out


def test_people_read_the_table_after_closing_the_window(monkeypatch, capsys):
    tkinter = pytest.importorskip("tkinter")
    pytest.importorskip("resvg_py")
    monkeypatch.setattr(window, "_open", {})

    def closed(*_):
        raise tkinter.TclError("application has been destroyed")

    monkeypatch.setattr(window, "has_display", lambda: True)
    monkeypatch.setattr(window, "_draw", closed)
    dealt(gubs_v0, render_mode="human").render()
    assert "Gubs, seen by" in capsys.readouterr().out


@needs_pixels
@every_module
def test_pixels_are_those_of_the_picture(module):
    assert "rgb_array" in module.env.metadata["render_modes"]
    environment = dealt(module, render_mode="rgb_array")
    frame = environment.render()
    assert frame.dtype == np.uint8
    assert frame.shape[1:] == (1200, 3)
    height = float(Picture(environment.draw()).root.get("height"))
    assert frame.shape[0] == height
    assert frame.shape[0] % 2 == 0, "no video can have these frames"
    assert len(np.unique(frame[..., 0])) > 50, "nothing is drawn"
    assert (frame == dealt(module, render_mode="rgb_array").render()).all()
    alone = gymnasium.make(
        f"gubs_env/{module.GAME.title.title().replace(',', '').replace(' ', '')}-v0",
        render_mode="rgb_array",
    )
    alone.reset(seed=1)
    assert alone.render().shape[1:] == (1200, 3)


@needs_pixels
def test_pixels_contain_text_where_no_font_is_installed():
    """Check that letters are drawn with the fonts of the package alone."""
    from gubs_env.drawing.raster import pixels

    svg = dealt(gubs_v0).draw()
    text = svg.index(">Letter") if ">Letter" in svg else svg.index("player_1")
    assert text > 0
    without = pixels(svg.replace("player_1</tspan>", "</tspan>"))
    assert (pixels(svg) != without).any()


def test_pixels_without_the_extra_are_an_error_that_names_it(monkeypatch):
    modes = ["ansi", "svg", "human"]
    monkeypatch.setitem(gubs_v0.raw_env.metadata, "render_modes", modes)
    with pytest.raises(ValueError, match=r"pip install 'gubs_env\[draw\]'"):
        gubs_v0.raw_env(render_mode="rgb_array")
    from gubs_env.api import rendering

    monkeypatch.setattr(rendering, "find_spec", lambda name: None)
    assert rendering.render_modes("ansi") == ["ansi"]
