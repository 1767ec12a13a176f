"""Few labels: classifiers that learn from rows without a class too."""

from learnt.semi_supervised.co_training import CoTrainingClassifier
from learnt.semi_supervised.hidden_labels import FewLabels, hide_labels, score_with_few_labels
from learnt.semi_supervised.propagation import LabelPropagation, LabelSpreading
from learnt.semi_supervised.self_training import SelfTrainingClassifier

__all__ = [
    "CoTrainingClassifier",
    "FewLabels",
    "LabelPropagation",
    "LabelSpreading",
    "SelfTrainingClassifier",
    "hide_labels",
    "score_with_few_labels",
]
