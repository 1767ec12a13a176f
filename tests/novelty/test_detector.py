"""Whatever the method: parts add up to novelty, and all say what their base is."""

import numpy as np
import pytest
from tests.novelty.tables import METHODS, NAMES, mixed_table

from learnt import NoveltyDetector
from learnt.novelty.detector import Detector


@pytest.mark.parametrize("settings", METHODS, ids=NAMES)
def test_parts_of_all_rows_add_up_to_their_novelty(settings):
    from learnt import Table

    model = NoveltyDetector(**settings).fit(mixed_table(150, 1))
    table = model._matched(Table(mixed_table(30, 2)))
    detector: Detector = model._detector
    base, parts = detector.parts(table)
    np.testing.assert_allclose(base + parts.sum(axis=1), detector.novelty(table), rtol=1e-9, atol=1e-12)
    assert isinstance(detector.base_words, str)
    assert bool(detector.base_words) or not base.any()
