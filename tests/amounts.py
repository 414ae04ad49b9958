"""How much the random tests try: a little by default, GUBS_ENV_MORE times as much every night."""

from __future__ import annotations

import os

MORE = int(os.environ.get("GUBS_ENV_MORE", "1"))
