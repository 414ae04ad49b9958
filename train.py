"""Train an agent by self-play: the command `gubs-train`, for a checkout that is not installed."""

from gubs_agents.training.__main__ import main

if __name__ == "__main__":
    main()
