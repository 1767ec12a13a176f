"""What scikit-learn asks an estimator about itself, answered in its own classes when it asks."""

from __future__ import annotations

from typing import Any

_TYPES = {"classification": "classifier", "regression": "regressor", "clustering": "clusterer"}


def sklearn_tags(learner: Any) -> Any:
    """scikit-learn's `Tags` of a learner. Only scikit-learn calls this, so importing it costs nothing."""
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags

    able = learner.abilities
    poor = "baseline" in able or learner.poor_score
    return Tags(
        estimator_type=_TYPES.get(learner.task),
        target_tags=TargetTags(required=learner.needs is not None),
        transformer_tags=TransformerTags() if hasattr(learner, "transform") else None,
        classifier_tags=ClassifierTags(poor_score=poor) if learner.task == "classification" else None,
        regressor_tags=RegressorTags(poor_score=poor) if learner.task == "regression" else None,
        input_tags=InputTags(
            sparse="sparse" in able,
            categorical="nominal" in able,
            string="nominal" in able or "text" in able,
            two_d_array="text" not in able,
            one_d_array="text" in able,
            allow_nan="missing" in able,
            positive_only="counts" in able,
        ),
    )
