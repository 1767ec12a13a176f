"""The generality order: it is that of the sets of rows that hypotheses cover."""

import itertools

import numpy as np
import pytest
from tests.concepts.sport import ROWS, SPORT

from learnt.concepts import ANY, Hierarchy, Language, Nominal, Ordered, at_least_as_general, more_general
from learnt.errors import InputError

ANIMALS = {
    "dog": "mammal",
    "cat": "mammal",
    "owl": "bird",
    "hen": "bird",
    "mammal": "animal",
    "bird": "animal",
    "fern": "plant",
}
MIXED = Language((Nominal("c", ("a", "b")), Hierarchy("h", ANIMALS), Ordered("o", (1, 2, 3))))
CELLS = list(itertools.product(("a", "b"), ("dog", "cat", "owl", "hen", "fern"), (1, 2, 3)))


def covered(hypothesis):
    return frozenset(row for row in CELLS if hypothesis.covers(row))


def test_the_number_of_hypotheses():
    assert SPORT.size == 973
    assert MIXED.size == 1 + 3 * 10 * 6
    assert sum(1 for _ in MIXED) == MIXED.size


def test_the_order_is_that_of_the_rows_covered():
    every = list(MIXED)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(len(every), size=(2000, 2)):
        one, other = every[i], every[j]
        if at_least_as_general(one, other):
            assert covered(one) >= covered(other)
        said = more_general(one, other)
        turned = {"more general": "more specific", "more specific": "more general"}.get(said, said)
        assert more_general(other, one) == turned
        if covered(one) != covered(other) and covered(one) > covered(other) and covered(other):
            assert said in ("more general", "neither")


def test_generalising_is_least_and_specialising_most_general():
    every = list(MIXED)
    rng = np.random.default_rng(1)
    for i, r in zip(rng.integers(len(every), size=150), rng.integers(len(CELLS), size=150), strict=True):
        h, row = every[i], CELLS[r]
        up = MIXED.generalise(h, row)
        above = [g for g in every if at_least_as_general(g, h) and g.covers(row)]
        assert up in above
        assert all(at_least_as_general(g, up) for g in above)
        down = MIXED.specialise(h, row)
        below = [g for g in every if at_least_as_general(h, g) and not g.covers(row)]
        tops = [g for g in below if not any(o != g and at_least_as_general(o, g) for o in below)]
        assert set(map(str, down)) == set(map(str, tops)), (h, row)


def test_a_table_is_a_language_of_its_own():
    language = Language.of({"age": [30, 20, 25], "town": ["Bern", "Basel", None]}, ordered={"town": ["Basel", "Bern"]})
    assert str(language.most_general) == "⟨?, ?⟩"
    young = language.generalise(language.generalise(language.nothing, (20.0, "Bern")), (25.0, "Bern"))
    assert str(young) == "⟨20…25, Bern⟩"
    assert young.covers((22.0, "Bern"))
    assert not young.covers((28.0, "Bern"))


def test_a_missing_cell_is_met_by_what_asks_nothing():
    language = Language.of(ROWS)
    row = (None, *(cells[0] for cells in list(ROWS.values())[1:]))
    assert language.most_general.covers(row)
    assert not language.hypothesis(Sky="Sunny").covers(row)
    assert language.generalise(language.nothing, row).constraints[0] is ANY


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Language(()), "no columns"),
        (lambda: Language.of(ROWS, values={"Moon": []}), "no column 'Moon'"),
        (lambda: SPORT.hypothesis(Moon="full"), "no column 'Moon'"),
        (lambda: SPORT.rows({"Sky": ["Sunny"]}), "no column 'AirTemp'"),
        (lambda: Hierarchy("h", {"a": "b", "b": "a"}), "back to itself"),
    ],
)
def test_what_cannot_be_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
