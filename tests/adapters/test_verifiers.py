"""The games in verifiers: its tasksets, and an environment whose model is a function."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

pytest.importorskip("verifiers", reason="the verifiers extra is not installed")

import verifiers.v1 as vf
from verifiers.v1.types import AssistantMessage

from gubs_env.adapters import verifiers
from gubs_env.adapters.verifiers import GameConfig, GameEnv, GameTaskset, game_of
from gubs_env.agents.registry import allow_list
from tests.adapters.recipes import run_recipe
from tests.strangers import reaching


class Model:
    """A model in the place of verifiers' agent, with the same interface."""

    def __init__(self, answer, most_turns=10_000):
        self.answer, self.most_turns = answer, most_turns
        self.rewards, self.told = {}, []

    @asynccontextmanager
    async def interaction(self, task):
        self.told.append(task.data.prompt)
        self.trace = SimpleNamespace(info={}, record_reward=self.record)
        yield self

    def record(self, name, value, weight):
        self.rewards[name] = value * weight

    async def turn(self, message=None):
        self.told += [message] if message is not None else []
        if len(self.told) > self.most_turns:
            return vf.Segment([], terminated=True)
        return vf.Segment([AssistantMessage(content=self.answer(self.told[-1]))])


def play(task, model):
    # Without its constructor, which would start a server and look for a model.
    env = GameEnv.__new__(GameEnv)
    asyncio.run(env.run(task, SimpleNamespace(player=model)))
    return model


def task_of(**options):
    [task] = GameTaskset(GameConfig(seed=7, games=1, **options))
    return task


def test_each_task_is_a_deal_with_the_prompt_of_its_first_decision():
    tasks = list(GameTaskset(GameConfig(game="fubnub", opponents="random", seed=3, games=2)))
    assert [task.data.name for task in tasks] == ["fubnub#3", "fubnub#4"]
    for task in tasks:
        game = game_of(task.data.info)
        assert (task.data.system_prompt, task.data.prompt) == (game.system(), game.situation())


def test_a_whole_game_is_rewarded_with_the_payoff_of_the_seat():
    task = task_of(opponents="heuristic", players=3)
    shadow = game_of(task.data.info)

    def answer(told):
        assert told == shadow.situation()
        move = shadow.moves()[-1]
        shadow.play(move)
        return f'{{"move": "{move}"}}'

    model = play(task, Model(answer))
    assert shadow.is_over
    assert model.rewards == {"payoff": shadow.payoff}
    assert "The game is over" in model.trace.info["ending"]


def test_three_wrong_answers_in_a_row_fail():
    model = play(task_of(), Model(lambda told: "fly away"))
    assert model.rewards == {"payoff": -1.0}
    assert len(model.told) == 3
    assert "'fly away' is not a legal move" in model.told[-1]


def test_a_model_that_is_cut_off_has_failed():
    task = task_of()
    shadow = game_of(task.data.info)
    model = play(task, Model(lambda told: shadow.moves()[0], most_turns=1))
    assert model.rewards == {"payoff": -1.0}


def test_a_configuration_and_a_task_choose_agents_from_a_list(tmp_path, monkeypatch):
    with reaching(tmp_path, monkeypatch) as texts:
        for text in (*texts, "random:seed=1", "random,llm"):
            with pytest.raises(ValueError, match="is not allowed here: allowed are greedy"):
                task_of(opponents=text)
            info = task_of().data.info | {"opponents": text}
            with pytest.raises(ValueError, match="is not allowed here: allowed are greedy"):
                game_of(info)
    monkeypatch.setattr(verifiers, "ALLOWED", allow_list("strong=policy:draw=true"))
    assert game_of(task_of(opponents="strong").data.info)
    with pytest.raises(ValueError, match="'random' is not allowed here: allowed are strong, by"):
        task_of()


def test_the_recipe():
    run_recipe("adapters.md", "verifiers")
