"""Texts of a shape as days, against Python's own dates."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest

from learnt.data.kinds.date_shapes import SHAPES, DateWriting, any_fits, fits_orders

EPOCH = date(1970, 1, 1)
DAYS = [date(1902, 3, 4), date(1969, 12, 31), date(1970, 1, 1), date(2000, 2, 29), date(2024, 11, 5), date(2068, 6, 30)]
WRITTEN = {
    ("year first", False): ["{0:%Y-%m-%d}", "{0:%Y/%m/%d}", "{0:%Y.%m.%d}"],
    ("figures", False): ["{0:%d.%m.%Y}", "{0.day}/{0.month}/{0:%Y}", "{0:%d-%m-%Y}"],
    ("figures", True): ["{0:%m/%d/%Y}", "{0.month}-{0.day}-{0:%Y}"],
    ("day, name", False): ["{0.day} {0:%B} {0:%Y}", "{0:%d}-{0:%b}-{0:%Y}", "{0.day}th of {0:%B} {0:%Y}"],
    ("name, day", False): ["{0:%B} {0.day}, {0:%Y}", "{0:%b} {0.day} {0:%Y}"],
    ("figures only", False): ["{0:%Y%m%d}"],
}


@pytest.mark.parametrize(("shape", "month_first"), WRITTEN)
def test_days_are_those_of_python(shape, month_first):
    for written in WRITTEN[shape, month_first]:
        texts = [written.format(day) for day in DAYS]
        expected = [(day - EPOCH).days for day in DAYS]
        np.testing.assert_array_equal(DateWriting(shape, month_first).numbers(texts), expected)


@pytest.mark.parametrize("zone", [None, UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))])
def test_moments_are_those_of_python(zone):
    moments = [datetime(2024, 2, 29, 23, 59, 58, 123456, zone), datetime(1969, 7, 20, 20, 17, 0, 0, zone)]
    epoch = datetime(1970, 1, 1, tzinfo=None if zone is None else UTC)
    expected = [(moment - epoch) / timedelta(days=1) for moment in moments]
    np.testing.assert_allclose(
        DateWriting("year first").numbers([m.isoformat(" ") for m in moments]), expected, rtol=1e-15
    )


@pytest.mark.parametrize("text", ["2023-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "24-01-01", "2024-1", "x"])
def test_what_no_calendar_has_is_no_date(text):
    assert np.isnan(DateWriting("year first").numbers(["2024-05-01", text])).tolist() == [False, True]


def test_years_of_two_digits_are_those_of_posix():
    texts = ["01.02.68", "01.02.69", "01.02.00"]
    expected = [(datetime.strptime(t, "%d.%m.%y").date() - EPOCH).days for t in texts]
    np.testing.assert_array_equal(DateWriting("figures").numbers(texts), expected)


def test_orders_are_told_by_what_exists():
    day, month = fits_orders(["31/12/2024", "12/31/2024", "3/4/2024", "31/31/2024"])
    assert day.tolist() == [True, False, True, False]
    assert month.tolist() == [False, True, True, False]


@pytest.mark.parametrize("shape", SHAPES)
def test_no_shape_takes_plain_numbers_or_words(shape):
    assert not any_fits(["1234", "12.5", "abc", "1-2", ""], shape)
