"""Watching an algorithm work: its steps, collected or handed on while they happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import plain, printable, shorten_text

R = TypeVar("R", bound="Receiver")
Receiver = Callable[["Step"], object]

# A context variable, so that two threads or tasks do not see each other's steps.
_receivers: ContextVar[tuple[Receiver, ...]] = ContextVar("learnt_receivers", default=())


@dataclass(frozen=True, slots=True)
class Step:
    """One thing an algorithm did: `iteration` of `total`, the objective it reached, further `facts`."""

    learner: str
    what: str
    iteration: int | None = None
    total: int | None = None
    objective: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """A fact, or one of the fields above, by name; None when the step does not have it."""
        if name in self.facts:
            return self.facts[name]
        return getattr(self, name) if name in ("learner", "what", "iteration", "total", "objective") else None


class Log:
    """The steps seen so far. `log["moved"]` lists one fact over all steps that have it.

    >>> with watch() as log:
    ...     report("lloyd", learner="KMeans", iteration=1, objective=7.5, moved=3)
    ...     report("lloyd", learner="KMeans", iteration=2, objective=6.0, moved=0)
    >>> log["objective"]
    [7.5, 6.0]
    >>> print(log)
    learner  what   iteration  objective  moved
    KMeans   lloyd          1        7.5      3
    KMeans   lloyd          2          6      0
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def __call__(self, step: Step) -> None:
        self.steps.append(step)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, name: str) -> list[Any]:
        values = [value for step in self.steps if (value := step.get(name)) is not None]
        if not values:
            known = ", ".join(repr(n) for n in self.names()) or "nothing, no step was reported"
            raise KeyError(f"No step has {name!r}. There is: {known}.")
        return values

    def names(self) -> list[str]:
        """What can be asked of this log, fields first, then facts in order of appearance."""
        fields = [
            name
            for name in ("learner", "what", "iteration", "total", "objective")
            if any(step.get(name) not in (None, "") for step in self.steps)
        ]
        return fields + list(dict.fromkeys(name for step in self.steps for name in step.facts))

    def __repr__(self) -> str:
        return f"<Log of {len(self.steps)} steps>"

    def __str__(self) -> str:
        return _table(self)

    def plot(self, what: str = "objective", ax: Any = None) -> Any:
        """Draw the objective, or another fact, against the iteration; returns the matplotlib axes."""
        from learnt.plot.descent import plot_steps

        return plot_steps(self.steps, what, ax)


@overload
def watch() -> AbstractContextManager[Log]: ...
@overload
def watch(receive: R) -> AbstractContextManager[R]: ...
@contextmanager
def watch(receive: Any = None) -> Iterator[Any]:
    """Receive every step reported inside the `with` block, in a `Log` or by a function of your own.

        with learnt.watch() as log:           # collects
            KMeans(n_clusters=3).fit(table)
        log.plot()

        with learnt.watch(print):             # hands each step on, keeps none
            ...

    Watches nest, and all of them receive. An exception raised by your function stops the work that
    reported, and a stopped `fit` leaves its learner as it was. A thread you start has a context of
    its own and is not watched, unless you start it by `contextvars.copy_context().run`.
    """
    receive = Log() if receive is None else receive
    token = _receivers.set((*_receivers.get(), receive))
    try:
        yield receive
    finally:
        _receivers.reset(token)


def watching() -> bool:
    """Whether anybody watches: ask before computing what is only worth reporting."""
    return bool(_receivers.get())


def report(
    what: str,
    *,
    learner: str = "",
    iteration: int | None = None,
    total: int | None = None,
    objective: float | None = None,
    **facts: Any,
) -> None:
    """Tell whoever watches about one step. Costs next to nothing when nobody does.

    Facts are handed on as they are: pass copies of arrays that will be written to again.
    """
    if _receivers.get():
        hand_on(Step(learner, what, iteration, total, objective, facts))


def hand_on(step: Step) -> None:
    """Tell whoever watches about a step that was received elsewhere."""
    for receive in _receivers.get():
        receive(step)


@contextmanager
def diverted(receive: Receiver | None) -> Iterator[None]:
    """Inside, steps go to `receive` alone: to another thread, which hands them on."""
    token = _receivers.set(() if receive is None else (receive,))
    try:
        yield
    finally:
        _receivers.reset(token)


def _table(log: Log, most: int = 30) -> str:
    """The steps as aligned text; of a long log the first and the last ones."""
    if not log.steps:
        return "no steps"
    names = log.names()
    half = most // 2
    shown = log.steps if len(log) <= most else log.steps[:half] + log.steps[-half:]
    rows = [names, *([_cell(step.get(name)) for name in names] for step in shown)]
    numeric = [any(isinstance(plain(s.get(name)), (int, float)) for s in log.steps) for name in names]
    lines = aligned_lines(rows, left={j for j, right in enumerate(numeric) if not right})
    if len(shown) < len(log):
        lines.insert(1 + half, f"… {len(log) - len(shown)} more …")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    value = plain(value)
    if value is None:
        return ""
    if isinstance(value, float):
        return number(value)
    shape = getattr(value, "shape", None)
    return printable(shorten_text(str(value), 40)) if shape is None else "×".join(map(str, shape)) + " array"
