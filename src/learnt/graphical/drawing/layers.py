"""Where the nodes of a directed graph stand: in layers, arrows downwards, few crossings, short ways.

After Sugiyama, Tagawa and Toda (1981): layers by the longest way from above; edges that skip layers get a bend in each;
the order within layers by the means of neighbours, up and down, the best of all sweeps kept; places by moving nodes
towards their neighbours as far as those beside them allow. Nodes without edges stand in a last layer.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from learnt.graphical.network.ancestry import children_of, parents_first

SWEEPS = 24
ROUNDS = 30
BEND = 10.0  # the width that an edge takes where it passes a layer

Item = Hashable  # a node by name, or a bend: (parent, child, layer)


@dataclass(frozen=True)
class Layout:
    """The middle of each node, and the points through which each edge goes from parent to child."""

    places: dict[str, tuple[float, float]]
    ways: dict[tuple[str, str], list[tuple[float, float]]]
    width: float
    height: float


def lay_out(
    parents: Mapping[str, Sequence[str]],
    sizes: Mapping[str, tuple[float, float]],
    gap: float = 24.0,
    below: float = 46.0,
) -> Layout:
    """Of a graph without cycles whose nodes have these widths and heights."""
    layer = _layers(parents)
    rows, above = _with_bends(parents, layer)
    rows = _ordered(rows, above)
    widths = {item: sizes[item][0] if isinstance(item, str) else BEND for row in rows for item in row}
    x = _across(rows, above, widths, gap)
    _centre_last(rows, above, x)
    heights = [max((sizes[i][1] for i in row if isinstance(i, str)), default=0.0) for row in rows]
    y, top = [], 0.0
    for height in heights:
        y.append(top + height / 2)
        top += height + below
    left = min((x[i] - widths[i] / 2 for i in x), default=0.0)
    places = {name: (x[name] - left, y[layer[name]]) for name in parents}
    ways = {
        (p, name): [
            (places[p][0], y[layer[p]] + sizes[p][1] / 2),
            *(
                (x[p, name, k] - left, y[k] + end * heights[k] / 2)
                for k in range(layer[p] + 1, layer[name])
                for end in (-1, 1)
            ),
            (places[name][0], y[layer[name]] - sizes[name][1] / 2),
        ]
        for name in parents
        for p in parents[name]
    }
    width = max((x[i] - left + widths[i] / 2 for i in x), default=0.0)
    return Layout(places, ways, width, max(top - below, 0.0))


def _layers(parents: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The longest way from above; nodes without parents stand right above their first child."""
    order = parents_first(parents)
    found: dict[str, int] = {}
    for name in order:
        found[name] = max((found[p] + 1 for p in parents[name]), default=0)
    children = children_of(parents)
    for name in order:
        if not parents[name] and children[name]:
            found[name] = min(found[c] for c in children[name]) - 1
    alone = [name for name in order if not parents[name] and not children[name]]
    if len(alone) < len(order):
        last = max(found.values()) + 1
        found.update(dict.fromkeys(alone, last))
    return found


