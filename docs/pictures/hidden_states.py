"""Draw the pictures of docs/learners/hidden_markov_model.md: `python docs/pictures/hidden_states.py`."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import learnt

HERE = Path(__file__).parent


def machine() -> learnt.Table:
    """The readings of the page."""
    rng = np.random.default_rng(0)
    condition = np.repeat([0, 1, 0, 2, 1, 0], [40, 15, 45, 20, 20, 60])
    return learnt.Table(
        {
            "day": np.datetime64("2024-01-01") + np.arange(200),
            "heat": rng.normal(20 + 22 * condition, 4),
            "alarms": rng.poisson(0.3 + 2 * condition),
            "noise": np.where(condition > 0, "loud", "low"),
        }
    )


def weather() -> learnt.HiddenMarkovModel:
    return learnt.HiddenMarkovModel.from_tables(
        start={"rain": 0.5, "sun": 0.5},
        transition={"rain": {"rain": 0.7, "sun": 0.3}, "sun": {"rain": 0.3, "sun": 0.7}},
        emission={"rain": {"umbrella": 0.9, "none": 0.1}, "sun": {"umbrella": 0.2, "none": 0.8}},
    )


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    quiet = {"Date": None}
    trellis = weather().plot_trellis(["umbrella", "umbrella", "none", "umbrella", "none", "none"])
    trellis.figure.savefig(HERE / "hidden_trellis.svg", metadata=quiet)
    rows = machine()
    model = learnt.HiddenMarkovModel(3, emissions={"alarms": "poisson"}, n_init=3).fit(rows, order="day")
    above, _ = model.plot(rows)
    above.figure.savefig(HERE / "hidden_states.svg", metadata=quiet)


if __name__ == "__main__":
    main()
