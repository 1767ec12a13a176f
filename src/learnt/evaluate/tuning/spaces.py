"""Spaces of settings, and the candidates drawn from them."""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from learnt.errors import ParameterError
from learnt.show.numbers import number
from learnt.show.words import plain, short_name, shorten_text, spell

#: Drawn unless said otherwise: 30 at random hold one of the best tenth of a space with 96 % certainty.
DRAWN = 30
#: Redraws of a candidate that was drawn before; then the values of a list must be alike.
TRIES = 1000

Settings = dict[str, Any]
Space = dict[str, Any]  # by setting a list of values, or a distribution


def spaces_of(learner: Any, space: Any) -> list[Space]:
    """The spaces to search, checked: the learner's own for None, one dict, or a list of them."""
    name = type(learner).__name__
    if not hasattr(learner, "get_params"):
        raise ParameterError(f"{name} has no get_params, so its settings cannot be searched. Give a learner that has.")
    own = getattr(learner, "search_space", None)
    if space is None and not own:
        raise ParameterError(f"{name} has no search space of its own. Give space=, such as {{'setting': [1, 2, 3]}}.")
    space = own if space is None else space
    several = [space] if isinstance(space, Mapping) else space
    if not several or not isinstance(several, list | tuple) or not all(isinstance(one, Mapping) for one in several):
        raise ParameterError(
            f"space={shorten_text(repr(space), 60)} is not allowed. Expected values by setting, such as "
            "{'max_depth': [2, 4, 8]}, or a list of such dicts."
        )
    for one in several:
        _check_names(learner, one)
    return [{key: _values(key, value) for key, value in one.items()} for one in several]


def _check_names(learner: Any, space: Mapping[str, Any]) -> None:
    known = learner.get_params()
    for key in space:
        outer, inside, _ = str(key).partition("__")
        if key in known or (inside and outer in space):  # a learner in the space brings settings of its own
            continue
        near = difflib.get_close_matches(str(key), known, 1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Expected one of {sorted(known)}."
        raise ParameterError(f"{type(learner).__name__} has no setting {key!r}. {hint}")


def _values(key: str, given: Any) -> Any:
    """A list of values, or a distribution as it is. What is not a list is the one value to be tried."""
    if _is_distribution(given):
        return given
    if isinstance(given, Mapping | set | frozenset):
        raise ParameterError(f"The values of {key!r} came as a {type(given).__name__}. Expected a list, in order.")
    if isinstance(given, np.ndarray):
        given = list(given)
    if isinstance(given, str | bytes) or hasattr(given, "get_params") or not isinstance(given, Sequence):
        given = [given]
    if len(given) == 0:
        raise ParameterError(f"The values of {key!r} are empty. Expected at least one to try.")
    return [plain(value) for value in given]


def _is_distribution(value: Any) -> bool:
    return callable(getattr(value, "rvs", None))


def candidates(spaces: Sequence[Space], search: str, n: int | None, seed: int) -> list[Settings]:
    """The settings to try, no two alike: every combination, or `n` drawn at random where there are more."""
    continuous = [key for space in spaces for key, value in space.items() if _is_distribution(value)]
    if search == "grid":
        if continuous:
            raise ParameterError(
                f"{spell(continuous[0])} is a distribution, and a grid needs a list of values. Use search='random'."
            )
        if n is not None:
            raise ParameterError(f"n={n} came with search='grid', which tries every combination. Use search='random'.")
    total = math.inf if continuous else sum(math.prod(len(v) for v in space.values()) for space in spaces)
    wanted = DRAWN if n is None and (continuous or search == "random") else n
    if wanted is None or total <= wanted:
        found = _apart(_combinations(spaces))
    else:
        rng = np.random.default_rng(seed)
        found = _apart(itertools.islice(_draw_settings(spaces, rng), wanted * TRIES), wanted)
    return found


def _combinations(spaces: Sequence[Space]) -> Iterator[Settings]:
    for space in spaces:
        for values in itertools.product(*space.values()):
            yield dict(zip(space, values, strict=True))


def _draw_settings(spaces: Sequence[Space], rng: np.random.Generator) -> Iterator[Settings]:
    while True:
        space = spaces[int(rng.integers(len(spaces)))]
        yield {
            key: plain(value.rvs(random_state=rng)) if _is_distribution(value) else value[int(rng.integers(len(value)))]
            for key, value in space.items()
        }


def _apart(settings: Iterator[Settings], most: int | None = None) -> list[Settings]:
    found: dict[str, Settings] = {}
    for one in settings:
        found.setdefault(repr(sorted(one.items(), key=lambda item: item[0])), one)
        if len(found) == most:
            break
    return list(found.values())


def value_words(value: Any) -> str:
    """The value of a setting in a few words."""
    value = plain(value)
    text = number(value) if isinstance(value, float) else " ".join(repr(value).split())
    return short_name(text, 40)


def in_words(settings: Settings) -> str:
    return ", ".join(f"{key}={value_words(value)}" for key, value in settings.items()) or "the learner as it is"
