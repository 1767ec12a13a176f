"""Which learners take part, and why the others do not."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Column, Table
from learnt.errors import ParameterError
from learnt.evaluate.comparison.field import ALL, family, field_of, set_for, too_slow
from learnt.evaluate.comparison.understanding import text_column
from learnt.evaluate.comparison.votes import sees_other_columns, with_known_members
from learnt.evaluate.metrics.scoring import METRICS, Metric
from learnt.evaluate.problem import Problem
from learnt.learner.other_names import suggestion
from learnt.learner.registry import Entry, find
from learnt.learner.registry import learners as registered
from learnt.show.numbers import number
from learnt.show.words import short_repr, shorten_text

LONGEST_NAME = 80
CHOSEN_INSIDE = ("loo", "cv")  # penalties
UNKNOWN_COST = 30.0  # of what is not ours: after the cheap ones, before the expensive ones


@dataclass(frozen=True)
class Candidate:
    """A learner under a name of its own, tuned or as it is (`plain`, which says what it is like).

    `skip` says why it does not take part, if it does not. `members` are the names of those whose mean it is, where all
    of them take part: a vote, which need not be run then.
    """

    name: str
    learner: Any
    plain: Any
    skip: str = ""
    members: tuple[str, ...] = ()

    @property
    def cost(self) -> float:
        return float(getattr(self.plain, "fit_cost", UNKNOWN_COST))

    @property
    def simplicity(self) -> float:
        return float(getattr(self.plain, "simplicity", 50.0))

    @property
    def readable(self) -> bool:
        return bool(getattr(self.plain, "readable", False))

    @property
    def baseline(self) -> bool:
        return "baseline" in getattr(self.plain, "abilities", ())

    @property
    def at_home(self) -> bool:
        """Whether it may run in this very process: learnt's own baselines are quick and neither hang nor crash."""
        return self.baseline and type(self.learner).__module__ == "learnt.baseline"


def candidates(
    problem: Problem, learners: Any, *, metric: Metric, tune: bool = False, with_loss: bool = False
) -> list[Candidate]:
    """The field of the task, or those given: names, families, "all", learners, classes of them, a dict by name."""
    chosen = learners is not None and learners != ALL
    pairs = _entries(field_of(problem), problem) if learners is None else list(_named_learners(learners, problem))
    if not pairs:
        raise ParameterError("learners= is empty. Expected names or learners; leave it out for the usual ones.")
    document = text_column(problem.table)
    found = []
    for name, learner in _named_apart(pairs):
        made, skip = _instance(learner)
        if not skip:
            made, skip = _fitting(made, problem, document, chosen=chosen, with_loss=with_loss)
        if not skip and metric.needs == "probabilities" and not hasattr(made, "predict_proba"):
            skip = f"it gives no probabilities, which {metric.name!r} needs"
        found.append(
            Candidate(name, _tuned_learner(made, metric, with_loss) if tune and not skip else made, made, skip)
        )
    return with_known_members(found, problem)


def _entries(entries: Iterable[Entry], problem: Problem) -> list[tuple[str, Any]]:
    return [(entry.name, set_for(entry.cls, problem)) for entry in entries]


def _named_learners(learners: Any, problem: Problem) -> Iterable[tuple[str, Any]]:
    if isinstance(learners, Mapping):
        yield from ((str(name), _looked_up(learner, problem)) for name, learner in learners.items())
        return
    if isinstance(learners, str):
        learners = [part.strip() for part in learners.split(",") if part.strip()]
    elif hasattr(learners, "fit"):
        learners = [learners]
    taken: set[str] = set()
    for one in learners:
        several = family(one, problem) if isinstance(one, str) else None
        if several is not None:  # a family; who is in two of them, such as the baseline, takes part once
            yield from _entries([e for e in several if e.name not in taken], problem)
            taken.update(e.name for e in several)
            continue
        learner = _looked_up(one, problem)
        name = learner.__name__ if isinstance(learner, type) else type(learner).__name__
        if isinstance(one, str):
            if name in taken:
                continue
            taken.add(name)
        yield name, learner


def _looked_up(learner: Any, problem: Problem) -> Any:
    """A name as the learner or class it stands for, the same in every comparison; learners as they are."""
    if not isinstance(learner, str):
        if not callable(getattr(learner, "fit", None)) or not callable(getattr(learner, "predict", None)):
            raise ParameterError(
                f"learners= holds {short_repr(learner)}, which has no fit and predict. "
                "Expected names such as 'NaiveBayesClassifier', or learners."
            )
        return learner
    cls = find(learner)
    if cls is None:
        names = [e.name for e in registered(own=True) if e.task in ("classification", "regression")]
        hint = suggestion(learner, names) or f"There are {', '.join(names)}."
        raise ParameterError(f"There is no learner and no family {learner!r}. {hint}")
    return set_for(cls, problem)


