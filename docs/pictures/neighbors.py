"""The picture of the page on indexes of neighbours: python docs/pictures/neighbors.py

The numbers beside it are those of `python benchmarks/neighbors_crossover.py --csv docs/pictures/neighbor_costs.csv`.
"""

import csv
from pathlib import Path

import matplotlib as mpl

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same drawing gives the same file
    import matplotlib.pyplot as plt

    with open(HERE / "neighbor_costs.csv", newline="") as file:
        costs = [{name: float(value) for name, value in row.items() if value} for row in csv.DictReader(file)]
    counts = sorted({row["rows"] for row in costs})
    figure, panes = plt.subplots(1, len(counts), figsize=(9, 3.2), sharey=True, constrained_layout=True)
    for axes, count in zip(panes, counts, strict=True):
        some = [row for row in costs if row["rows"] == count]
        columns = [row["columns"] for row in some]
        for name, label, mark in (("brute_us", "all pairs", "o"), ("kd_tree_us", "k-d tree", "s")):
            axes.plot(columns, [row[name] for row in some], marker=mark, markersize=4, label=label)
        axes.set(xscale="log", yscale="log", xlabel="columns", title=f"{count:,.0f} rows")
        axes.set_xticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    panes[0].set_ylabel("µs a question, one thread")
    panes[0].legend(frameon=False)
    figure.savefig(HERE / "neighbor_costs.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
