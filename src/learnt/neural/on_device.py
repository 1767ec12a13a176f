"""The steps of a net on a graphics card, by PyTorch: formulas of core/neural/update.hpp, gradients by autograd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import MissingPackageError, ParameterError
from learnt.neural.inputs import NetInputs
from learnt.neural.net import VARIANCE_FLOOR, Net, NetRows

#: The share of a batch in running means and variances, as in core/neural/normalise.hpp.
RUNNING_SHARE = 0.1


def check_device(device: str, owner: str) -> None:
    """Raise, with words on what to do, if there is no such device."""
    if device == "cpu":
        return
    try:
        import torch
    except ImportError as error:
        raise MissingPackageError(
            f"{owner}: device={device!r} takes PyTorch, which is not installed. Install it: pip install "
            "'learnt[torch]', or set device='cpu'."
        ) from error
    if not torch.cuda.is_available():
        raise ParameterError(
            f"{owner}: device={device!r} is not there: PyTorch {torch.__version__} finds no graphics card it can use. "
            "Choose device='cpu', which needs no PyTorch, or install a PyTorch for this card and its driver."
        )


@dataclass(frozen=True, eq=False)
class Parts:
    """A vector of parameters, or of what steps remember of them, as tensors; `decays` says which of them weight decay
    applies to."""

    weights: list[Any]
    biases: list[Any]
    tables: list[Any]
    norms: list[Any]  # γ and β of each layer by turns

    @classmethod
    def of(cls, net: Net, values: Array, device: str) -> Parts:
        import torch

        def tensor(array: Array) -> Any:
            return torch.tensor(np.ascontiguousarray(array), device=device)

        layers = list(net.layer_views(values))
        norms = [
            part[:units] for units, own in zip(net.units, net.normalisations(values), strict=False) for part in own[:2]
        ]
        return cls(
            [tensor(w) for w, _ in layers],
            [tensor(b) for _, b in layers],
            [tensor(table) for table in net.embeddings(values)],
            [tensor(part) for part in norms],
        )

    def all(self) -> list[tuple[Any, bool]]:
        """Each with whether it decays."""
        return [(t, True) for t in (*self.weights, *self.tables)] + [(t, False) for t in (*self.biases, *self.norms)]

    def write(self, net: Net, values: Array) -> None:
        target = net.copy(parameters=values)  # views of `values`
        for l, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            target.put_layer(l, weights.detach().cpu().numpy(), biases.detach().cpu().numpy())
        for table, tensor in zip(target.embeddings(), self.tables, strict=True):
            table[...] = tensor.detach().cpu().numpy()
        places = [part for own in target.normalisations() for part in own[:2]]
        for place, tensor in zip(places, self.norms, strict=True):
            place[: len(tensor)] = tensor.detach().cpu().numpy()


def train(
    net: Net, inputs: NetInputs, rows: NetRows, order: Array, targets: Array, weights: Array | None,
    settings: dict[str, Any], rates: Array, device: str,
) -> float:  # fmt: skip
    """What `Net.train` does; dropout draws other units."""
    import torch

    kind = torch.float64 if net.parameters.dtype == np.float64 else torch.float32
    parts, speed, square = (Parts.of(net, values, device) for values in (net.parameters, net.speed, net.square))
    running = [[torch.tensor(v[:u], device=device) for v in own[2:]]
               for u, own in zip(net.units, net.normalisations(), strict=False)]  # fmt: skip
    generator = torch.Generator(device).manual_seed(int(settings["seed"]) % 2**62 + int(settings["first_step"]))
    batch, total = int(settings["batch_size"]), 0.0
    for step, first in enumerate(range(0, len(order), batch)):
        own = order[first : first + batch]
        some = rows.take(own)
        weight = np.ones(len(own)) if weights is None else weights[own]
        x = torch.tensor(inputs.scaled(some.x), dtype=kind, device=device)
        codes = torch.tensor(some.codes.astype(np.int64), device=device)
        y, w = (torch.tensor(np.asarray(v, np.float64), dtype=kind, device=device) for v in (targets[own], weight))
        for tensor, _ in parts.all():
            tensor.requires_grad_(True)
        f = _scores(net, parts, running, x, codes, w, float(settings["dropout"]), generator)
        losses = w * _losses(net, f, y)
        total += float(losses.detach().sum())
        gradients = torch.autograd.grad(
            losses.sum() / len(own), [tensor for tensor, _ in parts.all()], allow_unused=True
        )
        with torch.no_grad():
            _move(parts, speed, square, gradients, settings, float(rates[step]), int(settings["first_step"]) + step + 1)
    parts.write(net, net.parameters)
    speed.write(net, net.speed)
    square.write(net, net.square)
    for units, norm, (mean, variance) in zip(net.units, net.normalisations(), running, strict=False):
        norm[2][:units], norm[3][:units] = mean.cpu().numpy(), variance.cpu().numpy()
    return total


def _scores(net: Net, parts: Parts, running: Any, x: Any, codes: Any, w: Any, dropout: float, generator: Any) -> Any:
    import torch

    if parts.tables:
        gap = torch.zeros(len(x), net.embedded_from - net.dense, dtype=x.dtype, device=x.device)
        known = [((codes[:, e] >= 0) & (codes[:, e] < len(t)))[:, None] for e, t in enumerate(parts.tables)]
        vectors = [
            k * t[codes[:, e].clamp(0, len(t) - 1)] for e, (k, t) in enumerate(zip(known, parts.tables, strict=True))
        ]
        x = torch.cat([x, gap, *vectors], dim=1)
    a, last = x, len(parts.weights) - 1
    for l in range(last):
        sums = a @ parts.weights[l] + parts.biases[l]
        if net.normalised:
            mean, variance = running[l]
            if len(x) > 1:
                share = (w / w.sum())[:, None]
                m = (share * sums).sum(dim=0)
                v = (share * (sums - m) ** 2).sum(dim=0)
                with torch.no_grad():
                    mean += RUNNING_SHARE * (m - mean)
                    variance += RUNNING_SHARE * (v - variance)
            else:
                m, v = mean, variance
            sums = parts.norms[2 * l] * (sums - m) / torch.sqrt(v + VARIANCE_FLOOR) + parts.norms[2 * l + 1]
        a = _activate(net.activation, sums)
        if dropout > 0:
            kept = torch.rand(a.shape, generator=generator, device=a.device, dtype=a.dtype) >= dropout
            a = a * kept / (1 - dropout)
    return a @ parts.weights[last] + parts.biases[last]


def _activate(kind: str, sums: Any) -> Any:
    from torch.nn import functional

    if kind == "identity":
        return sums
    return functional.gelu(sums, approximate="tanh") if kind == "gelu" else getattr(sums, kind)()


def _losses(net: Net, f: Any, y: Any) -> Any:
    import torch
    from torch.nn import functional

    f0, eps = f[:, 0], net.smoothing
    if net.loss == "softmax":
        return functional.cross_entropy(f, y.long(), reduction="none", label_smoothing=eps)
    if net.loss == "logistic":
        return functional.softplus(f0) - ((1 - eps) * y + eps / 2) * f0
    if net.loss == "sigmoid_squared":
        t = y[:, None] if f.shape[1] == 1 else functional.one_hot(y.long(), f.shape[1])
        return 0.5 * ((torch.sigmoid(f) - t) ** 2).sum(dim=1)
    r = f0 - y
    if net.loss == "poisson":
        return torch.exp(f0) - y * f0
    if net.loss == "absolute_error":
        return r.abs()
    if net.loss == "huber":
        return functional.huber_loss(f0, y, reduction="none", delta=net.width)
    return 0.5 * r**2


def _move(parts: Parts, speed: Parts, square: Parts, gradients: Any, s: dict[str, Any], eta: float, step: int) -> None:
    import torch

    for (p, decays), (m, _), (q, _), g in zip(parts.all(), speed.all(), square.all(), gradients, strict=True):
        p.requires_grad_(False)
        alpha = float(s["alpha"]) if decays else 0.0
        g = torch.zeros_like(p) if g is None else g
        if s["optimizer"] == "adamw":
            p *= 1 - eta * alpha
        else:
            g = g + alpha * p
        if s["optimizer"] == "sgd":
            p -= eta * g
        elif s["optimizer"] in ("momentum", "nesterov"):
            m *= s["momentum"]
            m += g
            p -= eta * (m if s["optimizer"] == "momentum" else g + s["momentum"] * m)
        else:
            m += (1 - s["beta1"]) * (g - m)
            q += (1 - s["beta2"]) * (g * g - q)
            sizes = torch.sqrt(q / (1 - s["beta2"] ** step)) + s["epsilon"]
            p -= eta / (1 - s["beta1"] ** step) * m / sizes
