from .launch import train as train
from .learner import Learner as Learner
from .learner import PlayingLearner as PlayingLearner
from .learner import RememberingLearner as RememberingLearner
from .options import Options as Options
from .run import Run as Run
