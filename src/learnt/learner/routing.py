"""What scikit-learn's metadata routing asks: which methods of a learner want sample weights, and by which name.

A pipeline or a search that is given `sample_weight` hands it on to the steps that asked for it,

    LogisticRegression().set_fit_request(sample_weight=True)

and only if `sklearn.set_config(enable_metadata_routing=True)` was called.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from learnt.errors import ParameterError
from learnt.storable import storable

Request = bool | str | None

#: Methods that scikit-learn routes to; what they take besides rows and targets can be asked for.
ROUTED = ("fit", "partial_fit", "score")


@storable
@dataclass(frozen=True)
class Requests:
    """What a user asked for: by method, by argument: True, False, the argument's name outside, or None, unsaid."""

    asked: dict[str, dict[str, bool | str | None]] = field(default_factory=dict)

    def __sklearn_clone__(self) -> Requests:
        return Requests({method: dict(wanted) for method, wanted in self.asked.items()})

    def with_more(self, method: str, wanted: Mapping[str, Request]) -> Requests:
        more = self.__sklearn_clone__()
        more.asked.setdefault(method, {}).update(wanted)
        return more


class RequestOf:
    """The method `set_…_request` of learners that have the method in question."""

    def __init__(self, method: str):
        self.method = method

    def __get__(self, learner: Any, owner: type) -> Any:
        if not hasattr(owner, self.method):
            raise AttributeError(f"{owner.__name__!r} has no {self.method}, and so nothing can be asked for it")
        if learner is None:
            return self

        def set_request(**wanted: Request) -> Any:
            return learner._ask_for(self.method, wanted)

        set_request.__name__ = f"set_{self.method}_request"
        set_request.__doc__ = (
            f"Say whether `{self.method}` wants `sample_weight` of scikit-learn's pipelines and searches: True, False, "
            "or the name by which it is given there."
        )
        return set_request


class Routed:
    """`set_fit_request` and its like, and what scikit-learn reads of them. Only it needs scikit-learn."""

    _metadata_request: Requests

    set_fit_request = RequestOf("fit")
    set_partial_fit_request = RequestOf("partial_fit")
    set_score_request = RequestOf("score")

    def get_metadata_routing(self) -> Any:
        """What each method wants, in scikit-learn's own class."""
        from sklearn.utils.metadata_routing import MetadataRequest

        asked: dict[str, dict[str, Request]] = getattr(self, "_metadata_request", Requests()).asked
        requests = MetadataRequest(owner=self)
        for method in ROUTED:
            for name in routed_arguments(type(self), method):
                getattr(requests, method).add_request(param=name, alias=asked.get(method, {}).get(name))
        return requests

    def _ask_for(self, method: str, wanted: Mapping[str, Request]) -> Self:
        sklearn = sys.modules.get("sklearn")
        if sklearn is None or not sklearn.get_config().get("enable_metadata_routing", False):
            raise RuntimeError(
                f"set_{method}_request is only available when metadata routing is enabled. You can enable it using "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        known = routed_arguments(type(self), method)
        for name, request in wanted.items():
            if name not in known:
                raise TypeError(f"Unexpected args: {name!r} in {method}. Accepted arguments are: {', '.join(known)}.")
            if not (request is None or isinstance(request, bool) or (isinstance(request, str) and request)):
                raise ParameterError(f"{name}={request!r} is not allowed. Expected True, False, None or a name.")
        self._metadata_request = getattr(self, "_metadata_request", Requests()).with_more(method, wanted)
        return self


def routed_arguments(cls: type, method: str) -> list[str]:
    """What a method takes besides rows and targets."""
    function = getattr(cls, method, None)
    if function is None:
        return []
    return [name for name in list(inspect.signature(function).parameters)[1:] if name not in ("X", "y")]
