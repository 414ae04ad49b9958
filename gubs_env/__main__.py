"""`python -m gubs_env`, which is the same as the command `gubs`."""

import sys

from gubs_env.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
