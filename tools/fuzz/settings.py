"""Settings of a learner drawn from their declared domains, now and then from outside of them."""

from __future__ import annotations

import random
from typing import Any

from learnt.learner.parameters import Domain, Either, Flag, OneOf, Real, Rows, Seed, Whole

#: Settings that count rounds, members or passes: small, for more of them only take longer.
SMALL = {"n_estimators": 3, "max_iter": 6, "n_init": 1, "n_epochs": 3, "epochs": 3, "max_epochs": 3, "n_restarts": 1}
#: Layers of networks likewise, mostly.
NARROW: dict[str, Any] = {"hidden_layer_sizes": [4], "hidden_size": 3, "channels": [2, 2]}
#: What grows without bound, and may: a million products of columns, or a thousand members, are no finding.
_MOST = {
    "PolynomialFeatures": {"degree": 2},
    "TripletBoostClassifier": {"depth": 3},
    "LSTMClassifier": {"n_layers": 3},
}
_NEVER: tuple[Any, ...] = (None, "nonsense", -1, 0, 1.5, True, [], {}, float("nan"), float("inf"), 10**400, "")


def draw_settings(cls: Any, chance: random.Random, *, wrong: float = 0.0) -> dict[str, Any]:
    """A few settings that differ from their defaults; each with a chance of being one that no domain allows."""
    domains: dict[str, Domain] = dict(getattr(cls, "domains", {}))
    drawn = small_settings(cls)
    if chance.random() < 0.9:
        drawn |= {name: value for name, value in NARROW.items() if name in domains}
    if "random_state" in domains:
        drawn["random_state"] = 0
    names = [name for name in domains if name != "random_state"]
    for name in chance.sample(names, min(len(names), chance.choice((0, 1, 1, 2, 2, 3, 5)))):
        value = chance.choice(_NEVER) if chance.random() < wrong else draw_value(domains[name], chance)
        if value is not _UNKNOWN and not (name in SMALL and isinstance(value, int) and value > 8):
            drawn[name] = value
    most = _MOST.get(cls.__name__, {})
    return {k: min(v, most[k]) if k in most and isinstance(v, int) else v for k, v in drawn.items()}


def small_settings(cls: Any) -> dict[str, Any]:
    """Settings of a learner that make it quick."""
    domains: dict[str, Domain] = getattr(cls, "domains", {})
    return {name: value for name, value in SMALL.items() if name in domains and value in domains[name]}


_UNKNOWN = object()


def draw_value(domain: Domain, chance: random.Random) -> Any:
    """A value that the domain allows, at its ends as often as inside."""
    match domain:
        case Either():
            return draw_value(chance.choice(domain.domains), chance)
        case OneOf():
            return chance.choice(domain.values)
        case Flag():
            return chance.random() < 0.5
        case Seed():
            return chance.choice((0, 1, 2**32 - 1))
        case Whole():
            low = domain.low if domain.low is not None else -2
            high = domain.high if domain.high is not None else low + 20
            return chance.choice((low, low, low + 1, min(high, low + 2), min(high, low + 9), min(high, low + 20)))
        case Real():
            drawn = [domain.low, domain.high, 1e-300, 1e-9, 0.1, 0.5, 0.999999, 1.0, 1.5, 10.0, 1e6, 1e300, -1.0, -1e-3]
            allowed = [value for value in drawn if value is not None and value in domain]
            return chance.choice(allowed) if allowed else _UNKNOWN
        case Rows():
            return _UNKNOWN
        case _:
            return _UNKNOWN
