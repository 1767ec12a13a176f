"""The lead of a class over the runner-up, by hand."""

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.ensemble.leads import explain_lead, line_evidence
from learnt.explain.class_parts import ClassParts

ROW = Table({"a": [1.0], "b": ["u"]})


def test_the_lead_is_the_difference_of_two_sums():
    sums = ClassParts(np.array([0.1, 0.2, 0.0]), np.array([[1.0, 2.0, 0.0], [0.5, 0.25, 0.0]]), "score")
    lines = [("near", "y", np.array([0.0, 0.3, 1.0]))]
    told = explain_lead(ROW, ["x", "y", "z"], 1, sums, lines)
    assert told.prediction == "y"
    assert told.total == pytest.approx((0.2 + 2.25 + 0.3) - (0.1 + 1.5))  # against x, the runner-up
    assert told.add_up() == pytest.approx(told.total)
    assert [e.column for e in told.evidence] == ["a", "b", "member near"]
    assert [e.contribution for e in told.evidence] == pytest.approx([1.0, -0.25, 0.3])
    assert [label for label, _ in told.alternatives] == ["x", "z"]


def test_the_only_class_has_nothing_to_lead_over():
    told = explain_lead(ROW, ["x"], 0, ClassParts(np.zeros(1), np.zeros((2, 1)), "score"), [])
    assert (told.prediction, told.total, told.add_up()) == ("x", 0.0, 0.0)


def test_a_line_names_its_member():
    found = line_evidence(("near", "y", np.array([0.5])), 0.5)
    assert (found.column, found.contribution) == ("member near", 0.5)
