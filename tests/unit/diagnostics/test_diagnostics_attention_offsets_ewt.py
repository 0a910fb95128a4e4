"""Best fixed offset of each relation on UD English EWT, against a count of the raw file."""

from collections import Counter

import numpy as np
import pytest

from scrutiny.core.queries.annotation import Arcs
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.attention.arc_counts import OFFSETS, RELATIONS, GoldArcs, arcs_at_offsets


def offsets_of_the_file(path):
    """How often each relation has its head how far away, and how often it occurs: line by line."""
    apart, n = Counter(), Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) < 10 or not cells[0].isdecimal() or cells[6] == "0":
            continue
        relation = cells[7].split(":")[0]
        apart[relation, int(cells[6]) - int(cells[0])] += 1
        n[relation] += 1
    return apart, n


@pytest.mark.reproduces
@pytest.mark.data("ud_english_ewt")
def test_best_offset_of_each_relation(shared_data):
    path = shared_data("ud_english_ewt") / "en_ewt-ud-dev.conllu"
    apart, n = offsets_of_the_file(path)
    gold = [GoldArcs.of(Arcs.of(e)) for e in load_dataset(f"conllu:{path}").examples]
    right = [arcs_at_offsets(one.heads) for one in gold]
    table = {}
    for relation in RELATIONS:
        cases = [one.cases(relation) for one in gold]
        hits = sum(r[:, c].sum(axis=1) for r, c in zip(right, cases, strict=True))
        assert sum(c.size for c in cases) == n[relation]
        assert hits.tolist() == [apart[relation, offset] for offset in OFFSETS]
        best = int(np.argmax(hits))
        table[relation] = OFFSETS[best], f"{100 * hits[best] / n[relation]:.1f}"
    shown = ("det", "amod", "nsubj", "obj", "case", "conj")
    assert {name: table[name] for name in shown} == {
        "det": (1, "58.9"),
        "amod": (1, "74.7"),
        "nsubj": (1, "33.9"),
        "obj": (-2, "35.8"),
        "case": (1, "37.7"),
        "conj": (-2, "26.6"),
    }
