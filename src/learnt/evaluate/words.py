"""What the resampling methods share: checks of their common settings."""

from __future__ import annotations

from typing import Any

from learnt.learner.parameters import Domain, Seed, Whole, check_parameters


def check_call(owner: str, **values: Any) -> None:
    """Raise for a number of resamples below one, or a random state that is none."""
    domains: dict[str, Domain] = {"n": Whole(1), "random_state": Seed()}
    check_parameters(owner, {name: domains[name] for name in values}, values)
