"""Whether two endpoints serve the same model: a sequential test, and the size of what it found."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.randomness import generator
from scrutiny.models.http.doctor.asking import TELLING, Asker, DoctorFinding, Heard, distance, enter
from scrutiny.stats.significance.combined_tests import ExchangeTest

#: Requests of one question: each endpoint answers it twice.
REQUESTS: Final = 4
NAME: Final = "same model"
#: Mean difference of log-probabilities up to which it is arithmetic, and not other weights. Against
#: SmolLM2 in float32 there were seen .05 (bfloat16), .09 (llama.cpp; weights of 8 bits), .29 (6
#: bits), .56 (5), .81 (4), and with 3 bits 1.5.
_ARITHMETIC: Final = 0.2
_RELATED: Final = 1.2
_TIE: Final = 0.3  # tokens nearer than this are equally likely
_SCORES: Final = 0.02  # difference of probabilities of labels that is arithmetic
_AGREE: Final = 0.8  # share of equal likeliest tokens of one model
_LIKELY: Final = 10  # likeliest tokens that are compared
_Distribution = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Size:
    """How far two endpoints lie apart on one question, and whether their answers begin alike."""

    shift: float
    begins_alike: bool


def check_same_model(asker: Asker, other: Asker, *, questions: int, level: float) -> DoctorFinding:
    """Whether two endpoints answer alike; asks no longer than it takes to see a difference."""
    fewest = ExchangeTest.fewest_questions(level)
    if questions < fewest:
        says = (
            f"Too few requests: {fewest * REQUESTS} tell two models apart at this "
            "level. Raise --most-requests."
        )
        return DoctorFinding(NAME, "can't tell", says)
    by_logs = asker.gives_logs and other.gives_logs
    test, sizes, exact, failed = ExchangeTest(level), [], 0, 0
    rng = generator(0, "doctor", name="exchange@1", item=NAME)
    for text in TELLING[:questions]:
        order = rng.permutation(REQUESTS)
        found = _asked(text, (asker, other), [int(place) for place in order], by_logs=by_logs)
        if found is None:
            failed += 1
            continue
        exact += enter(test, found)
        sizes.append(_size(found))
        if test.differs:
            break
    numbers: dict[str, object] = {
        "questions": test.questions,
        "failed": failed,
        "p": test.p_value,
        "by": "log-probabilities" if by_logs else "scores" if asker.endpoint.scores else "texts",
        "shift": median(one.shift for one in sizes) if sizes else None,
        "alike": sum(one.begins_alike for one in sizes),
    }
    if not sizes:
        return DoctorFinding(NAME, "fault", "No question was answered by both.", numbers)
    if not test.differs:
        most = test.most_that_differ
        alike = (
            f"All answers are the same: at most {100 * most:.0f} % of such questions have others"
            if exact == test.questions
            else f"Answers differ between them no more than within each (p = {test.p_value:.2g})"
        )
        says = f"No difference on {test.questions} questions. {alike}."
        return DoctorFinding(NAME, "ok", says, numbers)
    return _graded(sizes, numbers)


def _graded(sizes: Sequence[_Size], numbers: Mapping[str, object]) -> DoctorFinding:
    """Finding about a difference that is beyond chance: by its size."""
    n = len(sizes)
    same, shift = sum(one.begins_alike for one in sizes), median(one.shift for one in sizes)
    seen = f"Told apart after {n} questions (p = {numbers['p']:.2g})"
    if numbers["by"] == "scores":
        is_small = shift <= _SCORES and same >= _AGREE * n
        what = "Same answers, other arithmetic." if is_small else "Another model."
        says = f"{what} {seen}: probabilities differ by {shift:.2g}, {same} of {n} labels agree."
        return DoctorFinding(NAME, "ok" if is_small else "fault", says, numbers)
    if numbers["by"] == "texts":
        if same < _AGREE * n:
            says = f"Another model. {seen}: {n - same} of {n} answers begin otherwise."
            return DoctorFinding(NAME, "fault", says, numbers)
        says = (
            f"{seen}, but {same} of {n} answers begin alike: another engine, precision or "
            "quantization, or a close relative. Log-probabilities would tell which."
        )
        return DoctorFinding(NAME, "can't tell", says, numbers)
    seen += f": log-probabilities differ by {shift:.2g}, {same} of {n} likeliest tokens agree."
    if shift <= _ARITHMETIC and same >= _AGREE * n:
        says = f"Same answers, other arithmetic: another engine or precision. {seen}"
        return DoctorFinding(NAME, "ok", f"{says} Don't mix their answers in one run.", numbers)
    if shift <= _RELATED and same >= _AGREE * n / 2:
        says = f"A coarsely quantized twin, or another version of the model. {seen}"
        return DoctorFinding(NAME, "fault", f"{says} Don't take one for the other.", numbers)
    return DoctorFinding(NAME, "fault", f"Another model. {seen}", numbers)


def _asked(
    text: str, askers: Sequence[Asker], order: Sequence[int], *, by_logs: bool
) -> list[Heard] | None:
    """Two answers of each endpoint, asked in this order; None if one is missing."""
    found: dict[int, Heard] = {}
    for place in order:
        asker = askers[place // 2]
        members = {"tokens": 1, **asker.logs()} if by_logs else {}
        (one,) = asker.ask([asker.said(text, **members)])
        if isinstance(one, Failure):
            return None
        found[place] = one
    return [found[place] for place in range(REQUESTS)]


def _size(found: Sequence[Heard]) -> _Size:
    """Size of the difference of one question."""
    if found[0].logs and found[2].logs:
        a, b = found[0].logs, found[2].logs
        # Mean difference of log-probabilities of tokens that are likely for one of both. A token
        # that the other doesn't list is at most as likely there as the last that it lists.
        likely = {t for x in (a, b) for t in sorted(x, key=lambda t: -x[t])[:_LIKELY]}
        ends = min(a.values()), min(b.values())
        apart = [abs(a.get(t, ends[0]) - b.get(t, ends[1])) for t in likely]
        return _Size(math.fsum(apart) / len(apart), _leads(a, b) and _leads(b, a))
    first = [(one.label or one.text).split()[:1] for one in (found[0], found[2])]
    return _Size(distance(found[0], found[2]), first[0] == first[1])


def _leads(one: _Distribution, other: _Distribution) -> bool:
    """Whether the likeliest token of one is the likeliest of the other, too, ties aside."""
    return other.get(max(one, key=lambda t: one[t]), -math.inf) >= max(other.values()) - _TIE
