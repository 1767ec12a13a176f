"""Several learners as one setting: what may stand in the list, names, and how settings inside are reached."""

from __future__ import annotations

from collections import Counter
from typing import Any, Self

from learnt.ensemble.members import TableLearner
from learnt.errors import ParameterError
from learnt.learner.base import Learner
from learnt.learner.fields import setting
from learnt.learner.parameters import Domain
from learnt.learner.text.counting import TextUse
from learnt.show.words import spell

Named = list[tuple[str, Any]]


class TableLearners(Domain):
    """None, or learners for a task, each by itself or with a name."""

    def __init__(self, kind: type[Learner]):
        self.member = TableLearner(kind)
        name = kind.__name__.lower()
        self.words = (
            f"None or a list of {name}s that read tables, each of learnt or of scikit-learn, by itself or as "
            f"(name, {name})"
        )

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        return isinstance(value, list | tuple) and len(value) > 0 and all(self._is_member(item) for item in value)

    def _is_member(self, item: Any) -> bool:
        learner = item[1] if is_pair(item) else item
        return learner is not None and learner in self.member


def is_pair(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str)


def named_learners(estimators: Any) -> Named:
    """Learners with their names; those without are called by their classes, numbered where two are of one. What is no
    list has none."""
    given = estimators if isinstance(estimators, list | tuple) else ()
    learners = [item[1] if is_pair(item) else item for item in given]
    kinds = Counter(type(learner).__name__ for learner in learners)
    met: Counter[str] = Counter()
    found: Named = []
    for item, learner in zip(given, learners, strict=True):
        kind = type(learner).__name__
        met[kind] += 1
        found.append((item[0] if is_pair(item) else f"{kind} {met[kind]}" if kinds[kind] > 1 else kind, learner))
    return found


class NamedMembers(Learner, abstract=True):
    """For ensembles of different learners: `estimators`, whose settings are reached by `name__setting`."""

    estimators: Any = setting(default=None, kw_only=False)

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        """What the members do; where they differ, words are counted, for those who can do something with them."""
        uses: set[TextUse] = {getattr(learner, "takes_text", "counts") for _, learner in self._given_learners()}
        return uses.pop() if len(uses) == 1 else "counts"

    def _given_learners(self) -> Named:
        """The learners given by the user; none for `estimators=None`."""
        return named_learners(self.estimators)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name; with `deep`, also the members by their names and their settings as `name__setting`."""
        params = super().get_params(deep)
        for name, learner in self._given_learners() if deep else []:
            if hasattr(learner, "get_params"):
                params[name] = learner
                params.update((f"{name}__{inner}", value) for inner, value in learner.get_params().items())
        return params

    def set_params(self, **params: Any) -> Self:
        """Change settings by name, `name__setting=` those of a member; `name=` puts another learner in its place."""
        own = {key: value for key, value in params.items() if key.partition("__")[0] in self._defaults()}
        if len(own) == len(params):
            return super().set_params(**own)
        members = dict(named_learners(own.get("estimators", self.estimators)))
        inside: dict[str, dict[str, Any]] = {}
        for key in params.keys() - own.keys():
            name, _, inner = key.partition("__")
            if name not in members or (inner and inner not in members[name].get_params()):
                raise ParameterError(
                    f"Invalid parameter {key!r} for estimator {self!r}. Valid parameters are: "
                    f"{sorted([*self._defaults(), *members])!r}, and those of the members."
                )
            if inner:
                inside.setdefault(name, {})[inner] = params[key]
        super().set_params(**own)
        members.update((key, value) for key, value in params.items() if key in members)
        for name, changes in inside.items():
            members[name].set_params(**changes)
        self.estimators = list(members.items())
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        names = [name for name, _ in self._given_learners()]
        for name, times in Counter(names).items():
            if times > 1 or not name or "__" in name or name in self._defaults():
                why = "stands there twice" if times > 1 else "cannot be told from a setting" if name else "is empty"
                raise ParameterError(
                    f"{type(self).__name__}: the name {spell(name)} of a member {why}. Give each learner of estimators "
                    "a name of its own, without '__'."
                )
