"""Orders of a directed graph: parents first, or the cycle that forbids it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from learnt.errors import InputError


def children_of(parents: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in parents}
    for name, above in parents.items():
        for parent in above:
            found[parent].append(name)
    return found


def parents_first(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """All variables, each after its parents, else in the order given; an error that shows the cycle if there is one."""
    waiting = {name: len(above) for name, above in parents.items()}
    children = children_of(parents)
    ready = [name for name, n in waiting.items() if n == 0]
    order: list[str] = []
    for name in ready:  # grows while it is gone through
        order.append(name)
        for child in children[name]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    if len(order) < len(parents):
        cycle = _cycle({name: above for name, above in parents.items() if waiting[name] > 0}, waiting)
        shown = cycle if len(cycle) <= 12 else [*cycle[:6], "…", *cycle[-5:]]
        raise InputError(f"The edges form a cycle: {' → '.join(shown)}. Take one of them out, or turn it round.")
    return order


def _cycle(parents: Mapping[str, Sequence[str]], waiting: Mapping[str, int]) -> list[str]:
    """Going from parent to parent among those that wait, until one comes again."""
    name = next(iter(parents))
    way: list[str] = []
    while name not in way:
        way.append(name)
        name = next(p for p in parents[name] if waiting[p] > 0)
    ring = way[way.index(name) :][::-1]
    return [ring[-1], *ring]


def ancestors(parents: Mapping[str, Sequence[str]], names: Iterable[str]) -> set[str]:
    """These, and whatever leads to them."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(parents[name])
    return found
