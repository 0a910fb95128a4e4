"""The terminal: 80 columns whatever is in it, color only where somebody looks."""

import io
from dataclasses import replace

import pytest
import report_sample
from rich.cells import cell_len
from test_report_comment import with_risks

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.labels import replicate_words
from scrutiny.blocks.section import ColumnsBlock, Part, SentenceBlock
from scrutiny.blocks.terminal_and_markdown import block_lines, fold
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.first_screen.decisions import _names_of
from scrutiny.report.first_screen.found_risks import told_apart
from scrutiny.report.first_screen.text import risk_lines
from scrutiny.report.text import plain_text, write_terminal
from scrutiny.report.wording import models_in_words, scope_words


class Tty(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def relabeled(says, **changes):
    view = report_sample.sample()
    findings = tuple(
        replace(f, claim=replace(f.claim, says=f"{says} {i}"), **changes)
        for i, f in enumerate(view.findings)
    )
    return replace(view, findings=findings)


WIDE = "这个模型对拼写错误非常敏感而且在所有数据集上都是如此吗 🙂🙂 👩‍👩‍👧 Ünïcödé é"
VIEWS = {
    "sample": report_sample.sample(),
    "one replicate": report_sample.one_replicate(),
    "empty": report_sample.empty(),
    "many": report_sample.many(),
    "hostile": report_sample.hostile(),
    "wide": relabeled(WIDE * 3),
    "long words": relabeled("x" * 300, reason="y" * 200),
    "numbers only": replace(report_sample.sample(), findings=()),
}


def test_golden(golden):
    golden("report_terminal.txt", plain_text(report_sample.sample()))


@pytest.mark.parametrize("name", VIEWS)
def test_no_line_is_wider_than_80_cells(name):
    text = plain_text(VIEWS[name])
    assert text.endswith("\n")
    assert [line for line in text.splitlines() if cell_len(line) > 80] == []


@pytest.mark.parametrize("name", VIEWS)
def test_text_holds_no_control_characters(name):
    text = plain_text(VIEWS[name])
    assert [c for c in text if c != "\n" and not c.isprintable()] == []


def test_first_line_is_the_verdict():
    assert plain_text(report_sample.sample()).startswith("3 of 18 changes hurt builtin:sentiment")


def test_every_claim_has_its_verdict_in_words_with_n_of_planned():
    view = report_sample.sample()
    text = plain_text(view)
    for finding in view.findings:
        if finding.estimate is not None:
            counts = finding.estimate.counts
            assert f"{counts.n}/{counts.planned}" in text
    assert text.count("  not supported") == 9
    assert text.count(" refused") >= 1
    assert "needs the extra hf" in text


def test_numbers_are_never_cut():
    view = report_sample.sample()
    estimate = replace(
        view.findings[1].estimate, value=-123456.7891, low=-123456.7896, high=-123456.7886
    )
    finding = replace(view.findings[1], estimate=estimate, control=estimate)
    text = plain_text(replace(view, findings=(finding,)))
    assert text.count("−123,456.7891 [−123,456.7896, −123,456.7886]") == 2


SCOPES = ("this checkpoint", "these checkpoints", "this recipe", "beyond this dataset")


@pytest.mark.parametrize("n", [48, 640, 123_456])
@pytest.mark.parametrize("scope", [f"{of}{on}" for of in SCOPES for on in ("", ", on these items")])
def test_the_scope_is_never_cut(n, scope):
    view = report_sample.sample()
    counts = replace(view.findings[1].estimate.counts, n=n)
    estimate = replace(view.findings[1].estimate, counts=counts)
    finding = replace(view.findings[1], estimate=estimate, scope=scope)
    lines = plain_text(replace(view, findings=(finding,))).splitlines()
    ends = [line for line in lines if line.endswith(scope_words(scope))]
    assert len(ends) == 1
    assert any(f"{n}/{counts.planned}" in line.replace(",", "") for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("scope", [f"{of}{on}" for of in SCOPES for on in ("", ", on these items")])
def test_the_scope_of_a_risk_is_never_cut(scope):
    view = with_risks()
    hurt = [replace(f, scope=scope) if f.verdict == "hurts" else f for f in view.findings]
    view = replace(view, findings=tuple(hurt))
    lines = [line.plain for line in risk_lines(first_screen_of(view))]
    row = next(i for i, line in enumerate(lines) if line.startswith("\N{BLACK CIRCLE} typos"))
    cells = [line[56:].strip() for line in lines[row : row + 3]]
    assert scope_words(scope) in " ".join(cells)
    assert max(map(len, lines)) <= 80


def test_plain_where_nobody_looks(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    stream = io.StringIO()
    write_terminal(report_sample.sample(), stream)
    written = [line.rstrip() for line in stream.getvalue().splitlines()]
    assert written == plain_text(report_sample.sample()).splitlines()


def test_color_on_a_terminal_and_none_with_no_color(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    colored = Tty()
    write_terminal(report_sample.sample(), colored)
    assert "\x1b[" in colored.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Tty()
    write_terminal(report_sample.sample(), plain)
    assert "\x1b[3" not in plain.getvalue()
    assert "✓ typos" in plain.getvalue()


def test_streams_without_unicode_get_ascii():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    write_terminal(report_sample.sample(), stream)
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "+ typos" in text
    assert "x tense" in text


def test_long_reports_say_what_they_leave_out():
    text = plain_text(report_sample.many(200))
    assert "… and 140 more claims" in text
    assert "--format md" in text


def test_empty_run_says_so():
    text = plain_text(report_sample.empty())
    assert "No claim was made" in text
    assert "The run has no estimates." in text


def test_run_without_claims_prints_its_numbers():
    view = replace(report_sample.sample(), findings=())
    text = plain_text(view)
    assert "0.861 [0.840, 0.882]" in text
    assert "226/640" in text


def test_footer_says_how_to_go_on():
    text = plain_text(report_sample.sample())
    for said in (
        "run: runs/audit-sentiment",
        "-o report.html",
        "5 replicates",
        "2,000",
        "crossed@1",
    ):
        assert said in text


def test_reasons_that_differ_in_numbers_are_said_once():
    view = report_sample.sample()
    findings = tuple(
        replace(f, reason=f"the interval does not clear its limit: {i}.5 against {i}")
        for i, f in enumerate(view.findings)
        if f.verdict == "undecided"
    )
    text = " ".join(plain_text(replace(view, findings=findings)).split())
    assert text.count("does not clear its limit") == 1
    assert "(`--format md` prints the reason of each)" in text


def test_what_reasons_have_in_common_ends_with_a_whole_clause():
    view = report_sample.sample()
    reason = "costs between -4 and 4 points: so many items would do: it lies near the limit of {}"
    findings = tuple(
        replace(f, reason=reason.format(f"type {chr(97 + i)} only"))
        for i, f in enumerate(view.findings)
        if f.verdict == "undecided"
    )
    text = " ".join(plain_text(replace(view, findings=findings)).split())
    assert "points: so many items would do (`--format md` prints the reason of each)" in text


def test_few_reasons_are_said_in_full():
    view = report_sample.sample()
    findings = tuple(replace(f, reason=f"because of {f.claim.id}") for f in view.findings[1:3])
    text = " ".join(plain_text(replace(view, findings=findings)).split())
    assert "because of typos" in text
    assert "because of reverse_negation" in text


def plain(*blocks):
    return [line.plain for line in block_lines(blocks)]


def test_columns_fold_their_labels_below_the_numbers():
    rows = (("typos and OCR noise", "1", "2"), ("case", "3", "4"))
    block = ColumnsBlock(("change", "n", "most"), (8, 3, 4), rows, indent=1, hanging=2)
    assert plain(block) == [
        "change   n   most",
        " typos   1   2",
        "   and",
        "   OCR",
        "   noise",
        " case    3   4",
    ]


def test_a_last_cell_without_room_stands_on_a_line_of_its_own():
    fits, not_so = ("a", "x" * 20), ("b", "y" * 21)
    said = plain(ColumnsBlock((), (59, 20), (fits, not_so)))
    assert said == [f"{'a':<60}{'x' * 20}", "b", f"{'y' * 21:>80}"]


def test_a_sentence_is_folded_or_cut():
    long = "word " * 30
    folded = plain(SentenceBlock(long, hanging=2))
    assert len(folded) == 2
    assert folded[1].startswith("  word")
    (cut,) = plain(SentenceBlock(long, hanging=2, is_cut=True))
    assert cut.startswith("  word")
    assert cut.endswith("…")
    assert plain(SentenceBlock("")) == [""]


def test_a_whole_section_is_a_block_too():
    chart = Chart("a", "A table", "", ChartTable(("of", "n"), (("x", "1"),)))
    said = plain(SentenceBlock("before", "bold"), Part("p", "A question?", "", (chart,)))
    assert said == ["before", "", "A question?", "  of  n", "  x   1"]


def test_long_names_of_recipes_are_broken_behind_commas():
    named = "tautology (said=sentence,fields=text_pair) on pairs"
    assert fold(named, 19) == ["tautology", "(said=sentence,", "fields=text_pair)", "on pairs"]
    assert fold("incomprehensibilities", 10) == ["incomprehe", "nsibilitie", "s"]


def test_models_are_counted_where_all_of_them_have_seeds():
    view = report_sample.sample()

    def told(*names):
        facts = replace(view.facts, replicates=tuple(map(replicate_words, names)))
        return models_in_words(replace(view, facts=facts))

    assert told('{"seed":1}', '{"seed":2}') == "2 models"
    assert told("{}") == told('{"seed":1}', "{}") == told(None, '{"seed":1}') == ""


def test_risks_of_one_name_say_of_which_model_or_measurement():
    risk = first_screen_of(with_risks()).risks[0]
    found = risk.finding.estimate

    def of(model, measurement, data):
        claim = replace(risk.finding.claim, id=f"{measurement}/typos")
        estimate = replace(found, key=replace(found.key, subject=model, dataset=data))
        finding = replace(risk.finding, claim=claim, estimate=estimate)
        return replace(risk, finding=finding, what="typos", where=data)

    alone, one, other = of("a", "m", "films"), of("a", "m", "news"), of("b", "m", "news")
    assert [r.name for r in told_apart([alone, one, other])] == [
        "typos on films", "typos on news (a)", "typos on news (b)",
    ]  # fmt: skip
    apart = told_apart([one, of("a", "n", "news")])
    assert [r.name for r in apart] == ["typos on news (m)", "typos on news (n)"]
    assert _names_of([alone, one, other]) == ["typos on 2 datasets"]
    assert _names_of([one, other]) == ["typos, 2 times"]
