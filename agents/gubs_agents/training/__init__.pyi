from .backend import Backend as Backend
from .learner import Learner as Learner
from .options import Options as Options
from .run import Run as Run
