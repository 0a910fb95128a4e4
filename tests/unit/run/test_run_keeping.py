"""Quick answers wait half a second at most; slow ones do not wait."""

import pytest

from scrutiny.run.asking.answer_store import WAIT_S, Keeping


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Noting:
    def __init__(self):
        self.kept = []

    def put_many(self, answers):
        self.kept.append(len(answers))


def key(number):
    return number.to_bytes(16, "big")


@pytest.mark.parametrize(("seconds", "at_once"), [(0.01, 50), (0.09, 6), (0.2, 1), (3.0, 1)])
def test_answers_are_kept_by_the_half_second(seconds, at_once):
    clock, store = Clock(), Noting()
    with Keeping(store, clock) as keeping:
        for number in range(150):
            clock.now += seconds
            keeping.take({key(number): b""})
            assert (number + 1 - sum(store.kept)) * seconds < WAIT_S
    assert sum(store.kept) == 150
    assert store.kept[0] == pytest.approx(at_once, abs=1)


def test_what_waits_is_kept_when_asking_fails():
    store = Noting()

    def fail():
        with Keeping(store, Clock()) as keeping:
            keeping.take({key(1): b"", key(2): b""})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert store.kept == [2]


def test_nothing_is_not_kept():
    store = Noting()
    with Keeping(store, Clock()) as keeping:
        keeping.take({})
    assert store.kept == []
