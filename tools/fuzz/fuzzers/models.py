"""Model files whose parts lie: their document, their tensors, their bytes; whatever loads is asked everything."""

from __future__ import annotations

import contextlib
import json
import random
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from tools.fuzz.case import Case, Fuzzer, shorter_bytes
from tools.fuzz.examples import ROWS, TARGETS, example_of, learners
from tools.fuzz.mutate import mutate_bytes
from tools.fuzz.parts import Parts, change_document, change_tensor, simpler_parts
from tools.fuzz.questions import PLOTS, ask_everything, one_of
from tools.fuzz.settings import draw_settings

import learnt
from learnt.saving import load

EACH = 4  # models of a learner: one as it comes, others by settings drawn


class Models(Fuzzer):
    name = "models"

    def prepare(self, folder: Path) -> None:
        """All learners, with several settings each, fitted and saved."""
        home = self._home = folder / "models"
        if (home / "complete").exists():
            return
        home.mkdir(parents=True, exist_ok=True)
        for entry in learners():
            example = example_of(entry)
            for i in range(EACH):
                chance = random.Random(f"{entry.name} {i}")
                settings = draw_settings(entry.cls, chance) if i else {}
                path = home / f"{entry.name} {example.rows} {i}.learnt"
                if path.exists():  # by a run that was stopped
                    continue
                with contextlib.suppress(Exception):  # settings that do not go with these rows
                    model = entry.cls(**(example.settings | settings))
                    learnt.save(example.fit(model), path)
        (home / "complete").touch()

    def begin(self) -> None:
        """One model of each learner suffices: what is imported late is imported then."""
        for name in {name.split(" ")[0]: name for name in self.seeds}.values():
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
        ask_everything(model, ROWS[rows], TARGETS, plots=one_of(PLOTS, case.content))

    def smaller(self, case: Case) -> Iterator[Case]:
        """Each part put back to what the sound file has; else, fewer bytes."""
        try:
            parts, sound = Parts.of(case.content), Parts.of(self.seeds[case.kind])
        except (ValueError, KeyError, json.JSONDecodeError):
            yield from (Case(case.fuzzer, case.kind, content) for content in shorter_bytes(case.content))
            return
        for simpler in simpler_parts(parts, sound):
            yield Case(case.fuzzer, case.kind, simpler.packed())
