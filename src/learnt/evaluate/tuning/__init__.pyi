from .entry import tune as tune
from .tuned import Tuned as Tuned
from .tuning import Tuning as Tuning
