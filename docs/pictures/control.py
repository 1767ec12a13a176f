"""Draws the pictures of control: `python docs/pictures/control.py` writes them anew."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from learnt.control import grid_world, q_learning, value_iteration

HERE = Path(__file__).parent
mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
WORLD = grid_world("...+\n.#.-\nS...")


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(HERE / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    save(value_iteration(WORLD).plot().figure, "grid_world")
    save(q_learning(WORLD, episodes=2000, runs=20).plot().figure, "q_learning")
