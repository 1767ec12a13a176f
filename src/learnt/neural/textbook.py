"""A net in NumPy, as textbooks write it: sums, activations, deltas and gradients of every layer, to be looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.neural.inputs import NetInputs
from learnt.neural.losses import LossFunction, row_losses, score_deltas, sigmoid
from learnt.neural.net import Net, NetRows
from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import count_of


def net_inputs(inputs: NetInputs, net: Net, rows: NetRows) -> Array:
    """What the first layer sees of rows, in double precision: scaled numbers, then vectors of categories."""
    z = np.zeros((len(rows), net.n_inputs))
    z[:, : net.dense] = inputs.scaled(rows.x)
    at = net.embedded_from
    for e, table in enumerate(net.embeddings()):
        codes = rows.codes[:, e]
        known = (codes >= 0) & (codes < len(table))
        z[known, at : at + table.shape[1]] = table[codes[known]]
        at += table.shape[1]
    return z


def activate(kind: str, sums: Array) -> tuple[Array, Array]:
    """h(z) and h′(z)."""
    if kind == "relu":
        return np.maximum(sums, 0), (sums > 0).astype(np.float64)
    if kind == "tanh":
        a = np.tanh(sums)
        return a, 1 - a**2
    if kind == "sigmoid":
        a = sigmoid(sums)
        return a, a * (1 - a)
    if kind == "gelu":
        c, d = np.sqrt(2 / np.pi), 0.044715
        near = np.clip(sums, -30, 30)  # t is ±1 long before, and powers of larger sums may overflow
        t = np.tanh(c * (near + d * near**3))
        return 0.5 * sums * (1 + t), 0.5 * (1 + t) + 0.5 * near * (1 - t**2) * c * (1 + 3 * d * near**2)
    return sums, np.ones_like(sums)


@dataclass(frozen=True, eq=False)
class Forward:
    """Sums and activations layer by layer, the inputs first; slopes h′ of the hidden layers."""

    layers: list[tuple[Array, Array]]
    sums: list[Array]
    activations: list[Array]
    slopes: list[Array]

    @classmethod
    def of(cls, net: Net, z: Array) -> Forward:
        layers = [(w.astype(np.float64), b.astype(np.float64)) for w, b in net.plain().layer_views()]
        sums: list[Array] = []
        activations, slopes = [z], []
        for l, (weights, biases) in enumerate(layers):
            sums.append(activations[-1] @ weights + biases)
            if l < len(layers) - 1:
                a, slope = activate(net.activation, sums[-1])
                activations.append(a)
                slopes.append(slope)
        return cls(layers, sums, activations, slopes)

    @property
    def scores(self) -> Array:
        return self.sums[-1]

    def deltas(self, of_scores: Array) -> list[Array]:
        """∂/∂ sums of each layer, from that of the scores back, and ∂/∂ inputs in front."""
        found = [of_scores]
        for l in range(len(self.layers) - 1, -1, -1):
            back = found[0] @ self.layers[l][0].T
            found.insert(0, back * self.slopes[l - 1] if l > 0 else back)
        return found


@dataclass(frozen=True, eq=False)
class NetTrace:
    """One step of backpropagation, in double precision, without dropout and weight decay.

    | attribute | of each layer, from the first hidden one to the scores |
    |---|---|
    | `sums` | b + a W, rows × units |
    | `activations` | h(sums); the inputs come first, as `activations[0]` |
    | `deltas` | ∂ loss / ∂ sums, of each row's own loss |
    | `weight_gradients`, `bias_gradients` | of the mean loss: aᵀ δ / n, and the mean of δ |

    `losses` has the loss of each row.
    """

    losses: Array
    sums: list[Array]
    activations: list[Array]
    deltas: list[Array]
    weight_gradients: list[Array]
    bias_gradients: list[Array]

    def __str__(self) -> str:
        lines = [f"mean loss {number(float(self.losses.mean()))} of {count_of(len(self.losses), 'row')}"]
        last = len(self.sums) - 1
        for l, (sums, deltas) in enumerate(zip(self.sums, self.deltas, strict=True)):
            name = "scores" if l == last else f"hidden layer {l + 1}"
            lines.append(f"{name}, {count_of(sums.shape[1], 'unit')}; row 0:")
            shown = min(sums.shape[1], 8)
            rows: list[tuple[str, ...]] = [("unit", "sum", "activation", "delta", "gradient of bias")]
            outputs = sums if l == last else self.activations[l + 1]
            for u in range(shown):
                values = (sums[0, u], outputs[0, u], deltas[0, u], self.bias_gradients[l][u])
                rows.append((str(u), *(number(float(v)) for v in values)))
            lines += ["  " + line for line in aligned_lines(rows, left=())]
            if shown < sums.shape[1]:
                lines.append(f"  … and {sums.shape[1] - shown} more")
        return "\n".join(lines)

    __repr__ = __str__


def trace_step(
    inputs: NetInputs, net: Net, rows: NetRows, targets: Array, given: LossFunction | None = None
) -> NetTrace:
    """Forward and back, once."""
    loss = given or net.loss
    run = Forward.of(net, net_inputs(inputs, net, rows))
    deltas = run.deltas(score_deltas(loss, run.scores, targets))[1:]
    n = len(rows)
    return NetTrace(
        row_losses(loss, run.scores, targets),
        run.sums,
        run.activations,
        deltas,
        [a.T @ d / n for a, d in zip(run.activations, deltas, strict=True)],
        [d.mean(axis=0) for d in deltas],
    )
