"""Cases of texts that are cut into words: told by the words that differ, not by their lengths."""

import pytest

import scrutiny

#: 三 is a word of the list, and no longer numeral is: the longest match cuts these up.
WORDS = "他 有 三 本 书 。 我 看 五 只 猫"
ROWS = [{"segmented": one} for one in ("他 有 三 本 书 。", "我 有 五 只 猫 。", "他 看 书 。")]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")
    (folder / "words.txt").write_text(WORDS, encoding="utf-8")
    return scrutiny.run(
        "robustness",
        model=f"rules:longest-match#words={folder / 'words.txt'}",
        data=ROWS,
        task="word-segmentation",
        transformations=["chinese_number"],
        out=folder / "run",
    )


def test_a_case_names_the_words_that_are_cut_otherwise(run):
    rows = run.cases("chinese_number").to_arrow().to_pylist()
    assert {row["before"] for row in rows} == {"他有三本书。", "我有五只猫。"}
    for row in rows:
        assert (row["flipped"], row["broken"], row["mended"]) == (1, 1, 0)
        new = row["after"][2:-3]  # the numeral that stands there now
        assert len(new) > 1
        assert row["said_before"] == row["label"] == f"{new} {new}"
        assert row["said_after"] == f"{new} {' | '.join(new)}"
