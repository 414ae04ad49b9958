"""The public names of the package, each imported on first use."""

from . import bad_bad_turtle_v0 as bad_bad_turtle_v0
from . import fubnub_v0 as fubnub_v0
from . import gubs_v0 as gubs_v0
from .agents.registry import Agent as Agent
from .agents.registry import AnyAgent as AnyAgent
from .agents.registry import EstimatingAgent as EstimatingAgent
from .agents.registry import Judge as Judge
from .agents.registry import SearchAgent as SearchAgent
from .agents.registry import TextAgent as TextAgent
from .agents.text_game import TextGame as TextGame
from .api.aec import AECGame as AECGame
from .api.checked import CheckedAEC as CheckedAEC
from .api.saved import Ending as Ending
from .api.single import SingleAgentEnv as SingleAgentEnv
from .api.single_vector import SingleAgentVectorEnv as SingleAgentVectorEnv
from .api.vector import Step as Step
from .api.vector import VectorEnv as VectorEnv
from .api.vector import VectorOptions as VectorOptions
from .engine.game import Game as Game
from .engine.moves import Move as Move
from .engine.outcome import Outcome as Outcome
from .engine.slices import Slice as Slice
from .engine.view import View as View
from .games import GAMES as GAMES
from .games import find_game as find_game
from .language.options import TextOptions as TextOptions
from .records.loading import DataSet as DataSet
from .records.loading import load_dataset as load_dataset
from .records.parquet import to_parquet as to_parquet
from .records.record import Record as Record
from .records.record import read_record as read_record
from .records.record import read_records as read_records
from .records.recording import record as record
from .replays.page import Replay as Replay
from .replays.page import replay as replay

__version__: str
