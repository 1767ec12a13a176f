"""Variable elimination: factors are multiplied and variables summed out, one after the other.

p(q, e) = Σ_x Π_f f(q, x, e)        with each sum drawn inside as far as it goes
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnt import _core
from learnt.errors import InputError
from learnt.graphical.factors.factor import Factor, product
from learnt.graphical.inference.compiled import MEMORY, flat_sets, memory_words
from learnt.graphical.inference.scaled import SAFE
from learnt.show.numbers import number


def eliminate(factors: Sequence[Factor], kept: Sequence[str], *, memory: float = MEMORY) -> tuple[Factor, float]:
    """The product of the factors with all variables but the kept, which are not many, summed out and made to add up to
    1; and the logarithm of what it added up to, −∞ where all is 0."""
    with np.errstate(over="ignore"):
        made = product(sum_out_all(factors, kept, memory=memory))
    total = made.total()
    if made.logs or not SAFE < total < 1 / SAFE:  # products of many numbers leave the range of numbers, not of logs
        made = product(sum_out_all([factor.log() for factor in factors], kept, memory=memory))
        log_total = made.total()
        if log_total == -np.inf:
            return made.exp().transposed(*kept), log_total
        return made.normalized().exp().transposed(*kept), log_total
    return made.normalized().transposed(*kept), float(np.log(total))


def sum_out_all(factors: Sequence[Factor], kept: Sequence[str], *, memory: float = MEMORY) -> list[Factor]:
    """Factors of the kept variables alone, whose product is that of the given ones with all others summed out."""
    left = list(factors)
    for name in elimination_order(factors, kept, memory):
        touched = [f for f in left if name in f.variables]
        left = [f for f in left if name not in f.variables]
        left.append(product(touched).sum_out(name))
    return left


def elimination_order(factors: Sequence[Factor], kept: Sequence[str], memory: float = MEMORY) -> list[str]:
    """A good order for all variables but the kept; refused in words if the tables would take more than `memory`."""
    sizes: dict[str, int] = {}
    for factor in factors:
        sizes.update(zip(factor.variables, factor.shape, strict=True))
    names = list(sizes)
    place = {name: v for v, name in enumerate(names)}
    # The kept ones hang together in the end, as they would by a factor of their own.
    sets = [[place[n] for n in f.variables] for f in factors] + [[place[n] for n in kept if n in place]]
    start, members = flat_sets(sets)
    counts = np.array(list(sizes.values()), np.int32)
    order, width, largest, entries = _core.elimination_order(counts, start, members, 3)
    if entries * 8 > memory or largest >= 2**31:
        raise InputError(
            f"The width is {width}: the largest table has {number(largest)} entries, and all take "
            f"{memory_words(entries * 8)}. More than {memory_words(memory)} are not taken. Ask with method='loopy', "
            "'weighting' or 'gibbs' for an approximate answer, or allow more by memory=."
        )
    return [names[v] for v in order if names[v] not in set(kept)]
