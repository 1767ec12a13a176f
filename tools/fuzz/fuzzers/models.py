"""Model files whose parts lie: their document, their tensors, their bytes; whatever loads is asked everything."""

from __future__ import annotations

import contextlib
import json
import random
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from tools.fuzz.case import Case, Fuzzer, shorter_bytes
from tools.fuzz.mutate import mutate_bytes
from tools.fuzz.parts import Parts, change_document, change_tensor, simpler_parts
from tools.fuzz.questions import ask_everything
from tools.fuzz.settings import draw_settings

import learnt
from learnt.saving import load

ROWS: dict[str, Any] = {
    "mixed": {
        "age": [31.0, None, 45.0, 28.5, 60.0, 33.0, 52.0, 19.0],
        "town": ["Bern", "Basel", None, "Bern", "Zürich", "Basel", "Zürich", "Bern"],
        "member": [True, False, True, True, None, False, True, False],
    },
    "numbers": {
        "age": [31.0, 7.0, 45.0, 28.5, 60.0, 33.0, 52.0, 19.0],
        "size": [1.0, 2.0, 0.0, 3.0, 1.0, 2.0, 5.0, 0.0],
    },
    "texts": ["red apple", "green pear", "Grüne Birne", None, "apple wine", "a pear", "two pears", "red wine"],
}
TARGETS = {
    "classes": ["no", "yes", "yes", "no", "yes", "maybe", "yes", "no"],
    "numbers": [1.0, 2.5, 3.0, 0.5, 4.0, 2.0, 3.5, 0.25],
}
EACH = 4  # models of a learner: one as it comes, others by settings drawn


def rows_of(entry: Any) -> str:
    if "text" in entry.abilities:
        return "texts"
    return "mixed" if {"nominal", "missing"} <= entry.abilities else "numbers"


def fitted(entry: Any, settings: dict[str, Any]) -> Any:
    """A learner fitted to the rows of its kind."""
    few = {"n_clusters": 2, "n_components": 2, "min_samples_leaf": 1}
    own = {name: value for name, value in few.items() if name in entry.cls.domains}
    if entry.task == "transformation":
        own.pop("min_samples_leaf", None)
    model = entry.cls(**{**own, **settings})
    return model.fit(ROWS[rows_of(entry)], TARGETS.get(model.needs))


class Models(Fuzzer):
    name = "models"

    def prepare(self, folder: Path) -> None:
        """All learners, with several settings each, fitted and saved."""
        home = self._home = folder / "models"
        if (home / "complete").exists():
            return
        home.mkdir(parents=True, exist_ok=True)
        for entry in learnt.learners():
            for i in range(EACH):
                chance = random.Random(f"{entry.name} {i}")
                settings = draw_settings(entry.cls, chance) if i else {}
                with contextlib.suppress(Exception):  # settings that do not go with these rows
                    learnt.save(fitted(entry, settings), home / f"{entry.name} {rows_of(entry)} {i}.learnt")
        (home / "complete").touch()

    def begin(self) -> None:
        for name in self.seeds:
            with contextlib.suppress(Exception):
                self.attempt(Case(self.name, name, self.seeds[name]))

    @cached_property
    def seeds(self) -> dict[str, bytes]:
        return {path.stem: path.read_bytes() for path in sorted(self._home.glob("*.learnt"))}

    @cached_property
    def _scratch(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="fuzz-")

    def make(self, chance: random.Random) -> Case:
        name = chance.choice(list(self.seeds))
        content = self.seeds[name]
        if chance.random() < 0.1:
            return Case(self.name, name, mutate_bytes(content, chance))
        parts = Parts.of(content)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            if parts.tensors and chance.random() < 0.55:
                change_tensor(parts, chance)
            else:
                change_document(parts, chance)
        return Case(self.name, name, parts.packed())

    def attempt(self, case: Case) -> None:
        path = Path(self._scratch.name) / "model.learnt"
        path.write_bytes(case.content)
        model = load(path)
        rows = case.kind.split(" ")[1]
        ask_everything(model, ROWS[rows], TARGETS)

    def smaller(self, case: Case) -> Iterator[Case]:
        """Each part put back to what the sound file has; else, fewer bytes."""
        try:
            parts, sound = Parts.of(case.content), Parts.of(self.seeds[case.kind])
        except (ValueError, KeyError, json.JSONDecodeError):
            yield from (Case(case.fuzzer, case.kind, content) for content in shorter_bytes(case.content))
            return
        for simpler in simpler_parts(parts, sound):
            yield Case(case.fuzzer, case.kind, simpler.packed())
