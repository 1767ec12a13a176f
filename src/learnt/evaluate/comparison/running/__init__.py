"""How a comparison runs: who has a turn when, on how many rows, and what onlookers see of it."""
