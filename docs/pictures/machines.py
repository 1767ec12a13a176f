"""Draw the pictures of the pages on support vectors: `python docs/pictures/machines.py`."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from k_neighbors import moons

import learnt

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file

    rows, arc = moons(200, 0)
    model = learnt.SVC(C=3.0).fit(rows, arc)
    save(model.plot_margin(rows, arc), "svc_margin")
    save(model.plot_coefficients(rows, arc), "svc_coefficients")
    save(learnt.OneClassSVM(nu=0.1).fit(rows).plot_margin(rows), "one_class_svm")

    rng = np.random.default_rng(1)
    x = np.sort(rng.random(90))
    y = np.sin(7 * x) + rng.normal(0, 0.25, 90)
    model = learnt.SVR(C=5.0, epsilon=0.3).fit({"x": x}, y)
    save(model.plot_tube({"x": x}, y), "svr_tube")


def save(axes, name: str) -> None:
    axes.figure.savefig(HERE / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
