"""`learnt.compare`: from a table and a target to a comparison."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from time import monotonic
from typing import Any

from learnt.errors import ParameterError
from learnt.evaluate.comparison.candidates import candidates
from learnt.evaluate.comparison.comparison import Comparison
from learnt.evaluate.comparison.costs import loss_of
from learnt.evaluate.comparison.leaks import leak_notices
from learnt.evaluate.comparison.roles import Roles
from learnt.evaluate.comparison.running.notebook import looking_on
from learnt.evaluate.comparison.running.progress import Progress
from learnt.evaluate.comparison.running.race import Race
from learnt.evaluate.comparison.running.sampling import folds_of_sample, rows_asked_for, rows_for_budget, sample_notice
from learnt.evaluate.comparison.scoring import Scorer, chosen_metrics, why_ranked
from learnt.evaluate.comparison.text_notices import text_notices
from learnt.evaluate.comparison.understanding import understand
from learnt.evaluate.folds import Fold, n_folds
from learnt.evaluate.journal import Journal, data_key, settings_key
from learnt.evaluate.problem import Problem
from learnt.evaluate.splits import TimeSeriesSplit
from learnt.evaluate.splits.naming import Splitting
from learnt.evaluate.workers.cluster_pool import ClusterPool
from learnt.evaluate.workers.pool import Pool
from learnt.learner.parameters import Domain, Flag, OneOf, Real, Whole, check_parameters
from learnt.show.words import shorten_text
from learnt.threads import threads

_DOMAINS: dict[str, Domain] = {
    "repeats": Whole(1),
    "tune": Flag(),
    "time_budget": OneOf(None) | Real(above=0),
    "max_rows": OneOf(None) | Whole(2),
    "margin": OneOf(None) | Real(0),
    "random_state": Whole(0, 2**32 - 1),
    "n_jobs": OneOf(None) | Whole(-1, -1) | Whole(1),
}


def compare(
    table: Any,
    target: Any = None,
    *,
    learners: Any = None,
    metric: Any = None,
    cv: Any = 10,
    repeats: int = 1,
    tune: bool = False,
    task: str = "auto",
    time_budget: float | None = None,
    max_rows: int | None = None,
    resume: str | os.PathLike[str] | None = None,
    loss: Any = None,
    margin: float | None = None,
    drop: Any = None,
    keep: Any = None,
    groups: Any = None,
    weight: Any = None,
    time: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    cluster: Any = None,
    on_update: Callable[[Progress], Any] | None = None,
) -> Comparison:
    """Compare learners on the same folds of a table, and say which to use, with the uncertainty of every figure.

    >>> from learnt import datasets
    >>> result = compare(datasets.iris(), learners=["MajorityClassifier", "NaiveBayesClassifier"])
    >>> result.best.name, round(result.best.mean("accuracy"), 2)
    ('NaiveBayesClassifier', 0.95)

    | setting | default | meaning |
    |---|---|---|
    | `table` | | a table, a frame, a dict of columns, a file's name |
    | `target` | the table's own | the column to predict, or an array |
    | `learners` | a dozen | names, families ("tree"), "all", learners (scikit-learn's too), a dict of them by name |
    | `metric` | accuracy or rmse | what ranks: a name, a `Metric`, or a function of truth and answer; auc or log_loss
    where one class has more than two thirds of the rows |
    | `cv`, `repeats` | 10, 1 | folds and repeats of the cross-validation; `cv` may be a splitter |
    | `tune` | False | search the settings of each learner inside each fold |
    | `task` | "auto" | "binary", "multiclass" or "regression", where the target is to be read otherwise |
    | `time_budget` | None | seconds for all; without one, each learner has five minutes (an hour if tuned) |
    | `max_rows` | None | compare on a stratified sample of so many rows; without, on all unless a budget is too short |
    | `resume` | None | a journal's file: finished folds are kept there, and taken from there |
    | `loss` | None | costs by truth and answer, as `loss_matrix` takes them: answers are chosen and judged by them |
    | `margin` | None | how far from the best score a readable learner may be; None: any that may be the best (●) |
    | `drop`, `keep` | none | columns to leave out; columns that are meant though they look like identifiers or leaks |
    | `groups`, `weight` | None | a column, or an array: rows of one group stay together; how much each row counts |
    | `time` | None | a column, or an array: rows are sorted by it, and later ones tested by models of earlier ones |
    | `random_state` | 0 | seed of the folds, and of learners that leave theirs open |
    | `n_jobs` | None | folds run at once, each in a process beside this one; None and −1: one per core |
    | `cluster` | None | a client of Dask: folds run on its workers instead, `n_jobs` at once or one per thread |
    | `on_update` | None | a function that is handed a `Progress` whenever something happened; notebooks show a table |

    Learners that fail, or are stopped by a limit, are reported and hold up nobody; Ctrl-C gives the results so far.
    Scores depend on the table, the settings and the seed alone, never on the number of processes, or on the machines.
    """
    begun = monotonic()
    given = (repeats, tune, time_budget, max_rows, margin, random_state, n_jobs)
    check_parameters("compare", _DOMAINS, dict(zip(_DOMAINS, given, strict=True)))
    roles = Roles.of(drop, keep, groups, weight, time)
    with _pool(n_jobs, cluster) as pool, looking_on(on_update) as shown:
        jobs = pool.jobs or _jobs(n_jobs)
        pool.warm(_early_workers(learners, jobs))  # they load while this process still prepares
        understood = understand(table, target, task, cv if cv in Whole() else 0, roles)
        problem = understood.problem
        asked, cv = cv, _by_time(cv, repeats) if time is not None else cv
        total = n_folds(problem, cv, repeats)
        costs = None if loss is None else loss_of(loss, problem)
        metrics = chosen_metrics(metric, problem, costs)
        taking_part = candidates(problem, learners, metric=metrics[0], tune=tune, with_loss=costs is not None)
        understood.notices.extend(text_notices(problem.table.schema, taking_part))
        rows, why = rows_for_budget(problem, cv, total, time_budget, tune), "to keep the time budget"
        if max_rows is not None:
            rows, why = rows_asked_for(problem, cv, max_rows), "as max_rows asks for"
        if rows < problem.n_rows:
            understood.notices.append(sample_notice(rows, problem, why))

        def every_fold() -> Iterator[Fold]:
            return folds_of_sample(problem, rows, cv, repeats, random_state)

        scorer = Scorer(problem, metrics, costs, _fold_keys(cv, repeats, every_fold))
        keys = ["" if c.skip else settings_key(c.learner) for c in taking_part]
        with nullcontext() if resume is None else _journal(resume, problem, cv, repeats, random_state, rows) as journal:
            race = Race(problem, every_fold, scorer, jobs, pool, time_budget, tune, journal, shown, random_state, begun)
            outcomes = race.run(taking_part, keys)
    found = Comparison(
        problem=problem,
        outcomes=outcomes,
        metric=metrics[0],
        metrics=metrics,
        cv=total // repeats,
        repeats=repeats,
        random_state=random_state,
        source=os.fspath(table) if isinstance(table, str | os.PathLike) else "",
        notices=[*understood.notices, *why_ranked(metric, metrics[0], problem)],
        notes=understood.notes,
        command=_call(
            target=target,
            learners=learners,
            metric=metric,
            cv=asked,
            repeats=repeats,
            tune=tune,
            task=task,
            time_budget=time_budget,
            max_rows=max_rows,
            loss=loss,
            margin=margin,
            drop=drop,
            keep=keep,
            groups=groups,
            weight=weight,
            time=time,
            random_state=random_state,
        ),
        seconds=monotonic() - begun,
        loss=costs,
        margin=margin,
        interrupted=race.interrupted,
        roles=roles,
        _splitting=Splitting.of(cv, total // repeats, repeats),
    )
    found.notices[:0] = leak_notices(found, scorer, every_fold, roles.keep)  # first: they put all else in question
    return found


def _by_time(cv: Any, repeats: int) -> Any:
    """A number of folds as so many tests of later rows; a splitter decides by itself."""
    if repeats != 1:
        raise ParameterError(f"repeats={repeats} and time were given together. There is one order of time. Give one.")
    return TimeSeriesSplit(cv) if cv in Whole(2) else cv


def _fold_keys(cv: Any, repeats: int, every_fold: Callable[[], Iterator[Fold]]) -> list[tuple[int, int]]:
    """Repeat and number of each fold; only a splitter has to be asked."""
    if cv in Whole():
        return [(repeat, number) for repeat in range(repeats) for number in range(int(cv))]
    return [(fold.repeat, fold.number) for fold in every_fold()]


def _jobs(n_jobs: int | None) -> int:
    return threads() if n_jobs is None or n_jobs == -1 else n_jobs


def _pool(n_jobs: int | None, cluster: Any) -> Pool | ClusterPool:
    return Pool() if cluster is None else ClusterPool(cluster, None if n_jobs == -1 else n_jobs)


def _early_workers(learners: Any, jobs: int) -> int:
    """How many workers are sure to be needed; what is not learnt's own, or not known yet, starts its own later."""
    if isinstance(learners, str):
        learners = learners.split(",")
    if learners is not None and not isinstance(learners, list | tuple):
        return 0
    ours = [one for one in learners or () if isinstance(one, str) or type(one).__module__.startswith("learnt.")]
    return jobs if learners is None else min(jobs, len(ours))


def journal_about(
    problem: Problem, cv: Any, repeats: int, random_state: int, rows: int | None = None
) -> dict[str, str]:
    """What finished folds depend on, besides the learner; `rows` are those of a sample."""
    folds = str(cv) if cv in Whole() else settings_key(cv)
    about = {"data": data_key(problem), "cv": folds, "repeats": str(repeats), "random_state": str(random_state)}
    return about if rows == problem.n_rows else about | {"rows": str(rows)}


def _journal(
    path: str | os.PathLike[str], problem: Problem, cv: Any, repeats: int, random_state: int, rows: int
) -> Journal:
    return Journal(path, journal_about(problem, cv, repeats, random_state, rows))


def _call(**settings: Any) -> str:
    """The call in Python, as far as its settings can be written down."""
    defaults = {p.name: p.default for p in inspect.signature(compare).parameters.values()}
    changed = [
        f"{name}={_value_words(value)}"
        for name, value in settings.items()
        if value is not None and not (type(value) is type(defaults[name]) and value == defaults[name])
    ]
    return f"learnt.compare({', '.join(['table', *changed])})"


def _value_words(value: Any) -> str:
    return shorten_text(" ".join(repr(value).split()), 200)
