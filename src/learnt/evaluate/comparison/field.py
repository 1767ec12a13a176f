"""The learners that are compared unless others are named: a screenful, the strongest of each family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from learnt.evaluate.comparison.understanding import text_column
from learnt.learner.registry import FAMILIES, Entry, entry_of, own_learners
from learnt.learner.registry import learners as registered

if TYPE_CHECKING:
    from learnt.evaluate.comparison.outcome import Outcome
    from learnt.evaluate.problem import Problem

#: Of each family the strongest, one that people read, and the baseline. The others teach, or do what one of these does
#: for a special case; `learners="all"` takes them all. The votes are of learners that stand here too, and cost nothing.
FIELD = {
    "classification": (
        "MajorityClassifier",
        "NaiveBayesClassifier",
        "DiscriminantClassifier",
        "LogisticRegression",
        "OrdinalRegression",
        "KNeighborsClassifier",
        "SVC",
        "MLPClassifier",
        "DecisionTreeClassifier",
        "C45Classifier",
        "ExtraTreesClassifier",
        "RandomForestClassifier",
        "GradientBoostingClassifier",
        "VotingClassifier",
        "MultinomialNB",
        "TextClassifier",
    ),
    "regression": (
        "MeanRegressor",
        "LinearRegression",
        "Ridge",
        "Lasso",
        "KNeighborsRegressor",
        "SVR",
        "MLPRegressor",
        "DecisionTreeRegressor",
        "ExtraTreesRegressor",
        "RandomForestRegressor",
        "GradientBoostingRegressor",
        "VotingRegressor",
    ),
}
ALL = "all"

#: How learners are set where a name stands for them. Their own defaults are those of scikit-learn, a penalty of 1 in
#: whatever units the columns have: that compares the units, not the learners.
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "LogisticRegression": {"standardize": True},
    "Ridge": {"alpha": "loo", "standardize": True},
    "Lasso": {"alpha": "cv", "rule": "min", "standardize": True},
    "ElasticNet": {"alpha": "cv", "rule": "min", "standardize": True},
}
#: SVC and SVR compute kernels of most pairs of rows: a fit takes so many seconds of one core for each pair and column
#: (benchmarks/machines_growth.py; the exponential counts as twenty columns). One that takes longer is not asked.
MACHINES = ("SVC", "SVR")
SECONDS_A_PAIR_AND_COLUMN = 8e-11
MOST_KERNEL_SECONDS = 1.5
#: Nets go over the rows sixty times: so many seconds of one core for each row, input and epoch (a hidden layer of 128;
#: what a row costs besides counts as 32 inputs).
NETS = ("MLPClassifier", "MLPRegressor")
SECONDS_A_ROW_AND_INPUT = 60 * 2e-8
MOST_NET_SECONDS = 5.0
#: Ridge decomposes a matrix of rows or columns, whichever are fewer, to choose its penalty; more than these it cannot.
MOST_DECOMPOSED = 5000


def field_of(problem: Problem) -> list[Entry]:
    """The learners for this problem, those left out that only special tables are for; and those the user defined."""
    task = "regression" if problem.task == "regression" else "classification"
    found = (entry_of(name) for name in FIELD[task] if _is_for(name, problem))
    return [*(entry for entry in found if entry is not None), *own_learners(task)]


def _is_for(name: str, problem: Problem) -> bool:
    if name == "OrdinalRegression":  # an order of the classes must have been said
        return problem.declared is not None and problem.declared.kind == "ordinal"
    if name == "MultinomialNB":
        return problem.table.sparse is not None
    if name in MACHINES:
        return problem.table.sparse is None
    return name != "TextClassifier" or text_column(problem.table) is not None


def too_slow(name: str, problem: Problem) -> str:
    """Why a learner is not asked unless it is named: its cost grows with the square of the rows, or it goes over them
    many times."""
    if name in MACHINES:
        seconds = SECONDS_A_PAIR_AND_COLUMN * float(problem.n_rows) ** 2 * (_matrix_columns(problem) + 20)
        most, because = MOST_KERNEL_SECONDS, "it compares all pairs of rows"
    elif name in NETS:
        seconds = SECONDS_A_ROW_AND_INPUT * float(problem.n_rows) * (_matrix_columns(problem) + 32)
        most, because = MOST_NET_SECONDS, "it goes over the rows some sixty times"
    else:
        return ""
    if seconds <= most:
        return ""
    return f"{because}, and a fit to {problem.n_rows:,} would take about {seconds:,.0f} s of a core; name it to have it"


def set_for(cls: type, problem: Problem) -> Any:
    """A learner that is called by its name: set as above, or the class where its defaults will do."""
    settings = SETTINGS.get(cls.__name__)
    if settings is None or not cls.__module__.startswith("learnt."):
        return cls
    if "alpha" not in settings and not _has_units(problem):
        return cls
    if settings.get("alpha") == "loo" and min(problem.n_rows, _matrix_columns(problem)) > MOST_DECOMPOSED:
        settings = {"standardize": True}
    return cls(**settings)


def _has_units(problem: Problem) -> bool:
    """Whether columns may be measured in different units; those of a sparse matrix are counts of the same kind."""
    table = problem.table
    return table.sparse is None and any(c.kind in ("numeric", "ordinal") for c in table.columns)


def _matrix_columns(problem: Problem) -> int:
    """How many columns of numbers the table becomes, an indicator for each category."""
    table = problem.table
    if table.sparse is not None:
        return int(table.n_columns)
    return sum(len(c.categories) if c.kind in ("nominal", "boolean") else 1 for c in table.columns)


def family(name: str, problem: Problem) -> list[Entry] | None:
    """The learners of a family such as "tree" or "linear", all of the task for "all"; None for any other word."""
    if name != ALL and f"learnt.{name}" not in FAMILIES:
        return None
    task = "regression" if problem.task == "regression" else "classification"
    entries = registered(task, own=True)
    if name == ALL:
        return entries
    return [entry for entry in entries if _room(entry) == name or "baseline" in entry.abilities]


def _room(entry: Entry) -> str:
    """The family a learner stands in, "tree" of learnt.tree.cart; a learner of the user's own stands in none."""
    package, _, rest = entry.cls.__module__.partition(".")
    return rest.split(".")[0] if package == "learnt" else ""


def is_strong(outcome: Outcome) -> bool:
    """Whether a learner is one to recommend: of the field, or brought along by the user."""
    learner: Any = getattr(outcome.learner, "learner", outcome.learner)  # inside a search of its settings
    cls = type(learner)
    if not cls.__module__.startswith("learnt."):
        return True
    return any(cls.__name__ in names for names in FIELD.values())