def _with_bends(
    parents: Mapping[str, Sequence[str]], layer: Mapping[str, int]
) -> tuple[list[list[Item]], dict[Item, list[Item]]]:
    """The items of each layer, bends included, and the items right above each."""
    rows: list[list[Item]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    above: dict[Item, list[Item]] = {}
    for name in parents:
        rows[layer[name]].append(name)
        above[name] = []
    for name in parents:
        for parent in parents[name]:
            former: Item = parent
            for k in range(layer[parent] + 1, layer[name]):
                bend: Item = (parent, name, k)
                rows[k].append(bend)
                above[bend] = [former]
                former = bend
            above[name].append(former)
    return rows, above


def _turned(rows: Sequence[Sequence[Item]], above: Mapping[Item, Sequence[Item]]) -> dict[Item, list[Item]]:
    below: dict[Item, list[Item]] = {item: [] for row in rows for item in row}
    for item, ups in above.items():
        for up in ups:
            below[up].append(item)
    return below


def _ordered(rows: list[list[Item]], above: Mapping[Item, Sequence[Item]]) -> list[list[Item]]:
    below = _turned(rows, above)
    best, fewest = [list(row) for row in rows], _crossings(rows, above)
    now = [list(row) for row in rows]
    for sweep in range(SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        for k in range(1, len(now)) if down else range(len(now) - 2, -1, -1):
            place = {item: i for i, item in enumerate(now[k - 1 if down else k + 1])}
            near = above if down else below
            former = {item: i for i, item in enumerate(now[k])}
            now[k].sort(key=lambda item: (_middle([place[n] for n in near[item]], former[item]), former[item]))
        crossings = _crossings(now, above)
        if crossings < fewest:
            best, fewest = [list(row) for row in now], crossings
    return best


def _middle(places: list[int], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise


def _crossings(rows: Sequence[Sequence[Item]], above: Mapping[Item, Sequence[Item]]) -> int:
    """Pairs of edges between neighbouring layers that cross."""
    total = 0
    for k in range(1, len(rows)):
        place = {item: i for i, item in enumerate(rows[k - 1])}
        ends = [p for item in rows[k] for p in sorted(place[up] for up in above[item])]
        seen: list[int] = []
        for end in ends:  # in the order of the lower ends: an upper end left of one before it is a crossing
            total += sum(1 for s in seen if s > end)
            seen.append(end)
    return total


def _across(
    rows: Sequence[Sequence[Item]], above: Mapping[Item, Sequence[Item]], widths: Mapping[Item, float], gap: float
) -> dict[Item, float]:
    """Places from left to right: each towards the middle of its neighbours, none nearer to another than the gap."""
    below = _turned(rows, above)
    x: dict[Item, float] = {}
    for row in rows:
        at = -sum(widths[i] + gap for i in row) / 2
        for item in row:
            x[item] = at + widths[item] / 2
            at += widths[item] + gap
    for turn in range(ROUNDS):
        for row in rows if turn % 2 == 0 else reversed(rows):
            wanted, weights = [], []
            for item in row:
                near = [*above[item], *below[item]]
                wanted.append(sum(x[n] for n in near) / len(near) if near else x[item])
                weights.append(1.0 if isinstance(item, str) else 4.0)  # straight edges first
            for item, place in zip(row, _apart(row, wanted, weights, widths, gap), strict=True):
                x[item] = place
    return x


def _centre_last(rows: Sequence[Sequence[Item]], above: Mapping[Item, Sequence[Item]], x: dict[Item, float]) -> None:
    """A last layer of nodes that nothing ties to the others is moved below the middle of these."""
    if len(rows) < 2 or any(above[item] for item in rows[-1]):
        return
    others = [x[item] for row in rows[:-1] for item in row]
    last = [x[item] for item in rows[-1]]
    shift = (min(others) + max(others) - min(last) - max(last)) / 2
    for item in rows[-1]:
        x[item] += shift


def _apart(
    row: Sequence[Item], wanted: Sequence[float], weights: Sequence[float], widths: Mapping[Item, float], gap: float
) -> list[float]:
    """The places nearest to the wanted ones, in squares, that keep the order and the gaps: by pooling neighbours."""
    shift = [0.0]
    for left, right in pairwise(row):
        shift.append(shift[-1] + (widths[left] + widths[right]) / 2 + gap)
    pools: list[list[Any]] = []  # mean, weight, how many
    for want, weight, off in zip(wanted, weights, shift, strict=False):
        pools.append([want - off, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, total, n = pools.pop()
            other = pools[-1]
            other[0] = (other[0] * other[1] + mean * total) / (other[1] + total)
            other[1] += total
            other[2] += n
    flat = [mean for mean, _, n in pools for _ in range(n)]
    return [place + off for place, off in zip(flat, shift, strict=False)]
