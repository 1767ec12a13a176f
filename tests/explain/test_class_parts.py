"""Parts of scores as parts of probabilities."""

import numpy as np
import pytest

from learnt.explain.class_parts import ClassParts, two_sided

RNG = np.random.default_rng(0)


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


@pytest.mark.parametrize("size", [0.1, 3.0, 40.0, 900.0])
def test_parts_are_what_columns_change_on_the_way(size):
    base, parts = RNG.normal(size=4), size * RNG.normal(size=(3, 4))
    found = ClassParts(base, parts, "score").in_probabilities()
    steps = 200_000  # by many small steps
    s = (np.arange(steps) + 0.5) / steps
    z = base + s[:, None] * parts.sum(axis=0)
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    plain = np.array([[np.mean(p[:, c] * (t[c] - p @ t)) for c in range(4)] for t in parts])
    np.testing.assert_allclose(found.parts, plain, atol=2e-6)
    np.testing.assert_allclose(found.base, softmax(base))
    np.testing.assert_allclose(found.total, softmax(base + parts.sum(axis=0)), atol=1e-12)


def test_of_two_classes_parts_are_in_proportion_to_the_terms():
    terms = np.array([[1.0], [-0.5], [2.0]])
    found = two_sided(ClassParts(np.array([0.3]), terms, "score")).in_probabilities()
    change = softmax(np.array([0.0, 2.8]))[1] - softmax(np.array([0.0, 0.3]))[1]
    np.testing.assert_allclose(found.parts[:, 1], change * terms[:, 0] / 2.5, rtol=1e-9)
    np.testing.assert_allclose(found.parts[:, 0], -found.parts[:, 1], rtol=1e-9)


def test_what_rounding_left_goes_to_the_larger_parts():
    found = ClassParts(np.array([0.5]), np.array([[0.1], [-0.3], [0.0]]), "probability").ending_at(np.array([0.34]))
    np.testing.assert_allclose(found.parts[:, 0], [0.11, -0.27, 0.0])
    nothing = ClassParts(np.array([0.5]), np.zeros((2, 1)), "probability").ending_at(np.array([0.6]))
    assert nothing.base[0] == 0.6