def _named_apart(pairs: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Learners of one class are called by their settings; those of the same settings are numbered."""
    times = Counter(name for name, _ in pairs)
    pairs = [(" ".join(repr(learner).split()) if times[name] > 1 else name, learner) for name, learner in pairs]
    pairs = [(shorten_text(name, LONGEST_NAME), learner) for name, learner in pairs]
    times, seen = Counter(name for name, _ in pairs), Counter[str]()
    apart = []
    for name, learner in pairs:
        seen[name] += 1
        apart.append((f"{name} #{seen[name]}" if times[name] > 1 else name, learner))
    return apart


def _instance(learner: Any) -> tuple[Any, str]:
    """A learner of a class, by its defaults; or why there is none."""
    if not isinstance(learner, type):
        return learner, ""
    required = [
        p.name
        for p in inspect.signature(learner).parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if required:
        settings = " and ".join(map(repr, required))
        return None, f"it has no default for {settings}; give it as a learner with settings"
    return learner(), ""


def _fitting(learner: Any, problem: Problem, document: str | None, *, chosen: bool, with_loss: bool) -> tuple[Any, str]:
    """The learner, set for the table where that is needed; or the reason why it does not fit."""
    if not hasattr(learner, "abilities"):  # not one of ours: it says itself what it cannot do
        return learner, ""
    able, task = learner.abilities, "regression" if problem.task == "regression" else "classification"
    if learner.task != task:
        return learner, f"it is for {learner.task}, and this is {task}"
    if "loss" in able and not (chosen or with_loss):
        return learner, "it answers by a loss, and none was given; without one it is the classifier inside it"
    if "loss" in able and not chosen:
        return learner, "every classifier of this comparison answers by the loss already"
    if "many classes" in able and problem.task == "binary" and not chosen:
        return learner, "it is made for more than two classes, and with two it is much like LogisticRegression"
    name = type(learner).__name__
    slow = "" if chosen else too_slow(name, problem) or sees_other_columns(name, problem)
    if slow:
        return learner, slow
    if "text" in able:
        return _of_text(learner, document, chosen)
    only_text = set(problem.table.kinds.values()) == {"text"}
    if only_text and getattr(learner, "takes_text", "") == "left out":
        return learner, f"it makes nothing of words, and the table has nothing but the text of {document!r}"
    return learner, _unfit(able, problem.table)


def _of_text(learner: Any, document: str | None, chosen: bool) -> tuple[Any, str]:
    """A text learner, told which column to read unless it knows."""
    bag = getattr(learner, "bag", None)
    if getattr(bag, "column", None) is not None or (chosen and document is None):
        return learner, ""
    if document is None:
        return learner, "it reads documents, and no column holds text"
    if not hasattr(learner, "bag"):
        return learner, ""
    from learnt.learner.settings import clone
    from learnt.prepare import BagOfWords

    told = BagOfWords(column=document) if bag is None else clone(bag).set_params(column=document)
    return clone(learner).set_params(bag=told), ""


def _unfit(able: frozenset[str], table: Table) -> str:
    """What in the table a learner with these abilities cannot take; nothing if it can take all."""
    for column in _columns(table):
        if "nominal" not in able and column.kind != "numeric":
            return f"it takes numbers, and column {column.name!r} is {column.kind}"
        if "missing" not in able and column.missing.any():
            return f"it takes no missing cells, and column {column.name!r} has {int(column.missing.sum()):,}"
        if "counts" in able and column.kind == "numeric":
            seen = column.values[~column.missing]
            wrong = seen[(seen < 0) | (seen != np.round(seen))]
            if len(wrong):
                return f"it takes counts, and column {column.name!r} holds {number(float(wrong[0]))}"
    return ""


def _columns(table: Table) -> Iterable[Column]:
    """The columns; of a sparse matrix, which would be large as such, what it stores in one."""
    return table.columns if table.sparse is None else [Column("of the matrix", "numeric", table.sparse.data)]


def _tuned_learner(learner: Any, metric: Metric, with_loss: bool) -> Any:
    """A learner that searches its settings inside every fit, so that no test row ever chooses them.

    They are chosen by the metric that ranks; under a loss by the log loss, since then probabilities decide the answers.
    Those that choose their penalty by themselves have done it already.
    """
    if not getattr(learner, "search_space", None) or getattr(learner, "alpha", None) in CHOSEN_INSIDE:
        return learner
    from learnt.evaluate.tuning import Tuned

    wanted: Any = metric.name if METRICS.get(metric.name) is metric else metric
    if with_loss:
        wanted = "log_loss" if hasattr(learner, "predict_proba") else None
    return Tuned(learner, metric=wanted, random_state=None)  # each fold sets the seed
