"""Dates, times and durations, against Python's and pandas' own readers."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from tests.data.kinds.words_box import read_cells

from learnt.data.form import Form
from learnt.data.moments import moment_text
from learnt.errors import FileError

RNG = np.random.default_rng(7)
SECONDS = RNG.integers(-(10**9), 2 * 10**9, 300)
MOMENTS = [dt.datetime(1970, 1, 1) + dt.timedelta(seconds=int(s)) for s in SECONDS]
DAYS = np.array([(m - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1) for m in MOMENTS])

DATE_FORMATS = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d-%b-%Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%A, %d %B %Y",
    "%a %d %b %Y",
    "%d.%m.%y",
    "%m/%d/%y",
    "%d-%b-%y",
]
CLOCKS = [" %H:%M:%S", "T%H:%M:%S", " %H:%M", " %I:%M:%S %p", " %I:%M %p", "T%H:%M:%SZ", " %H:%M:%S+00:00"]


@pytest.mark.parametrize("form", DATE_FORMATS)
def test_dates_are_what_strptime_reads(form):
    texts = [m.strftime(form) for m in MOMENTS]
    column, _ = read_cells(texts)
    assert column.form == Form("date")
    assert column.labels() == [dt.datetime.strptime(text, form).date() for text in texts]


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("form", DATE_FORMATS[::2])
def test_moments_are_what_strptime_reads(form, clock):
    texts = [m.strftime(form + clock) for m in MOMENTS]
    column, _ = read_cells(texts)
    zoned = clock[-1] in "Z0"
    assert column.form == Form("timestamp", resolution="second" if "S" in clock else "minute", zoned=zoned)
    plain = clock.replace("Z", "").replace("+00:00", "")
    cut = [text.removesuffix("Z").removesuffix("+00:00") for text in texts]
    expected = [dt.datetime.strptime(text, form + plain) for text in cut]
    assert [m.replace(tzinfo=None) for m in column.labels()] == expected


@pytest.mark.parametrize("digits", [1, 3, 6])
def test_fractions_and_offsets_are_what_pandas_reads(digits):
    stamps = [f"{m:%Y-%m-%d %H:%M:%S}.{i % 10**digits:0{digits}d}+02:30" for i, m in enumerate(MOMENTS)]
    column, _ = read_cells(stamps)
    expected = pd.to_datetime(stamps, utc=True)
    assert [pd.Timestamp(m) for m in column.labels()] == list(expected)
    slow, _ = read_cells([*stamps, "soon"])  # one odd word: read by another way, to the same bits
    np.testing.assert_array_equal(slow.values[:-1], column.values)


def test_days_are_those_of_any_other_source():
    from learnt.data.convert import to_vector

    texts = [f"{m:%Y-%m-%dT%H:%M:%S}" for m in MOMENTS]
    np.testing.assert_array_equal(read_cells(texts)[0].values, to_vector(MOMENTS).values)
    np.testing.assert_array_equal(read_cells([*texts, "soon"])[0].values[:-1], to_vector(MOMENTS).values)
    np.testing.assert_array_equal(read_cells(texts)[0].values, to_vector(pd.Series(MOMENTS)).values)


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["31. Dezember 2024", "1. März 2023"], dt.date(2024, 12, 31)),
        (["1er janvier 2024", "3 août 2024"], dt.date(2024, 1, 1)),
        (["31 de diciembre de 2024", "1 de enero de 2020"], dt.date(2024, 12, 31)),
        (["5 Okt. 2023", "6 Mai 2023"], dt.date(2023, 10, 5)),
        (["December 2024", "May 2023"], dt.date(2024, 12, 1)),
        (["Jan-24", "Feb-24"], dt.date(2024, 1, 1)),
        (["2024-03", "2024-04"], dt.date(2024, 3, 1)),
        (["3/2024", "12/2024"], dt.date(2024, 3, 1)),
        (["July 4th, 2024", "June 1st, 2024"], dt.date(2024, 7, 4)),
    ],
)
def test_months_by_name_in_several_languages(cells, first):
    column, _ = read_cells(cells)
    assert column.labels()[0] == first
    assert column.schema.kind_name == "date"


@pytest.mark.parametrize(
    ("cells", "options", "first", "flag"),
    [
        (["03/04/2024", "31/12/2024"], {}, dt.date(2024, 4, 3), "--kind x=nominal"),
        (["03/04/2024", "12/31/2024"], {}, dt.date(2024, 3, 4), "--kind x=nominal"),
        (["03/04/2024", "05/06/2024"], {}, dt.date(2024, 4, 3), "--date-order month"),
        (["03/04/2024", "05/06/2024"], {"date_order": "month"}, dt.date(2024, 3, 4), "--kind x=nominal"),
        (["03/04/2024", "31/12/2024"], {"date_order": "month"}, dt.date(2024, 4, 3), "--kind x=nominal"),
        (["03.04.2024", "05.06.2024"], {}, dt.date(2024, 4, 3), "--kind x=nominal"),
        (["02/01/2024", "03/01/2024"], {}, dt.date(2024, 2, 1), "--date-order day"),
    ],
)
def test_the_order_of_day_and_month_is_found_from_the_whole_column(cells, options, first, flag):
    column, decision = read_cells(cells, **options)
    assert column.labels()[0] == first
    assert decision.notes[-1].flag == flag


def test_a_guessed_order_is_said():
    _, decision = read_cells(["03/04/2024", "05/06/2024"], name="paid")
    (note,) = decision.notes
    assert note.text == "'paid' is read as dates, day first: '03/04/2024' is 2024-04-03. Both orders fit every cell."
    assert note.setting == "date_order='month'"


@pytest.mark.parametrize(
    ("cells", "form", "labels"),
    [
        (["14:30", "09:05", ""], Form("time", resolution="minute"), [dt.time(14, 30), dt.time(9, 5), None]),
        (["2:05 pm", "12:10 am"], Form("time", resolution="minute"), [dt.time(14, 5), dt.time(0, 10)]),
        (
            ["23:59:59.5", "00:00:00"],
            Form("time", resolution="millisecond"),
            [dt.time(23, 59, 59, 500_000), dt.time(0)],
        ),
        (
            ["25:00:00", "1:00:01"],
            Form("duration", resolution="second"),
            [dt.timedelta(hours=25), dt.timedelta(0, 3601)],
        ),
        (["-1 days +23:00:00", "2 days 01:00:00"], Form("duration", resolution="minute"), None),
    ],
)
def test_times_and_durations(cells, form, labels):
    column, _ = read_cells(cells)
    assert column.form == form
    expected = labels or [td.to_pytimedelta() for td in pd.to_timedelta(cells)]
    assert column.labels() == expected


def test_nearly_dates_and_impossible_ones():
    column, decision = read_cells(["2024-01-31"] * 30 + ["soon", "NA"])
    assert column.labels()[-2:] == [None, None]
    assert decision.notes[-1].text == "In 'x', 'soon' (1 cell, line 32) is not a date and counts as missing."
    assert read_cells(["2024-13-01", "2024-02-30"])[0].kind == "nominal"
    assert read_cells(["2023-02-29", *["2024-02-29"] * 30])[0].labels()[0] is None
    assert read_cells(["3:75", "4:99"])[0].kind == "nominal"
    assert read_cells(["7", *["2024-02-29"] * 30])[0].labels()[0] is None


def test_dates_that_the_user_says_are_dates():
    assert read_cells(["20240131", "20240201"], kinds={"x": "date"})[0].labels()[0] == dt.date(2024, 1, 31)
    assert read_cells(["2021", "1999"], kinds={"x": "date"})[0].labels()[1] == dt.date(1999, 1, 1)
    assert read_cells(["2024-01-31"], kinds={"x": "nominal"})[0].labels() == ["2024-01-31"]
    with pytest.raises(FileError, match=r"holds 'soon'. A date was expected.*line 3"):
        read_cells(["2024-01-31", "soon"], kinds={"x": "date"})


def test_midnights_are_dates():
    assert read_cells(["2024-01-31 00:00:00", "2024-02-01 00:00"])[0].form == Form("date")


@pytest.mark.parametrize("resolution", ["day", "minute", "second", "millisecond", "microsecond"])
def test_moments_are_written_as_numpy_writes_them(resolution):
    unit = {"day": "D", "minute": "m", "second": "s", "millisecond": "ms", "microsecond": "us"}[resolution]
    form = Form("date") if resolution == "day" else Form("timestamp", resolution=resolution)
    for moment, value in zip(MOMENTS, DAYS, strict=True):
        moment = np.datetime64(moment).astype(f"M8[{unit}]")
        value = float((moment.astype("M8[us]").astype(np.int64)) / 86_400e6)
        assert moment_text(value, form) == str(moment).replace("T", " ")
