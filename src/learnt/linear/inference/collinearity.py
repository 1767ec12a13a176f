"""How much the columns say the same, and what that costs the errors of their coefficients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.linear.inference.footing import Footing
from learnt.linear.inference.printed import Grid, Printed, list_names
from learnt.show.numbers import figure, number

#: The usual rules of thumb: a variance ten times as large, and Belsley's condition number of 30.
HIGH_VIF = 10.0
HIGH_CONDITION = 30.0


@dataclass(frozen=True, eq=False, repr=False)
class Collinearity(Printed):
    """Variance inflation of each column of the table, and the condition number of the standardised design.

    | field | meaning |
    |---|---|
    | `columns`, `freedom` | columns of the table, and how many coefficients each has |
    | `vif` | how many times larger the variance of a coefficient is than if its column were unrelated to the others; \
of several coefficients the generalised one, to the power 1/freedom; infinite where it is not determined |
    | `condition` | largest over smallest singular value of the standardised columns; infinite if they are collinear |
    | `tied` | groups of coefficients that are collinear with each other |
    | `constant` | coefficients of columns that do not vary |

    Reference: J. Fox, G. Monette, Generalized collinearity diagnostics, JASA 87, 1992; D. A. Belsley, E. Kuh,
    R. E. Welsch, Regression Diagnostics, 1980.
    """

    columns: tuple[str, ...]
    freedom: tuple[int, ...]
    vif: Array
    condition: float
    tied: tuple[tuple[str, ...], ...]
    constant: tuple[str, ...]

    @property
    def words(self) -> str:
        """What it comes to."""
        said = []
        if self.constant:
            said.append(
                f"{list_names(list(self.constant))} {_do(self.constant, 'does', 'do')} not vary, which says nothing."
            )
        said += [
            f"{list_names(list(group))} are collinear: each follows from the others, so that only their sum of effects "
            "is determined. Leave one out."
            for group in self.tied
        ]
        high = [name for name, v in zip(self.columns, self.vif, strict=True) if HIGH_VIF < v < math.inf]
        if high:
            said.append(
                f"{list_names(high)} {_do(high, 'says', 'say')} much that other columns say too: the errors of such "
                "coefficients are large, and which of them gets the effect is a matter of chance. Predictions for rows "
                "like the fitted ones do not suffer."
            )
        elif HIGH_CONDITION < self.condition < math.inf:
            said.append(
                f"The condition number exceeds {number(HIGH_CONDITION)}: some combination of columns hardly varies."
            )
        return " ".join(said) or "The columns tell each other's effects apart well."

    def _parts(self) -> list[str | Grid]:
        rows = [
            [name, str(q), figure(v)] for name, q, v in zip(self.columns, self.freedom, self.vif.tolist(), strict=True)
        ]
        title = f"Collinearity of {len(self.columns)} columns: condition number {figure(self.condition)}"
        return [title, Grid(["column", "coefficients", "variance inflation"], rows), self.words]

    def __repr__(self) -> str:
        return f"<Collinearity: condition number {figure(self.condition)}>"


def collinearity_of(footing: Footing, design: Design) -> Collinearity:
    """Everything follows from the inverse of the correlations, which the fit has kept.

    VIF_j = (R⁻¹)_jj,   GVIF_J = det R_JJ · det (R⁻¹)_JJ
    """
    assert footing.root is not None
    # Columns of unit norm, in coordinates in which they are root's pseudoinverse.
    unit = np.linalg.pinv(footing.root).T
    known = footing.determined[footing.intercept :]
    vif, freedom, columns = [], [], []
    for j, column in enumerate(design.schema):
        own = np.flatnonzero(design.owner == j)
        if not len(own):
            continue
        columns.append(column.name)
        freedom.append(len(own))
        if not known[own].all():
            vif.append(math.inf)
            continue
        log = sum(float(np.linalg.slogdet(a[own] @ a[own].T)[1]) for a in (unit, footing.root))
        vif.append(math.exp(min(log / len(own), 700.0)))
    values = np.linalg.svd(footing.root, compute_uv=False)
    full = footing.rank == len(known) and footing.rank > 0
    condition = float(values[0] / values[-1]) if full else (math.inf if len(known) else 1.0)
    names = np.array(design.names, dtype=object)
    return Collinearity(
        tuple(columns),
        tuple(freedom),
        np.array(vif),
        condition,
        tuple(tuple(names[group].tolist()) for group in _tied_columns(footing)),
        tuple(names[footing.size == 0].tolist()),
    )


def _tied_columns(footing: Footing) -> list[Array]:
    """Groups of columns that some vanishing combination links."""
    if footing.row_space is None:
        return []
    from scipy.sparse.csgraph import connected_components

    lost = np.flatnonzero((footing.size > 0) & ~footing.determined[footing.intercept :])
    space = footing.row_space[lost]
    off = np.eye(len(lost)) - space @ space.T
    count, group = connected_components(np.abs(off) > 1e-7, directed=False)
    return [lost[group == g] for g in range(count)]


def _do(names: Sequence[str], one: str, more: str) -> str:
    return one if len(names) == 1 else more
