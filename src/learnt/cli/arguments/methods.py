"""Methods as people type them: `kmeans`, `agglomerative`, `pca`, and the learners they mean."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from learnt.cli.arguments.given_settings import learner_from
from learnt.errors import ParameterError
from learnt.learner.registry import learners
from learnt.show.words import shorten_text

_ENDINGS = ("Clustering", "Mixture", "Model")
#: Settings that hold how many there shall be, by the learners' own names for it.
COUNTS = ("n_clusters", "n_components")
STARTS = 10
#: Linkages and methods that see distances alone: there the metric brings columns to one scale.
_BY_DISTANCES = {"single", "complete", "average", "weighted", "diana"}
#: What --k may be besides a number, and what the learner is told then: nothing.
AUTO, AS_IT_IS = "auto", "as it is"


def cluster_methods() -> dict[str, str]:
    """Short names of all clusterers: AgglomerativeClustering is "agglomerative", MixtureModel is "mixture"."""
    return {_short(entry.name): entry.name for entry in learners("clustering")}


def reduce_methods() -> dict[str, str]:
    """Short names of all reductions: PCA is "pca", and capitals alone do for long ones: LSA is "lsa"."""
    found = {}
    for entry in learners("transformation"):
        if entry.cls.__module__.startswith("learnt.reduce"):
            capitals = "".join(letter for letter in entry.name if letter.isupper())
            found[(capitals if len(capitals) > 1 else entry.name).lower()] = entry.name
    return found


def _short(name: str) -> str:
    for ending in _ENDINGS:
        if name != ending:
            name = name.removesuffix(ending)
    return name.lower()


def learner_for(method: str, known: dict[str, str], settings: Sequence[str], seed: int) -> Any:
    """The learner of a method or of a learner's own name, with its settings; the seed goes where one is taken."""
    names = {**{name.lower(): name for name in known.values()}, **known}
    if method.lower() not in names:
        near = difflib.get_close_matches(method.lower(), names, 1, 0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(
            f"There is no method {shorten_text(method, 60)!r}.{hint} The methods are {', '.join(sorted(known))}."
        )
    made = learner_from(names[method.lower()], settings)
    given, own = names_of(settings), type(made)._defaults()
    if "random_state" in own and "random_state" not in given:
        made.set_params(random_state=seed)
    if "n_init" in own and "n_init" not in given and made.task == "clustering":
        made.set_params(n_init=STARTS)  # a single start may be an unlucky one
    return made


def names_of(settings: Sequence[str]) -> set[str]:
    """The settings that were typed."""
    return {text.partition("=")[0].strip() for text in settings}


def bring_to_one_scale(learner: Any, settings: Sequence[str]) -> None:
    """Columns in metres shall not outweigh those in kilometres, unless settings that were typed say otherwise."""
    given, cls = names_of(settings), type(learner)
    own = cls._defaults()
    by_distances = {getattr(learner, "linkage", None), getattr(learner, "method", None)} & _BY_DISTANCES
    if "standardize" in own and not by_distances:
        if "standardize" not in given:
            learner.set_params(standardize=True)
    elif "metric" in own and "metric" not in given and "mixed" in cls.domains["metric"]:
        learner.set_params(metric="mixed")


def count_setting(learner: Any) -> str | None:
    """The setting that says how many clusters or components; None where the learner finds out by itself."""
    return next((name for name in COUNTS if name in type(learner)._defaults()), None)
