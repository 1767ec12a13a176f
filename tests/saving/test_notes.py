"""What is known of a model besides travels in its file, and cannot do harm there."""

from __future__ import annotations

import json

import pytest
from safetensors.numpy import save_file

import learnt
from learnt.errors import SavedModelError
from learnt.saving import read_notes
from learnt.saving.container import Container

MODEL = learnt.MeanRegressor().fit([[1.0], [2.0]], [3.0, 5.0])


def with_notes(path, notes):
    """The file with other notes in it, whatever they are."""
    learnt.save(MODEL, path)
    with open(path, "rb") as file:
        container = Container(file, 2**20)
        tensors = {name: container.take(name) for name in list(container._tensors)}
        document = {**container.document, "notes": notes}
    save_file(tensors, path, metadata={"learnt": json.dumps(document)})


def test_notes_come_back_and_the_model_is_the_same(tmp_path):
    notes = {"target": "pri\u0007ce", "promise": {"score": 0.9, "rows": 3, "low": None}, "list": [1, "two"]}
    learnt.save(MODEL, tmp_path / "m.learnt", notes=notes)
    assert read_notes(tmp_path / "m.learnt") == notes
    assert learnt.load(tmp_path / "m.learnt").predict([[1.0]]).tolist() == [4.0]
    first = (tmp_path / "m.learnt").read_bytes()
    learnt.save(MODEL, tmp_path / "m.learnt", notes=notes)
    assert (tmp_path / "m.learnt").read_bytes() == first


def test_a_file_without_notes_has_none(tmp_path):
    learnt.save(MODEL, tmp_path / "m.learnt")
    assert read_notes(tmp_path / "m.learnt") == {}


def test_notes_of_another_shape_are_refused(tmp_path):
    with_notes(tmp_path / "m.learnt", {"fine": 1})
    assert read_notes(tmp_path / "m.learnt") == {"fine": 1}
    with_notes(tmp_path / "m.learnt", ["not", "an", "object"])
    for reading in (read_notes, learnt.load):
        with pytest.raises(SavedModelError, match="notes are not a JSON object"):
            reading(tmp_path / "m.learnt")


def test_what_is_not_a_model_has_no_notes(tmp_path):
    (tmp_path / "m.learnt").write_bytes(b"nothing of the kind")
    with pytest.raises(SavedModelError):
        read_notes(tmp_path / "m.learnt")
    with pytest.raises(SavedModelError):
        read_notes(tmp_path / "absent.learnt")
