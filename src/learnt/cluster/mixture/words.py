"""Components in words: how large they are, where they lie, and what is typical of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.data.value_text import spread_text, value_text
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import label, printable, short_name

if TYPE_CHECKING:
    from learnt.cluster.mixture.gaussian_mixture import GaussianMixture
    from learnt.cluster.mixture.mixture_model import MixtureModel

#: Columns a table of means shows at most.
MOST_COLUMNS = 6
#: A column says this little about a class (in nats) when it is not worth a word.
NOT_WORTH = 0.01


def headline(model: GaussianMixture | MixtureModel, one: str, more: str) -> str:
    k = len(model.weights_)
    ended = "" if model.converged_ else ", not converged"
    rounds = "1 round" if model.n_iter_ == 1 else f"{model.n_iter_} rounds"
    return f"{k} {one if k == 1 else more}, {rounds}{ended}"


def gaussian_text(model: GaussianMixture) -> str:
    """A line for the whole, then one per component: its share, and mean ± standard deviation of the first columns."""
    names = [short_name(name, 16) for name in model._schema.names]
    forms = [column.form for column in model._schema]
    shown = range(min(len(names), MOST_COLUMNS))
    means, spread = model.means_, np.sqrt(_variances(model))
    rows = [["component", "share", *(names[j] for j in shown)]]
    sizes = np.abs(means).max(axis=0) + spread.max(axis=0)
    for c, share in enumerate(model.weights_):
        cells = [
            f"{value_text(forms[j], means[c, j], sizes[j])} ± {spread_text(forms[j], spread[c, j], sizes[j])}"
            for j in shown
        ]
        rows.append([str(c), percent(share, 1), *cells])
    more = "" if len(names) <= MOST_COLUMNS else f"\n… and {len(names) - MOST_COLUMNS} more columns"
    first = f"GaussianMixture: {headline(model, 'component', 'components')}"
    return f"{first}, log-likelihood a row {number(model.lower_bound_)}\n{aligned(rows)}{more}"


def _variances(model: GaussianMixture) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Components × columns, whatever the covariance_type."""
    given, (k, p) = model.covariances_, model.means_.shape
    if model.covariance_type in ("full", "tied"):
        given = np.diagonal(given, axis1=-2, axis2=-1)
    elif model.covariance_type == "spherical":
        given = given[:, None]
    return np.array(np.broadcast_to(given, (k, p)))


def class_summary(model: MixtureModel, most: int) -> str:
    lines = [f"MixtureModel: {headline(model, 'class', 'classes')}, objective a row {number(model.lower_bound_)}"]
    traits = _traits(model)
    for c, share in enumerate(model.weights_):
        told = sorted(traits[c], key=lambda t: -t[0])[:most]
        words = [text for gain, text in told if gain > NOT_WORTH]
        lines.append(f"class {c}, {percent(share, 1)} of the rows: {'; '.join(words) or 'much like the whole table'}")
    return "\n".join(lines)


def _traits(model: MixtureModel) -> list[list[tuple[float, str]]]:
    """For each class and column, how far its distribution is from that of all classes together, and in words."""
    share = model.weights_
    found: list[list[tuple[float, str]]] = [[] for _ in share]
    means, view = model.means_, model._view
    for j, name in enumerate(model.number_names_):
        if view.constant[j]:
            continue
        # In the units of the model, where squares are numbers; only what is told is in those of the column.
        z, variance = model._components.mean[:, j], model._components.variance[:, j]
        form, middle = model._schema[name].form, float(share @ z)
        total = float(share @ (variance + (z - middle) ** 2))
        mean, center = means[:, j], float(share @ means[:, j])
        spreads, whole_spread = np.sqrt(variance) / view.scale[j], float(np.sqrt(total) / view.scale[j])
        for c in range(len(share)):
            gain = 0.5 * float(np.log(total / variance[c]) + (variance[c] + (z[c] - middle) ** 2) / total - 1)
            size = abs(center) + whole_spread
            here = f"{value_text(form, mean[c], size)} ± {spread_text(form, float(spreads[c]), size)}"
            all_rows = f"{value_text(form, center, size)} ± {spread_text(form, whole_spread)}"
            found[c].append((gain, f"{printable(name)} {here} (all: {all_rows})"))
    for name, p in model.probabilities_.items():
        if p.shape[1] == 0:
            continue
        whole = share @ p
        labels = model._schema.columns[model._schema.names.index(name)].categories
        for c in range(len(share)):
            seen = p[c] > 0
            gains = np.zeros(len(whole))
            gains[seen] = p[c, seen] * np.log(p[c, seen] / whole[seen])
            best = int(gains.argmax())
            text = f"{printable(name)} {label(labels[best])} {percent(p[c, best], 0)} (all: {percent(whole[best], 0)})"
            found[c].append((float(gains.sum()), text))
    return found
