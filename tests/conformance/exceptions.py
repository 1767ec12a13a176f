"""Every check a learner does not pass, with the reason. The suite fails when an entry is no longer needed."""

#: (learner, check) → why it is right not to pass. "*" stands for all learners.
OWN: dict[tuple[str, str], str] = {}

#: The same for scikit-learn's checks, by their names there.
SKLEARN: dict[tuple[str, str], str] = {}


def reason(table: dict[tuple[str, str], str], learner: str, check: str) -> str | None:
    return table.get((learner, check), table.get(("*", check)))
