from .launch import train as train
from .learner import Learner as Learner
from .options import Options as Options
from .run import Run as Run
