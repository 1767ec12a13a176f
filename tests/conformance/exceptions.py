"""Every check a learner does not pass, with the reason. The suite fails when an entry is no longer needed."""

_DRAWN = (
    "the start is drawn by row, and this check shuffles the rows: equal in distribution, and exactly from a "
    "given start, which our own checks of weights show"
)

#: (learner, check) → why it is right not to pass. "*" stands for all learners.
OWN: dict[tuple[str, str], str] = {}

#: The same for scikit-learn's checks, by their names there.
SKLEARN: dict[tuple[str, str], str] = {
    ("KMeans", "check_sample_weight_equivalence_on_dense_data"): _DRAWN,
    ("KMeans", "check_sample_weight_equivalence_on_sparse_data"): _DRAWN,
}


def reason(table: dict[tuple[str, str], str], learner: str, check: str) -> str | None:
    return table.get((learner, check), table.get(("*", check)))
