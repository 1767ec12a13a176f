"""Control: Markov decision processes, planned in when they are known and learnt from episodes when they are not."""

from learnt.control.grid import grid_world
from learnt.control.learning import Learning, expected_sarsa, learn_by_doing, monte_carlo, q_learning, sarsa
from learnt.control.planning import Solution, evaluate_policy, policy_iteration, value_iteration
from learnt.control.process import MarkovDecisionProcess

__all__ = [
    "Learning",
    "MarkovDecisionProcess",
    "Solution",
    "evaluate_policy",
    "expected_sarsa",
    "grid_world",
    "learn_by_doing",
    "monte_carlo",
    "policy_iteration",
    "q_learning",
    "sarsa",
    "value_iteration",
]
