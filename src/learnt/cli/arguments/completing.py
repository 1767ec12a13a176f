"""What the shell is offered when Tab is pressed: learners, columns, settings. Nothing here may fail or be slow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer import Context


def learner_names(incomplete: str) -> list[str]:
    from learnt.learner.registry import learners

    return [entry.name for entry in learners() if entry.name.lower().startswith(incomplete.lower())]


def several_learner_names(incomplete: str) -> list[str]:
    """For names separated by commas: the last one is completed."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in learner_names(last)]


def tasks_and_learners(incomplete: str) -> list[str]:
    from learnt.learner.registry import TASKS

    return [task for task in TASKS if task.startswith(incomplete)] + learner_names(incomplete)


def dataset_names(incomplete: str) -> list[str]:
    from learnt import datasets

    return [name for name in datasets.names() if name.startswith(incomplete)]


def setting_names(context: Context, incomplete: str) -> list[str]:
    from learnt.learner.registry import find

    cls: Any = find(str(context.params.get("learner")))
    known = [] if cls is None else list(cls._defaults())
    return [f"{name}=" for name in known if name.startswith(incomplete)]


def cluster_method_names(incomplete: str) -> list[str]:
    from learnt.cli.arguments.methods import cluster_methods

    return [name for name in sorted(cluster_methods()) if name.startswith(incomplete.lower())]


def reduce_method_names(incomplete: str) -> list[str]:
    from learnt.cli.arguments.methods import reduce_methods

    return [name for name in sorted(reduce_methods()) if name.startswith(incomplete.lower())]


def method_setting_names(context: Context, incomplete: str) -> list[str]:
    """Of the method already typed, or of the one that is taken without."""
    from learnt.cli.arguments.methods import cluster_methods, reduce_methods
    from learnt.learner.registry import find

    unless_given = {"reduce": "pca", "recommend": "MatrixFactorization"}.get(context.info_name or "", "kmeans")
    method = str(context.params.get("method") or unless_given).lower()
    known = {**reduce_methods(), **cluster_methods(), "matrixfactorization": "MatrixFactorization"}
    names = {**{name.lower(): name for name in known.values()}, **known}
    cls: Any = find(names.get(method, ""))
    return [] if cls is None else [f"{name}=" for name in cls._defaults() if name.startswith(incomplete)]


def column_names(context: Context, incomplete: str) -> list[str]:
    """The columns of the file already typed; of a table that is text only its first line is read."""
    # Behind an option whose value is not there yet, arguments have not been given their names.
    file = context.params.get("file") or next(iter(context.args), "")
    return [name for name in _columns(str(file)) if name.startswith(incomplete)]


def kind_pairs(context: Context, incomplete: str) -> list[str]:
    """`zip=` for a column, then `zip=nominal`."""
    from learnt.cli.arguments.reading import KIND_NAMES

    column, sign, begun = incomplete.rpartition("=")
    if sign:
        return [f"{column}={kind}" for kind in KIND_NAMES if kind.startswith(begun)]
    return ordinal_columns(context, incomplete)


def ordinal_columns(context: Context, incomplete: str) -> list[str]:
    return [f"{name}=" for name in column_names(context, incomplete)]


def date_orders(incomplete: str) -> list[str]:
    from learnt.cli.arguments.reading import DATE_ORDERS

    return [order for order in DATE_ORDERS if order.startswith(incomplete)]


def sheet_names(context: Context, incomplete: str) -> list[str]:
    """The sheets of the workbook, or the tables of the database, already typed."""
    from learnt.data.files.formats import table_names
    from learnt.errors import LearntError

    file = str(context.params.get("file") or next(iter(context.args), ""))
    try:
        names = table_names(file)
    except LearntError:
        return []
    return [name for name in names if name.lower().startswith(incomplete.lower()) and name.isprintable()]


def _columns(file: str) -> Iterator[str]:
    from learnt.cli.arguments.inputs import DATASET, STANDARD_INPUT
    from learnt.errors import LearntError

    if file == STANDARD_INPUT:
        return
    try:
        if file.startswith(DATASET):
            from learnt import datasets

            names = datasets.load(file.removeprefix(DATASET)).names
        else:
            from learnt.data.files.scan import scan

            names = scan(file).column_names
    except LearntError:
        return
    yield from (name for name in names if name.isprintable() and ":" not in name)
