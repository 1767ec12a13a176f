"""AlternatingTreeClassifier and LogitBoostClassifier against Weka's ADTree and LogitBoost: ten-fold accuracies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from learnt import AlternatingTreeClassifier, LogitBoostClassifier, datasets

HERE = Path(__file__).resolve().parent
CORRECT = json.loads((HERE / "boosted_stumps.json").read_text(encoding="utf-8"))["correct"]
OURS = {
    "ADTree": AlternatingTreeClassifier(n_estimators=10),
    "LogitBoost": LogitBoostClassifier(n_estimators=10, learning_rate=1.0),  # by stumps, as it is by default
}
SEEDS = 3


@pytest.mark.costly
@pytest.mark.parametrize(("learner", "name"), [(learner, name) for learner in OURS for name in CORRECT[learner]])
def test_ten_fold_accuracy_is_within_two_standard_errors(learner, name):
    """Errors are those of the fold assignments alone, on both sides: the rows are the same, so that chance in drawing
    them, four times as large, is none here."""
    table = datasets.load(name)
    y, rows = np.asarray(table[table.target].labels()), table.drop(table.target)
    right = []
    for seed in range(SEEDS):
        parts = StratifiedKFold(10, shuffle=True, random_state=seed).split(y, y)
        models = ((OURS[learner].fit(rows.take(train), y[train]), test) for train, test in parts)
        right.append(sum(int((model.predict(rows.take(test)) == y[test]).sum()) for model, test in models))
    theirs = np.array(CORRECT[learner][name])
    error = theirs.std(ddof=1) * np.sqrt(1 / len(theirs) + 1 / SEEDS)
    assert abs(np.mean(right) - theirs.mean()) <= 2 * error
