"""Draws the pictures of concepts and theory: `python docs/pictures/concepts.py` writes them anew."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from learnt.concepts import CandidateElimination, Language, WeightedMajority
from learnt.theory.experiments import double_descent

HERE = Path(__file__).parent
mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
ROWS = {
    "sky": ["sunny", "sunny", "rainy", "sunny"],
    "air": ["warm", "warm", "cold", "warm"],
    "humidity": ["normal", "high", "high", "high"],
    "wind": ["strong"] * 4,
    "water": ["warm", "warm", "warm", "cool"],
    "forecast": ["same", "same", "change", "change"],
}


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(HERE / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    learner = CandidateElimination(Language.of(ROWS)).fit(ROWS, ["yes", "yes", "no", "yes"])
    save(learner.plot().figure, "version_space")
    rng = np.random.default_rng(0)
    truth = rng.random(200) < 0.5
    advice = {f"e{j}": np.where(rng.random(200) < 0.1 + 0.08 * j, ~truth, truth) for j in range(6)}
    save(WeightedMajority().run(advice, truth).plot().figure, "weighted_majority")
    save(double_descent().plot().figure, "double_descent")
