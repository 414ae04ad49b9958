"""Train an agent by self-play: the same as `gubs train`."""

import sys

from gubs_env.commands.main import main

if __name__ == "__main__":
    sys.exit(main(["train", *sys.argv[1:]]))
