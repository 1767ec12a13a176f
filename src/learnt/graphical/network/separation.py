"""Which variables tell nothing about each other once others are known, and the trail that shows where they do.

A trail is open given Z if every variable on it where arrows meet (→ v ←) is in Z or has a descendant in Z, and no other
variable on it is in Z. Two variables are d-separated by Z if no trail between them is open. The search goes along
(variable, direction of arrival) pairs, each once: O(edges).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from learnt.graphical.network.ancestry import ancestors, children_of
from learnt.show.words import list_of

UP, DOWN = "up", "down"  # arrived from a child, from a parent


@dataclass(frozen=True)
class Separation:
    """Whether two sets of variables are d-separated; if not, `trail` is an open trail, with its arrows in `str`.

    True where they are.
    """

    separated: bool
    given: tuple[str, ...]
    trail: tuple[str, ...] = ()
    arrows: tuple[str, ...] = ()
    meeting: tuple[str, ...] = ()  # on the trail, where arrows meet: opened by what is given

    def __bool__(self) -> bool:
        return self.separated

    def way(self) -> str:
        """The open trail with its arrows: a → b ← c."""
        steps = zip(self.arrows, self.trail[1:], strict=True)
        return "".join([*self.trail[:1], *(f" {arrow} {name}" for arrow, name in steps)])

    def __str__(self) -> str:
        known = f" given {list_of(self.given)}" if self.given else ""
        if self.separated:
            return f"Separated{known}: no trail between them is open."
        opened = (
            f" Arrows meet in {list_of(self.meeting)}, which is known or has a known descendant."
            if self.meeting
            else ""
        )
        return f"Not separated{known}: {self.way()} is open.{opened}"


def separation(parents: Mapping[str, Sequence[str]], a: Set[str], b: Set[str], given: Sequence[str]) -> Separation:
    """By the shortest open trail from `a` to `b`, if there is one."""
    known, children = set(given), children_of(parents)
    opened = ancestors(parents, known)  # where arrows may meet
    before: dict[tuple[str, str], tuple[str, str] | None] = {(name, UP): None for name in sorted(a - known)}
    queue = deque(before)
    while queue:
        name, came = queue.popleft()
        if name in b and name not in known:
            return _open_trail((name, came), before, opened, given)
        steps: list[tuple[str, str]] = []
        if came == UP and name not in known:
            steps = [(p, UP) for p in parents[name]] + [(c, DOWN) for c in children[name]]
        elif came == DOWN:
            if name not in known:
                steps = [(c, DOWN) for c in children[name]]
            if name in opened:
                steps += [(p, UP) for p in parents[name]]
        for step in steps:
            if step not in before:
                before[step] = (name, came)
                queue.append(step)
    return Separation(True, tuple(given))


def _open_trail(
    end: tuple[str, str],
    before: Mapping[tuple[str, str], tuple[str, str] | None],
    opened: Set[str],
    given: Sequence[str],
) -> Separation:
    way = [end]
    while (former := before[way[-1]]) is not None:
        way.append(former)
    way.reverse()
    arrows = tuple("→" if came == DOWN else "←" for _, came in way[1:])
    names = tuple(name for name, _ in way)
    meeting = tuple(names[i] for i in range(1, len(names) - 1) if arrows[i - 1 : i + 1] == ("→", "←"))
    return Separation(False, tuple(given), names, arrows, meeting)


def markov_blanket(parents: Mapping[str, Sequence[str]], name: str) -> set[str]:
    """Parents, children and the children's other parents: given these, all others tell nothing about it."""
    children = children_of(parents)[name]
    found = {*parents[name], *children, *(p for child in children for p in parents[child])}
    return found - {name}
