"""Learning from episodes: the worth of choices in a process whose chances and rewards are met, not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.control.planning import best_choices, policy_by_name, worths_by_name
from learnt.control.process import Action, MarkovDecisionProcess, State
from learnt.control.texts import drawn_policy, policy_lines
from learnt.data.table import Array
from learnt.learner.parameters import OneOf, Real, Seed, Whole, check_parameters, seed_from
from learnt.show.numbers import number
from learnt.show.words import count_of

#: Episodes at the end of a run that say how good it has become.
LAST_SHARE = 0.1
#: Episodes begin in any state.
ANY = "any"


@dataclass(frozen=True, eq=False)
class Learning:
    """What was learnt, in one run or several that differ by their draws only.

    | attribute | meaning |
    |---|---|
    | `q_values` | by state and action, the mean over the runs |
    | `policy` | by state: the action with the largest worth |
    | `values` | by state: that worth |
    | `returns` | runs × episodes: the discounted rewards of each |
    | `moves` | runs × episodes: how many moves each took |
    | `visits` | by state and action: how often it was tried, over all runs |
    """

    process: MarkovDecisionProcess
    method: str
    returns: Array
    moves: Array
    _worths: Array  # runs × choices
    _visits: Array

    @property
    def n_runs(self) -> int:
        return len(self.returns)

    @property
    def q_values(self) -> dict[State, dict[Action, float]]:
        return worths_by_name(self.process, self._worths.mean(axis=0))

    @property
    def policy(self) -> dict[State, Action]:
        return policy_by_name(self.process, self._worths.mean(axis=0))

    def policy_of(self, run: int) -> dict[State, Action]:
        """What one run learnt to do."""
        return policy_by_name(self.process, self._worths[run])

    @property
    def values(self) -> dict[State, float]:
        mean = self._worths.mean(axis=0)
        if not len(mean):
            return dict.fromkeys(self.process.states, 0.0)
        top = mean[np.minimum(best_choices(self.process, mean), len(mean) - 1)]
        ends = np.diff(self.process._arrays[0]) == 0
        return dict(zip(self.process.states, np.where(ends, 0.0, top).tolist(), strict=True))

    @property
    def visits(self) -> dict[State, dict[Action, int]]:
        named = worths_by_name(self.process, self._visits.sum(axis=0))
        return {state: {action: int(n) for action, n in of.items()} for state, of in named.items()}

    def curve(self, window: int | None = None) -> tuple[Array, Array, Array]:
        """Mean returns over the episodes, smoothed over a window, with the ends of a 95 % interval over the runs."""
        from scipy.special import stdtrit

        n = self.returns.shape[1]
        width = max(1, n // 50 if window is None else int(window))
        sums = np.cumsum(np.pad(self.returns, ((0, 0), (1, 0))), axis=1)
        ends = np.arange(1, n + 1)
        starts = np.maximum(0, ends - width)
        smooth = (sums[:, ends] - sums[:, starts]) / (ends - starts)
        mean = smooth.mean(axis=0)
        if self.n_runs < 2:
            return mean, mean, mean
        half = float(stdtrit(self.n_runs - 1, 0.975)) * smooth.std(axis=0, ddof=1) / np.sqrt(self.n_runs)
        return mean, mean - half, mean + half

    def drawing(self) -> str:
        """The policy of a grid world as arrows, one letter a cell."""
        return drawn_policy(self.process, self.policy)

    def __str__(self) -> str:
        last = self.returns[:, -max(1, int(LAST_SHARE * self.returns.shape[1])) :]
        runs = "" if self.n_runs == 1 else f" in each of {self.n_runs} runs"
        gained = f"the last of them gained {number(last.mean())} on average"
        head = f"{self.method}: {count_of(self.returns.shape[1], 'episode')}{runs}; {gained}"
        return "\n".join([head, *policy_lines(self.process, self.values, self.policy)])

    def plot(self, ax: Any = None) -> Any:
        """Draw what episodes gained, the mean over the runs with its interval."""
        from learnt.plot.control import plot_learning

        return plot_learning(self, ax)


def q_learning(process: MarkovDecisionProcess, **settings: Any) -> Learning:
    """Q-learning: each move pulls the worth of its choice towards the reward and the best that may follow.

        Q(s, a) ← Q(s, a) + η (r + γ max_a' Q(s', a') − Q(s, a))

    It learns what the best policy is worth while it follows another that explores. `settings` as those of
    `learn_by_doing`.
    """
    return learn_by_doing(process, "q-learning", **settings)


def sarsa(process: MarkovDecisionProcess, **settings: Any) -> Learning:
    """SARSA: towards the reward and what the choice that follows is worth, so that exploring counts with its costs."""
    return learn_by_doing(process, "sarsa", **settings)


def expected_sarsa(process: MarkovDecisionProcess, **settings: Any) -> Learning:
    """Expected SARSA: towards the reward and the mean worth of the choices that may follow."""
    return learn_by_doing(process, "expected sarsa", **settings)


def monte_carlo(process: MarkovDecisionProcess, **settings: Any) -> Learning:
    """Monte Carlo: the mean of what followed each choice to the end of its episode, every visit counted."""
    return learn_by_doing(process, "monte carlo", **settings)


_DOMAINS = {
    "episodes": Whole(1),
    "runs": Whole(1),
    "explore": OneOf("epsilon", "softmax"),
    "initial": Real(above=0),
    "final": Real(0),
    "learning_rate": Real(above=0, high=1) | OneOf(None),
    "max_moves": Whole(1),
    "random_state": Seed(),
}


def learn_by_doing(
    process: MarkovDecisionProcess,
    method: str = "q-learning",
    *,
    episodes: int = 1000,
    runs: int = 1,
    explore: str = "epsilon",
    initial: float = 0.5,
    final: float = 0.05,
    learning_rate: float | None = None,
    start: State | None = None,
    max_moves: int = 1000,
    random_state: Any = 0,
) -> Learning:
    """Learn what choices are worth by making them.

    | setting | meaning |
    |---|---|
    | `method` | "q-learning", "sarsa", "expected sarsa" or "monte carlo" |
    | `episodes`, `max_moves` | how many, each until an end or so many moves |
    | `runs` | how often all of it is done with other draws, for intervals |
    | `explore` | "epsilon": any action with chance ε, else the best; "softmax": the better the likelier |
    | `initial`, `final` | ε, or the temperature of softmax, in the first episode and in the last; it falls evenly |
    | `learning_rate` | None: visits^−0.7, for Monte Carlo 1/visits, which come to rest; a number goes on adapting |
    | `start` | where episodes begin; None: where a grid world says, else "any" state that is no end |
    | `random_state` | seed of all draws |
    """
    given = {
        "episodes": episodes,
        "runs": runs,
        "explore": explore,
        "initial": initial,
        "final": final,
        "learning_rate": learning_rate,
        "max_moves": max_moves,
        "random_state": random_state,
    }
    methods = {"method": OneOf("q-learning", "sarsa", "expected sarsa", "monte carlo")}
    check_parameters("learn_by_doing", _DOMAINS | methods, given | {"method": method})
    if explore == "softmax" and final == 0:
        final = 1e-6 * initial
    if start is None and process.grid is not None:
        start = process.grid.start
    anywhere = start is None or (start == ANY and ANY not in process.states)
    how = _core.Episodes(
        update=method,
        episodes=int(episodes),
        most_moves=int(max_moves),
        rate=float(learning_rate or 0.0),
        rate_power=0.7,
        softmax=explore == "softmax",
        first=float(initial),
        last=float(final),
        start=-1 if anywhere else process.place_of(start),
    )
    worths = np.zeros((int(runs), process.n_choices))
    visits = np.zeros(worths.shape, np.int64)
    returns = np.zeros((int(runs), int(episodes)))
    moves = np.zeros(returns.shape, np.int64)
    _core.learn_from_episodes(
        *process._arrays, process.discount, how, seed_from(random_state), worths, visits, returns, moves
    )
    return Learning(process, method, returns, moves, worths, visits)
