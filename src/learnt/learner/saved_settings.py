"""Settings of a model that was read from a file."""

from __future__ import annotations

from learnt.errors import ParameterError, SavedModelError
from learnt.learner.settings import Settings


def check_settings(learner: Settings) -> None:
    """Raise if a setting is none that fitting would have taken: predictions look them up."""
    try:
        learner._check_parameters()
    except ParameterError as error:
        raise SavedModelError(str(error)) from error
