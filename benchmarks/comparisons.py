"""All learners on five bundled tables, as they are and with a tenth of their cells taken away.

python comparisons.py
python comparisons.py iris cpu

Prints the mean score of every learner, ten folds each; a star marks those not significantly different
from the best of their column.
"""

from __future__ import annotations

import sys

import numpy as np

import learnt
from learnt.data.column import Column

TABLES = ("breast_cancer", "glass", "iris", "labor", "vote")


def with_gaps(table: learnt.Table, share: float = 0.1) -> learnt.Table:
    """The table with that share of its cells missing, drawn with a fixed seed; the target stays whole."""
    rng = np.random.default_rng(0)
    columns = []
    for column in table.columns:
        values = column.values
        if column.name != table.target:
            gaps = rng.random(len(values)) < share
            nothing = -1 if column.categories else np.nan
            values = np.where(gaps, nothing, values).astype(values.dtype)
        columns.append(Column(column.name, column.kind, values, column.categories))
    return learnt.Table.of_columns(columns, target=table.target)


def main(names: list[str]) -> None:
    found: dict[str, dict[str, str]] = {}
    titles = []
    for name in names:
        table = learnt.datasets.load(name)
        for title, part in ((name, table), (f"{name}, gaps", with_gaps(table))):
            titles.append(title)
            comparison = learnt.compare(part)
            tied = comparison.ties.with_best
            for outcome in comparison.outcomes:
                mean, star = outcome.mean(comparison.metric.name), "*" if outcome.name in tied else ""
                done = outcome.status == "done"
                found.setdefault(outcome.name, {})[title] = f"{mean:.3f}{star}" if done else outcome.status
            print(f"{title}: {comparison.seconds:.1f} s", file=sys.stderr)
    print("| learner | " + " | ".join(titles) + " |")
    print("|---" * (len(titles) + 1) + "|")
    for learner, scores in sorted(found.items()):
        print(f"| {learner} | " + " | ".join(scores.get(title, "–") for title in titles) + " |")


if __name__ == "__main__":
    main(sys.argv[1:] or list(TABLES))
