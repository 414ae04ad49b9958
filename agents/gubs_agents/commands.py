"""The commands of this package, which `gubs` finds by an entry point (`gubs_env.commands`)."""

from __future__ import annotations

from gubs_env.commands.catalogue import CONTINUES, MEASURE, RESUMES, TRAIN, Command

TRAINING = (
    "train", "torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib",
    "rich", "tqdm",
)  # fmt: skip

COMMANDS = (
    Command("arena", MEASURE, "Play agents against each other on the same deals, from every seat.",
            "gubs_agents.arena.commands:arena", interrupted=RESUMES),
    Command("luck", MEASURE, "Report a tournament with luck taken out.",
            "gubs_agents.luck.commands:luck", ("arena", "choix")),
    Command("luck fit", MEASURE, "Fit the values of chance outcomes for a table.",
            "gubs_agents.luck.commands:fit", ("train", "torch"), CONTINUES),
    Command("benchmark", MEASURE, "Play the benchmark with an agent, or verify results.",
            "gubs_agents.benchmark.commands:benchmark", interrupted=RESUMES),
    Command("benchmark freeze", MEASURE, "Write the anchors and the scales of a new protocol.",
            "gubs_agents.benchmark.commands:freeze"),
    Command("gate", MEASURE, "Ship a network if it beats the shipped one in a sequential test.",
            "gubs_agents.arena.commands:gate", interrupted=RESUMES),
    Command("exploit", MEASURE, "Search for best responses to a frozen agent.",
            "gubs_agents.exploit.commands:exploit", TRAINING, CONTINUES),
    Command("train", TRAIN, "Train an agent by self-play, and measure it.",
            "gubs_agents.training.commands:train", TRAINING),
    Command("improve", TRAIN, "Improve a network by comparing the actions of decisions.",
            "gubs_agents.training.commands:improve", ("train", "torch"), CONTINUES),
    Command("beliefs", TRAIN, "Fit beliefs about hidden hands to games of an agent against itself.",
            "gubs_agents.training.commands:beliefs", ("train", "torch"), "nothing was written"),
)  # fmt: skip
