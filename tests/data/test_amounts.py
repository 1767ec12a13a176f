"""Numbers with a unit are floats in all but how they are shown."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np

from learnt.data.amounts import Amount
from learnt.data.form import Form

EUROS = Form("number", "€", True, 2)


def test_an_amount_computes_as_the_float_it_is():
    rng = np.random.default_rng(0)
    for value in rng.normal(0, 1e4, 50).tolist():
        amount = Amount(value, EUROS)
        assert amount == value
        assert hash(amount) == hash(value)
        assert (amount * 2, -amount, math.floor(amount)) == (value * 2, -value, math.floor(value))
        assert json.dumps(amount) == json.dumps(value)


def test_an_amount_is_shown_with_its_unit_and_keeps_it_through_copies():
    amount = Amount(-1234.5, EUROS)
    for same in (amount, pickle.loads(pickle.dumps(amount)), copy.deepcopy(amount)):
        assert same.shown == "−€1,234.50"
        assert same == -1234.5
    assert not hasattr(amount + 1, "shown")  # a sum is a plain number
