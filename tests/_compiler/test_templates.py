"""A template is specialised with a value for every placeholder, or not at all."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from gubs_agents.search import playouts
from gubs_env._compiler.compilation import compiled
from gubs_env._compiler.templates import Placeholder, Templates
from gubs_env.gubs_v0 import GAME

double, triple = Placeholder("double"), Placeholder("triple")
misnamed = Placeholder("some_other_name")
templates = Templates()


@templates.template
def six_times(number):
    return double(triple(number))


@templates.entry_template
def twelve_times(number):
    return double(six_times(number))


@compiled
def times_two(number):
    return 2 * number


@compiled
def times_three(number):
    return 3 * number


GIVEN = {"double": times_two, "triple": times_three}


def test_templates_call_what_their_placeholders_stand_for():
    bound = templates.specialise("a test", GIVEN)
    assert bound["twelve_times"](1) == 12
    assert templates.specialise("another", GIVEN | {"double": times_three})["twelve_times"](1) == 27
    assert bound["six_times"].__qualname__ == "a test.six_times"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"double": times_two}, "templates for a test: nothing is given for triple"),
        ({}, "nothing is given for double, triple"),
        (GIVEN | {"quadruple": times_two}, "no template has a placeholder quadruple; there are do"),
        ({"doubled": times_two, "triple": times_three}, "nothing is given for double"),
    ],
)
def test_a_name_too_few_or_too_many_is_an_error(given, message):
    with pytest.raises(TypeError, match=message):
        templates.specialise("a test", given)


def test_a_placeholder_that_is_held_under_another_name_is_an_error():
    wrong = Templates()

    @wrong.template
    def calls_it(number):
        return misnamed(number)

    with pytest.raises(TypeError, match=r"'some_other_name'\) is held under the name 'misnamed'"):
        wrong.specialise("a test", {"misnamed": times_two})


def test_a_placeholder_cannot_be_called():
    with pytest.raises(NotImplementedError, match="double is a placeholder: specialise"):
        double(1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("heuristic_action, naming", "heuristic_deed, naming"),  # only the variable is renamed
        (
            'Placeholder("heuristic_action")',
            'Placeholder("heuristic_deed")',
        ),  # only the placeholder is renamed
        (
            '"heuristic_action": heuristic',
            '"heuristic_deed": heuristic',
        ),  # only its value is renamed
        (None, None),  # all but its value
    ],
)
def test_a_renamed_placeholder_of_the_search_is_an_error_and_no_random_play(old, new):
    source = Path(playouts.__file__).read_text()
    if old is None:
        edited = source.replace('"heuristic_action": heuristic', "KEY")
        edited = edited.replace("heuristic_action", "heuristic_deed")
        edited = edited.replace("KEY", '"heuristic_action": heuristic')
    else:
        assert source.count(old) == 1
        edited = source.replace(old, new)
    assert edited != source
    scratch = ModuleType("gubs_agents.scratch_of_playouts")
    exec(compile(edited, playouts.__file__, "exec"), scratch.__dict__)
    with pytest.raises((TypeError, KeyError), match=r"heuristic_(action|deed)"):
        scratch.templates.specialise(GAME.name, scratch.placeholders_of(GAME))
