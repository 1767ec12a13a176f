"""Classic tables whose labels are +, -, ?, ., NA and None: the same from CSV and from ARFF.

The files are short ones in the style of the originals, written for this test; `settings.json` says which of them are
read with settings, because the text alone does not tell that `?` is a missing cell there.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from learnt.data import read, scan

FOLDER = Path(__file__).parents[1] / "classics"
SETTINGS = json.loads((FOLDER / "settings.json").read_text())


@pytest.mark.parametrize("name", SETTINGS)
def test_csv_and_arff_give_the_same_table(name):
    text = read(FOLDER / f"{name}.csv", **SETTINGS[name])
    declared = read(FOLDER / f"{name}.arff")
    assert text.to_dict() == declared.to_dict()
    assert dict(text.kinds) == dict(declared.kinds)
    scanned = [batch.to_dict() for batch in scan(FOLDER / f"{name}.csv", batch_rows=2, **SETTINGS[name])]
    assert {n: [c for batch in scanned for c in batch[n]] for n in text.names} == declared.to_dict()


def test_the_labels_in_question_are_there():
    labels = {label for name in SETTINGS for c in read(FOLDER / f"{name}.arff").columns for label in c.categories}
    assert {"+", "-", "?", ".", "NA", "None"} <= labels
    assert len(SETTINGS) >= 10
