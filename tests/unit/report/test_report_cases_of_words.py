"""Cases of texts that are cut into words: told by the words that differ, not by their lengths."""

import pytest

import scrutiny

#: 三 is a word of the list, and no longer numeral is: the longest match cuts these up.
WORDS = "他 有 三 本 书 。 我 看 五 只 猫"
ROWS = [{"segmented": one} for one in ("他 有 三 本 书 。", "我 有 五 只 猫 。", "请 看 书 。")]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")
    (folder / "words.txt").write_text(WORDS, encoding="utf-8")
    return scrutiny.run(
        "robustness",
        model=f"rules:longest-match#words={folder / 'words.txt'}",
        data=ROWS,
        task="word-segmentation",
        transformations=["chinese_number", "verb_one_verb"],
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


def test_words_that_the_change_itself_tells_apart_are_the_same_where_the_model_has_them(run):
    """Of 看 it makes three words, as the list does: no answer changed."""
    (row,) = run.cases("verb_one_verb").to_arrow().to_pylist()
    assert row["after"] == "请看一看书。"
    assert (row["flipped"], row["said_before"], row["said_after"]) == (0, "the same", "the same")
