"""BIF and XMLBIF: a damaged file gives a network that answers, or names the file."""

from __future__ import annotations

import random

from tools.fuzz.case import Case
from tools.fuzz.fuzzers.files import FileFuzzer
from tools.fuzz.mutate import MOST

from learnt.errors import LearntError
from learnt.graphical import BayesianNetwork
from learnt.graphical.network.bif import bif_text
from learnt.graphical.network.files import network_of
from learnt.graphical.network.xmlbif import xmlbif_text


def _network() -> BayesianNetwork:
    made = BayesianNetwork().add("rain", table={"no": 0.75, "yes": 0.25})
    made.add("wet grass", ["rain"], [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]], ["dry", "damp", "wet"])
    return made.add("slip", ["wet grass", "rain"], [[[0.5, 0.5]] * 2] * 3, ["no", "yes"])


class Networks(FileFuzzer):
    name = "networks"
    endings = ("no such ending",)

    def others(self) -> dict[str, bytes]:
        made = _network()
        table = b"variable a { type discrete [ 2 ] { x, y }; }\nprobability ( a ) { table 0.25, 0.75; }\n"
        return {"n.bif": bif_text(made).encode(), "n.xmlbif": xmlbif_text(made).encode(), "table.bif": table}

    def make(self, chance: random.Random) -> Case:
        name = chance.choice(list(self.seeds))
        return Case(self.name, f"read {name}", self.mutate(name, self.seeds[name], chance)[:MOST])

    def attempt(self, case: Case) -> None:
        name = case.kind.split(" ", 1)[1]
        try:
            network = network_of(case.content, name)
        except LearntError as error:
            if name not in str(error):
                raise AssertionError(f"the error does not name the file: {error}") from error
            raise
        for answer in network.infer().values():
            assert abs(answer.probabilities.sum() - 1) < 1e-9, "probabilities that do not add up"
