"""What ensembles share whose rounds stress some rows: a learner that is fitted again and again, by weights or draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.errors import ParameterError
from learnt.learner.base import Learner
from learnt.learner.foreign import adopted
from learnt.learner.text.counting import TextUse, text_use


class RepeatsLearner(Learner, abstract=True):
    """For ensembles of one learner, `estimator`: text becomes to them what it is to that."""

    if TYPE_CHECKING:
        estimator: Any

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return text_use(self.estimator, "counts")


class StressesRows(RepeatsLearner, abstract=True):
    """With `by`: rows are stressed by "weights", which the learner must take, or by "resampling"."""

    if TYPE_CHECKING:
        by: str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_weak_learner(self.estimator, self.by, type(self).__name__)


def check_weak_learner(estimator: Any, by: str, owner: str) -> None:
    """Raise for a learner that takes no weights where rows are stressed by them."""
    if by == "weights" and estimator is not None and "weights" not in adopted(estimator).abilities:
        raise ParameterError(
            f"{owner}: {type(estimator).__name__} takes no weights, and by='weights' stresses rows by them. "
            "Use by='resampling'."
        )
