"""Every check a learner does not pass, with the reason. The suite fails when an entry is no longer needed."""

_DRAWN = (
    "the start is drawn by row, and this check shuffles the rows: equal in distribution, and exactly from a "
    "given start, which our own checks of weights show"
)

_EVIDENCE = (
    "weights count as copies of rows, also in the least weight of a leaf and in the pessimistic errors: 0.037 of a "
    "row is less evidence than a row"
)

_SMOOTHED = (
    "smoothing gives the value that never occurs a share too, which is larger in a class of fewer rows; it is what "
    "the rule says and what peers do"
)
_COUNTED = (
    "weights count as copies of rows, and smoothing adds a fixed count: 0.037 of a row is less evidence than a row"
)
_MISSING_STAYS = "a missing cell becomes a missing number, and the table of this check has some"

#: (learner, check) → why it is right not to pass. "*" stands for all learners.
OWN: dict[tuple[str, str], str] = {
    ("DecisionTreeRegressor", "a_small_model_pickles_small"): (
        "60 rows of different targets make 60 leaves: 119 nodes of 84 bytes, and their columns"
    ),
    ("C45Classifier", "equal_weights_are_no_weights"): _EVIDENCE,
    ("RuleListClassifier", "equal_weights_are_no_weights"): _EVIDENCE,
    ("MinimumRiskClassifier", "constant_columns_do_no_harm"): _SMOOTHED,
    ("NaiveBayesClassifier", "constant_columns_do_no_harm"): _SMOOTHED,
    **{
        (learner, check): why
        for learner in ("BernoulliNB", "ComplementNB", "MultinomialNB")
        for check, why in (
            ("constant_columns_do_no_harm", "each column is a word of the vocabulary: its count changes all shares"),
            ("a_column_without_a_single_cell_does_no_harm", "a word that never occurs is smoothed like the others"),
            ("equal_weights_are_no_weights", _COUNTED),
        )
    },
    ("OrdinalEncoder", "one_nominal_column_is_enough"): _MISSING_STAYS,
    ("PolynomialFeatures", "one_nominal_column_is_enough"): _MISSING_STAYS,
    ("ID3Classifier", "the_order_of_columns_when_fitting_does_not_matter"): (
        "unpruned, it ends in nodes of a few rows that several columns split equally well: the first of them is taken"
    ),
}

#: The same for scikit-learn's checks, by their names there.
SKLEARN: dict[tuple[str, str], str] = {
    ("KMeans", "check_sample_weight_equivalence_on_dense_data"): _DRAWN,
    ("KMeans", "check_sample_weight_equivalence_on_sparse_data"): _DRAWN,
}


def reason(table: dict[tuple[str, str], str], learner: str, check: str) -> str | None:
    return table.get((learner, check), table.get(("*", check)))
