"""L-BFGS: all rows at each step, for small tables and for exact optima."""

from __future__ import annotations

import math

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.neural.descent import ran_away
from learnt.neural.given_loss import GivenLoss
from learnt.neural.inputs import FARTHEST, NetInputs
from learnt.neural.net import Net, NetRows
from learnt.watch import report, watching

#: Slopes up to this share of the loss are rounding.
AT_REST = 1e-6
#: Weight decay that alone may make a loss infinite.
LARGE_DECAY = 1e30


def minimise(
    net: Net,
    inputs: NetInputs,
    rows: NetRows,
    targets: Array,
    weights: Array | None,
    *,
    alpha: float,
    steps: int,
    tol: float,
    owner: str,
    given: GivenLoss | None = None,
) -> tuple[Net, Array, bool]:
    """The net of least mean loss + α/2 |w|² that L-BFGS finds, the losses step by step, and whether it came to rest."""
    from scipy.optimize import minimize

    _check_reach(inputs, rows, owner)
    net = net.in_double()
    decays = alpha * net.is_weight()
    total = float(len(rows) if weights is None else weights.sum())
    losses: list[float] = []

    def value_and_gradient(parameters: Array) -> tuple[float, Array]:
        net.parameters[:] = parameters
        loss, gradient = net.gradient(inputs, rows, targets, weights, given)
        value = loss / total + 0.5 * float(decays @ parameters**2)
        return value, gradient / total + decays * parameters

    first = net.parameters.copy()
    start, slope = value_and_gradient(first)
    with np.errstate(over="ignore"):
        size = float(slope @ slope)
    if not (math.isfinite(start) and math.isfinite(size)):
        loss = start if math.isinf(start) else math.nan
        changes = [] if alpha < LARGE_DECAY else ["a smaller alpha"]
        raise InputError(ran_away(owner, "at the first weights", loss, changes, inputs, given))
    wall = start + abs(start) + 1

    def objective(parameters: Array) -> tuple[float, Array]:
        """Where there is no finite loss, a wall: the search along a line turns back before it."""
        value, gradient = value_and_gradient(parameters)
        if math.isfinite(value) and np.isfinite(gradient).all():
            return value, gradient
        return wall, np.zeros_like(gradient)

    def note(intermediate_result: object) -> None:
        losses.append(float(intermediate_result.fun))  # type: ignore[attr-defined]
        if watching():
            report("descent", learner=owner, iteration=len(losses), total=steps, objective=losses[-1])

    found = minimize(
        objective, first, jac=True, method="L-BFGS-B", callback=note,
        options={"maxiter": steps, "maxfun": 20 * steps + 20, "gtol": tol, "ftol": 1e-15, "maxcor": 20},
    )  # fmt: skip
    # A search that finds no better point has come as near as numbers allow, if the slope is gone.
    rests = found.status == 0 or bool(np.abs(found.jac).max(initial=0) <= AT_REST * max(1.0, abs(float(found.fun))))
    return net.copy(parameters=np.array(found.x), epochs=net.epochs + int(found.nit)), np.array(losses), rests


def _check_reach(inputs: NetInputs, rows: NetRows, owner: str) -> None:
    """Cells beyond `FARTHEST` are all one to a net, which must not learn from them as if they were."""
    cells = rows.x.data if rows.is_sparse else rows.x
    if not cells.size or not np.all(inputs.scale == 1):
        return
    size = max(abs(float(np.fmax.reduce(cells, axis=None))), abs(float(np.fmin.reduce(cells, axis=None))))
    if size > FARTHEST:
        raise InputError(
            f"{owner}: cells are as large as {size:.3g}, and a net takes none beyond {FARTHEST:g} as it is. Choose "
            'standardize="robust".'
        )
