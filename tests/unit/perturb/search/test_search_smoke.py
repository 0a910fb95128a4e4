from scrutiny.core.example import Example
from scrutiny.perturb.search import Search, Settings, Space, Victim, search_all
from scrutiny.perturb.search.goals.keep_output import KeepOutput
from scrutiny.perturb.search.goals.untargeted import Untargeted
from scrutiny.perturb.search.methods.exhaustive import Exhaustive
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.universal.typos import Typos
from scrutiny.testing.toy_models import KeywordClassifier

ITEMS = [
    Example("a", {"text": "A good film with good actors and one bad scene"}, gold="positive"),
    Example("b", {"text": "Nothing here is worth seeing"}, gold="positive"),
    Example("c", {"text": "A charming film"}),
]


def test_a_search_of_each_kind_runs():
    model = KeywordClassifier()
    victim = Victim(model.predict, model.labels)
    space = Space.of(Typos(mode="delete"), Typos(mode="insert"), most=1)
    found = list(search_all(ITEMS, Search(space, Untargeted(), GreedyRanked()), victim=victim))
    assert [f.status for f in found] == ["ok", "skipped", "skipped"]
    assert [f.reason for f in found] == [None, "already_wrong", "no_gold"]
    assert found[0].is_success
    assert len(found[0].state.edits) == 1  # 2 good, 1 bad is .6; 1 and 1 is a tie
    kept = list(
        search_all(
            ITEMS, Search(space, KeepOutput(), Exhaustive()), victim=victim, settings=Settings(1)
        )
    )
    assert all(f.is_success and f.score == 1 for f in kept)
