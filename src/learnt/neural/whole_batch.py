"""L-BFGS: all rows at each step, for small tables and for exact optima."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.neural.inputs import NetInputs
from learnt.neural.losses import LossFunction
from learnt.neural.net import Net, NetRows


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
    given: LossFunction | None = None,
) -> tuple[Net, Array, bool]:
    """The net of least mean loss + α/2 |w|² that L-BFGS finds, the losses step by step, and whether it came to rest."""
    from scipy.optimize import minimize

    net = net.in_double()
    decays = alpha * net.is_weight()
    total = float(len(rows) if weights is None else weights.sum())
    losses: list[float] = []

    def objective(parameters: Array) -> tuple[float, Array]:
        net.parameters[:] = parameters
        loss, gradient = net.gradient(inputs, rows, targets, weights, given)
        value = loss / total + 0.5 * float(decays @ parameters**2)
        return value, gradient / total + decays * parameters

    def note(intermediate_result: object) -> None:
        losses.append(float(intermediate_result.fun))  # type: ignore[attr-defined]

    found = minimize(
        objective, net.parameters.copy(), jac=True, method="L-BFGS-B", callback=note,
        options={"maxiter": steps, "maxfun": 20 * steps + 20, "gtol": tol, "ftol": 1e-15, "maxcor": 20},
    )  # fmt: skip
    return (
        net.copy(parameters=np.array(found.x), epochs=net.epochs + int(found.nit)),
        np.array(losses),
        bool(found.nit < steps),
    )
