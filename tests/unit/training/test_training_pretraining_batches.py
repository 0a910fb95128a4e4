from dataclasses import replace

import numpy as np
import pytest
from pretraining_texts import SMALL, write_texts

from scrutiny.training.pretraining.batches import IGNORED, Batches
from scrutiny.training.pretraining.corpus import CLS, MASK, SEP
from scrutiny.training.pretraining.pretraining import prepare
from scrutiny.training.pretraining.recipe import Phase

pytest.importorskip("tokenizers")
PHASE, ONE = Phase(1.0, 16, 4), Phase(1.0, 16, 1)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return prepare([write_texts(tmp_path_factory.mktemp("texts"))], SMALL)


def batches(prepared, seed=1, **changes):
    return Batches(prepared.corpus, replace(prepared.recipe, **changes), seed)


def restored(batch):
    """Rows before anything was hidden."""
    rows = batch.pieces.copy()
    rows.ravel()[batch.places] = batch.answers
    return rows


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_a_batch_depends_on_seed_and_step_alone(prepared):
    forward, other = batches(prepared), batches(prepared, seed=2)
    steps = [7, 0, 19, 3]
    there = {step: batches(prepared).at(step) for step in reversed(steps)}
    assert all(same(forward.at(step), there[step]) for step in steps)
    assert not any(same(forward.at(step), other.at(step)) for step in steps)


def test_rows_are_full_and_have_their_special_pieces(prepared):
    made = batches(prepared, single_share=0.0)
    for step in range(20):
        batch = made.at(step)
        rows = restored(batch)
        assert rows.shape == ((4, 16) if step < 10 else (3, 24))
        assert (rows[:, 0] == CLS).all()
        assert (rows[:, -1] == SEP).all()
        assert ((rows == SEP).sum(axis=1) == 2).all()
        for row, segments in zip(rows, batch.segments, strict=True):
            border = np.flatnonzero(row == SEP)[0] + 1
            assert segments.tolist() == [0] * border + [1] * (len(row) - border)


def flat_places(corpus, run):
    """Places in the corpus where a run of pieces stands."""
    text = corpus.pieces.astype(np.int64)
    windows = np.lib.stride_tricks.sliding_window_view(text, len(run))
    return set(np.flatnonzero((windows == run).all(axis=1)).tolist())


def test_the_second_segment_follows_where_the_label_says_so(prepared):
    corpus = prepared.corpus
    owner = np.repeat(corpus.document, corpus.sizes())
    made = batches(prepared, single_share=0.0)
    seen = {0: 0, 1: 0}
    for step in range(20):
        batch = made.at(step)
        for row, label in zip(restored(batch), batch.is_next, strict=True):
            first, last = np.flatnonzero(row == SEP)
            a, b = row[1:first], row[first + 1 : last]
            follows = {p + len(a) for p in flat_places(corpus, a)} & flat_places(corpus, b)
            if label == 1:
                documents = {owner[p] for p in flat_places(corpus, a)}
                assert any(owner[p] not in documents for p in flat_places(corpus, b))
                assert flat_places(corpus, b) & set(corpus.starts.tolist())
            else:
                assert follows
            if label != IGNORED:
                assert follows <= set(corpus.starts.tolist()) or label == 1
                seen[int(label)] += 1
    assert min(seen.values()) >= 10


def test_single_sentences_have_one_length_and_no_second_segment(prepared):
    made = batches(prepared, single_share=1.0)
    corpus = prepared.corpus
    whole = {
        tuple(corpus.pieces[a:b].tolist())
        for a, b in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)
    }
    lengths = set()
    for step in range(20):
        batch = made.at(step)
        rows = restored(batch)
        lengths.add(rows.shape[1])
        assert set(batch.is_next.tolist()) == {IGNORED}
        assert not batch.segments.any()
        assert all(tuple(row[1:-1].tolist()) in whole for row in rows)
        assert rows.size <= 4 * 16 if step < 10 else rows.size <= 3 * 24
    assert len(lengths) > 1


def test_a_fifth_is_hidden_in_the_known_proportions(prepared):
    made = batches(prepared, single_share=0.0, steps=400)
    hidden = masked = kept = total = 0
    for step in range(300):
        batch = made.at(step)
        now = batch.pieces.ravel()[batch.places]
        assert not np.isin(batch.answers, (CLS, SEP)).any()
        assert len(set(batch.places.tolist())) == len(batch.places)
        hidden, masked = hidden + len(now), masked + int((now == MASK).sum())
        kept += int((now == batch.answers).sum())
        total += int(((restored(batch) != CLS) & (restored(batch) != SEP)).sum())
    assert hidden / total == pytest.approx(0.2, abs=0.035)  # whole pieces of short rows
    assert masked / hidden == pytest.approx(0.8, abs=0.03)
    assert kept / hidden == pytest.approx(0.1, abs=0.03)


def masks_by_passage(made, steps):
    """Set of maskings with which each passage was met, by its pieces."""
    found = {}
    for step in range(steps):
        batch = made.at(step)
        length = batch.pieces.shape[1]
        for number, row in enumerate(restored(batch)):
            own = batch.places[batch.places // length == number] % length
            found.setdefault(tuple(row.tolist()), set()).add(
                (tuple(own.tolist()), tuple(batch.pieces[number].tolist()))
            )
    return found


def test_static_masks_are_drawn_once_for_each_passage(prepared):
    shape = {"single_share": 0.0, "steps": 200, "phases": (PHASE,)}
    static = masks_by_passage(batches(prepared, masking="static", **shape), 60)
    dynamic = masks_by_passage(batches(prepared, masking="dynamic", **shape), 60)
    n = batches(prepared, **shape).n_passages(PHASE.length)
    assert len(static) == n  # the same rows in every epoch
    assert all(len(ways) == 1 for ways in static.values())
    assert max(len(ways) for ways in dynamic.values()) > 1


def test_every_passage_is_met_once_in_an_epoch(prepared):
    made = batches(prepared, single_share=0.0, steps=200, masking="static", phases=(ONE,))
    n = made.n_passages(ONE.length)
    rows = [tuple(restored(made.at(step))[0].tolist()) for step in range(2 * n)]
    assert set(rows[:n]) == set(rows[n:])
    assert len(set(rows[:n])) == n


def test_texts_of_single_sentences_alone_train_too(tmp_path):
    prepared = prepare([write_texts(tmp_path, [["One sentence here."], ["Two of them."]])], SMALL)
    batch = Batches(prepared.corpus, prepared.recipe, 1).at(0)
    assert len(batch.pieces)
