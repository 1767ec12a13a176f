"""Everything learnt raises or warns with, so that one `except LearntError` catches it all."""

from __future__ import annotations

import sys
from typing import Any


class LearntError(Exception):
    """The base of every error of this package."""


class InputError(LearntError, ValueError):
    """The data cannot be used as it is; the message says where and what to do."""


class KindError(InputError, TypeError):
    """A column or a target is of a type that has no kind here, or of another kind than expected."""


class ParameterError(LearntError, ValueError):
    """A setting of a learner is outside its declared domain."""


class FileError(InputError):
    """A file cannot be read or written; `file`, `line` and `column` say where, as far as they are known."""

    def __init__(self, message: str, file: str = "", line: int | None = None, column: int | None = None):
        place = ", ".join(
            part
            for part in (
                f"file {file!r}" if file else "",
                f"line {line}" if line is not None else "",
                f"column {column}" if column is not None else "",
            )
            if part
        )
        super().__init__(f"{message} ({place})" if place else message)
        self.file, self.line, self.column = file, line, column
        self._message = message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._message, self.file, self.line, self.column)


class WriteError(FileError, OSError):
    """A file cannot be written; `errno` is the system's reason. What stood under the name before is as it was."""


class ClusterError(LearntError, RuntimeError):
    """The cluster is not there any more, or has no workers."""


class SavedModelError(LearntError, ValueError):
    """A saved model is damaged, hostile, or of a version this one cannot read."""


class NotFittedError(LearntError, ValueError, AttributeError):
    """The learner has not been fitted yet."""


class AbsentAttributeError(LearntError, AttributeError):
    """The learner has no such attribute as it is set; `hasattr` says so."""


class MissingPackageError(LearntError, ImportError):
    """Something was asked for that a package gives which is not installed; the message says which."""


class ConvergenceWarning(UserWarning):
    """An iteration stopped at its limit, not at its tolerance; `converged_` is False."""


class DataConversionWarning(UserWarning):
    """The data was taken in another shape than it came in."""


class LeftOutWarning(UserWarning):
    """A column was left out of the table that a learner was given, since it can make nothing of it."""


def _twin(own: type, sklearn_name: str) -> type:
    """`own`, or a class that is also scikit-learn's namesake when that package is loaded.

    Code written for scikit-learn catches its classes; learnt does not import it to please that
    code, but whoever can catch them has loaded it already.
    """
    exceptions = sys.modules.get("sklearn.exceptions")
    if exceptions is None:
        return own
    key = own.__name__
    if key not in _twins:
        foreign = getattr(exceptions, sklearn_name)
        _twins[key] = type(key, (own, foreign), {"__reduce__": lambda self: (_revive, (key, self.args))})
    return _twins[key]


_twins: dict[str, type] = {}


def _revive(name: str, args: tuple[Any, ...]) -> BaseException:
    makers: dict[str, Any] = {"NotFittedError": not_fitted, "ConvergenceWarning": convergence_warning}
    made: BaseException = makers.get(name, data_conversion_warning)(*args)
    return made


def not_fitted(message: str) -> NotFittedError:
    error: NotFittedError = _twin(NotFittedError, "NotFittedError")(message)
    return error


def convergence_warning(message: str) -> ConvergenceWarning:
    warning: ConvergenceWarning = _twin(ConvergenceWarning, "ConvergenceWarning")(message)
    return warning


def data_conversion_warning(
    message: str = "A column-vector y was passed when a 1d array was expected. Its one column is used.",
) -> DataConversionWarning:
    warning: DataConversionWarning = _twin(DataConversionWarning, "DataConversionWarning")(message)
    return warning
