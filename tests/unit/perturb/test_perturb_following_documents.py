"""Documents appended to documents: mentions come along, and are nobody of the first one."""

from scrutiny.core.answers.clusters import CLUSTERS, clusters_of
from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.resources.other_items import OtherItems
from scrutiny.text.edits import apply_edits

GOLD = clusters_of("text", [[(0, 3), (11, 14)]])


def document(name, of, said="Ida left . She slept ."):
    return Example(name, {"text": said}, GOLD, attributes={"u_document": of})


def test_mentions_of_the_next_document_are_clusters_of_their_own():
    one, two = document("1", "a"), document("2", "b", "Bob left , Bob slept .")
    variant = perturb(
        one,
        "concatenate(count=1)",
        seed=0,
        resources={"items": OtherItems([one, two])},
        task="coreference",
    )
    after = apply_edits(one, variant.edits)
    assert variant.status == "ok"
    assert CLUSTERS.check(variant.gold, after) is None
    assert [[after.text[a:b] for a, b in c] for c in variant.gold.clusters] == [
        ["Ida", "She"],
        ["Bob", "Bob"],
    ]


def test_a_window_of_the_same_document_is_not_appended():
    one, two = document("1", "a"), document("2", "a")
    items = OtherItems([one, two])
    variant = perturb(
        one, "concatenate(count=1)", seed=0, resources={"items": items}, task="coreference"
    )
    assert (variant.status, variant.edits) == ("skipped", ())
