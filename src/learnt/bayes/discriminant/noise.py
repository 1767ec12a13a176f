"""Known noise of measurement, by column."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, unknown_column
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain, Real


class Noise(Domain):
    words = "None, or the variance of the noise by column name, each a number ≥ 0"

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        return isinstance(value, Mapping) and len(value) > 0 and all(v in Real(0) for v in value.values())


def noise_by_column(noise: Mapping[str, float] | None, schema: Schema) -> Array:
    """The variance of the noise of each column of the table."""
    found = np.zeros(len(schema))
    for name, variance in (noise or {}).items():
        place = schema.place(name)
        if place is None:
            raise ParameterError(f"DiscriminantClassifier: noise. {unknown_column(str(name), schema.names)}")
        if schema.columns[place].kind != "numeric":
            raise ParameterError(
                f"DiscriminantClassifier: noise is given for {name!r}, which is {schema.columns[place].kind}. "
                "Only numeric columns have noise of measurement."
            )
        found[place] = variance
    return found
