"""The compact letter display: two names share a letter if, and only if, they are tied."""

from __future__ import annotations

import string

from learnt.data.table import Array


def cliques(tied: Array) -> list[list[int]]:
    """Groups of members that are all tied with each other and together hold every tied pair.

    `tied` is a symmetric matrix of booleans over members in their order, the best first; groups come in the order of
    their best members. Ties need not be transitive: of a–b–c, a and c may differ, which gives the groups ab and bc.
    As many groups as needed, no more than one per tied pair: the smallest number is not looked for, since that takes
    exponential time.
    """
    k = len(tied)
    found: list[list[int]] = []
    covered = {(i, i) for i in range(k) if tied[i].sum() > 1}  # whoever is tied gets a letter through a pair
    for i in range(k):
        for j in range(i, k):
            if (i, j) in covered or not (i == j or tied[i, j]):
                continue
            group = [i, j] if i != j else [i]
            for other in range(k):
                if other not in group and all(tied[other, member] for member in group):
                    group.append(other)
            group.sort()
            found.append(group)
            covered.update((a, b) for a in group for b in group)
    return sorted(_needed_groups(found))


def _needed_groups(groups: list[list[int]]) -> list[list[int]]:
    """The groups without those whose pairs the others hold."""
    kept = list(groups)
    for group in groups:
        others = [other for other in kept if other is not group]
        if all(any(a in o and b in o for o in others) for a in group for b in group):
            kept = others
    return kept


def letters(groups: list[list[int]], k: int) -> list[str]:
    """The letters of each of k members: the first group is "a"; past "z" come capitals, then numbers in brackets."""
    signs = string.ascii_letters
    texts = [signs[g] if g < len(signs) else f"({g + 1})" for g in range(len(groups))]
    return ["".join(text for text, group in zip(texts, groups, strict=True) if i in group) for i in range(k)]
