"""How far two labels are apart by what they say about the target."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import SavedModelError
from learnt.statistics.counts import weigh_pairs

#: A square of more labels would take more than 32 MB; such a column stays with 0 and 1.
MOST_LABELS = 2000


def value_tables(table: Table, target: Array, n_classes: int, weights: Array | None) -> dict[str, Array]:
    """For each nominal and boolean column the distances of its labels, from 0 to 1.

        classes   ½ Σ_c |p(c | a) − p(c | b)|
        numbers   |mean(a) − mean(b)| / (largest mean − smallest mean)

    A label without rows says nothing and is at 1 from the others. (Stanfill and Waltz, 1986.)
    """
    found = {}
    for column in table.columns:
        k = len(column.categories)
        if column.kind not in ("nominal", "boolean") or not 0 < k <= MOST_LABELS:
            continue
        there = ~column.missing
        codes, y = column.values[there], target[there]
        w = None if weights is None else weights[there]
        seen = np.bincount(codes, weights=w, minlength=k)
        if n_classes:
            votes = weigh_pairs(codes, k, y, n_classes, w)
            shares = votes / np.where(seen > 0, seen, 1)[:, None]
            away = np.zeros((k, k))
            for share in shares.T:
                away += np.abs(share[:, None] - share[None, :]) / 2
        else:
            middle = np.bincount(codes, weights=y if w is None else w * y, minlength=k) / np.where(seen > 0, seen, 1)
            known = middle[seen > 0]
            widest = float(known.max() - known.min()) if len(known) else 0.0
            away = np.abs(middle[:, None] - middle[None, :]) / (widest or 1.0)
        unseen = seen == 0
        away[unseen, :] = away[:, unseen] = 1.0
        np.fill_diagonal(away, 0.0)
        found[column.name] = np.minimum(away, 1.0)
    return found


def check_value_tables(tables: dict[str, Array] | None, table: Table) -> None:
    for name, away in (tables or {}).items():
        k = len(table[name].categories) if name in table else -1
        if away.shape != (k, k) or away.dtype != np.float64 or not np.all((away >= 0) & (away <= 1)):
            raise SavedModelError(f"The distances of labels of column {name[:80]!r} do not fit it.")
