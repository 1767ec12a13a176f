"""Draws the networks that docs/networks.md shows: `python docs/pictures/networks.py` writes them anew."""

from pathlib import Path

import learnt

HERE = Path(__file__).parent


def main() -> None:
    garden = learnt.BayesianNetwork().add("rain", table={"no": 0.8, "yes": 0.2})
    garden.add("sprinkler", ["rain"], [[0.6, 0.4], [0.99, 0.01]], ["off", "on"])
    garden.add("grass", ["sprinkler", "rain"], [[[1, 0], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]], ["dry", "wet"])
    garden.draw({"grass": "wet"}, HERE / "network_garden.svg")
    chain = learnt.BayesianNetwork().add("rain", table={"no": 0.8, "yes": 0.2})
    chain.add("grass", ["rain"], [[0.9, 0.1], [0.2, 0.8]], ["dry", "wet"])
    chain.add("slip", ["grass"], [[0.99, 0.01], [0.7, 0.3]], ["no", "yes"])
    learnt.FactorGraph(chain).messages({"slip": "yes"}).draw(HERE / "network_messages.svg")


if __name__ == "__main__":
    main()
