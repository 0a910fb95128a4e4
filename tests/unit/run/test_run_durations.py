"""Durations as people read and write them."""

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.run.budgeting.durations import in_words, seconds_of


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("2m", 120), ("1.5h", 5400), (" 3 M ", 180), ("0.5s", 0.5)]
)
def test_durations_read(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "2", "m", "0m", "-1m", "2 days", "1m30s", "nan s", "١m"])
def test_what_is_no_duration_says_how_it_is_written(text):
    with pytest.raises(PlanError, match=r"90s, 2m or 1\.5h"):
        seconds_of(text)


@pytest.mark.parametrize("seconds", [0.0, 1, 59.4, 59.6, 60, 61, 3599.6, 3600, 7199, 90_000])
def test_words_are_never_far_off(seconds):
    said = in_words(seconds).split()
    units = {"s": 1, "min": 60, "h": 3600}
    back = sum(int(n) * units[unit] for n, unit in zip(said[::2], said[1::2], strict=True))
    assert back == pytest.approx(seconds, rel=0.01, abs=1.0)
    assert all(int(n) > 0 for n in said[::2]) or seconds == 0
