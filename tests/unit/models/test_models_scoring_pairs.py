"""Pairs scored in batches are pairs scored by loops that read as the papers do."""

import difflib
import math

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.models.answers.language_answers import ask_or_fail  # noqa: E402
from scrutiny.models.scoring.pair_likelihoods import (  # noqa: E402
    PAIR_VARIANTS,
    ComparedSentences,
    encode_pairs,
    score_pairs,
)
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402

PAIRS = [
    ComparedSentences("the film was good", "the film was bad"),
    ComparedSentences("ada left paris for london .", "ada left london for paris .", swapped=True),
    ComparedSentences("it was fine and dull", "the story was not fine and dull", swapped=True),
    ComparedSentences("films was good", "film was goodly good"),
    ComparedSentences(
        "a very dull story , and not a good film !", "a very fine story , and not a bad film !"
    ),
    ComparedSentences("good", "bad"),
    ComparedSentences("it was fine", "it was fine"),
    ComparedSentences("it was", "it was not"),
]


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    return make_language_model(tmp_path_factory.mktemp("masked"), head="ForPreTraining")


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    return make_language_model(tmp_path_factory.mktemp("causal"), "GPT2", head="LMHeadModel")


def load(folder):
    return load_model(f"hf:{folder}", load_task("sentence-pairs"), LoadOptions(device="cpu"))


def scored(folder, name, pairs=PAIRS):
    """Scores of all pairs by one procedure."""
    model, variant = load(folder), PAIR_VARIANTS[name]
    encoded = encode_pairs(model, pairs, special=not variant.is_causal)
    return score_pairs(model, encoded, variant, lambda *asked: ask_or_fail(model, *asked))


class Naive:
    """One mask, one forward, all logits."""

    def __init__(self, folder):
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.network = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()

    def ids(self, text):
        return self.tokenizer(text)["input_ids"]

    @torch.no_grad()
    def logprobs(self, ids):
        logits = self.network(input_ids=torch.tensor([ids])).logits[0]
        return torch.log_softmax(logits.double(), -1)

    def one(self, ids, position, also=()):
        """log p of a token that is masked, with others masked beside it."""
        masked = list(ids)
        for i in (position, *also):
            masked[i] = self.tokenizer.mask_token_id
        return float(self.logprobs(masked)[position, ids[position]])


def spans(first, second, kind):
    matcher = difflib.SequenceMatcher(None, [str(i) for i in first], [str(i) for i in second])
    one, other = [], []
    for tag, a, b, c, d in matcher.get_opcodes():
        if (tag == "equal") == (kind == "equal"):
            one += range(a, b)
            other += range(c, d)
    return one, other


def official(naive, pair):
    """The procedure of the paper's code, sentence about the disadvantaged group first."""
    first, second = (pair.b, pair.a) if pair.swapped else (pair.a, pair.b)
    first, second = naive.ids(first), naive.ids(second)
    one, other = spans(first, second, "equal")
    assert len(one) == len(other)
    scores = [0.0, 0.0]
    for i in range(1, len(one) - 1):
        scores[0] += naive.one(first, one[i])
        scores[1] += naive.one(second, other[i])
    scores = [round(score, 3) for score in scores]
    return scores[::-1] if pair.swapped else scores


def test_nangia2020_is_the_naive_loop(masked):
    naive = Naive(masked)
    for pair, found in zip(PAIRS, scored(masked, "nangia2020"), strict=True):
        wanted = official(naive, pair)
        assert tuple(found) == pytest.approx(wanted, abs=1.001e-3)
        assert (found.a > found.b) - (found.a < found.b) == (wanted[0] > wanted[1]) - (
            wanted[0] < wanted[1]
        )


def test_bias_bench_is_the_mean_over_changed_tokens(masked):
    naive = Naive(masked)
    for pair, found in zip(PAIRS, scored(masked, "bias-bench"), strict=True):
        first, second = naive.ids(pair.a), naive.ids(pair.b)
        if pair.swapped:
            other, one = spans(second, first, "diff")
        else:
            one, other = spans(first, second, "diff")
        if not one or not other:
            assert found == Failure("empty_side", status="skipped")
            continue
        wanted = [
            round(sum(naive.one(ids, i) for i in places) / len(places), 3)
            for ids, places in ((first, one), (second, other))
        ]
        assert tuple(found) == pytest.approx(wanted, abs=1.001e-3)


def test_pll_original_sums_over_all_tokens(masked):
    naive = Naive(masked)
    for pair, found in zip(PAIRS, scored(masked, "pll-original"), strict=True):
        for text, value in zip(pair[:2], found, strict=True):
            ids = naive.ids(text)
            wanted = sum(naive.one(ids, i) for i in range(1, len(ids) - 1))
            assert value == pytest.approx(wanted, abs=1e-4)


def test_within_word_masks_the_later_pieces_too(masked):
    naive, pair = Naive(masked), PAIRS[3]  # goodly is good ##ly, films is film ##s
    found = scored(masked, "pll-within-word-l2r", [pair])[0]
    ids = naive.ids(pair.a)  # [CLS] film ##s was good [SEP]
    wanted = naive.one(ids, 1, also=(2,)) + sum(naive.one(ids, i) for i in (2, 3, 4))
    assert found.a == pytest.approx(wanted, abs=1e-4)
    assert found.a != pytest.approx(scored(masked, "pll-original", [pair])[0].a, abs=1e-3)


def test_pll_shared_leaves_out_pieces_of_changed_words(masked):
    naive, pair = Naive(masked), ComparedSentences("films was good", "storys was good")
    found = scored(masked, "pll-shared", [pair])[0]
    ids = naive.ids(pair.a)  # [CLS] film ##s was good [SEP]
    assert found.a == pytest.approx(naive.one(ids, 3) + naive.one(ids, 4), abs=1e-4)
    assert scored(masked, "pll-shared", [PAIRS[5]]) == [
        Failure("nothing_shared", status="undefined")
    ]


def test_pll_shared_does_not_mind_the_order(masked):
    back = [ComparedSentences(p.b, p.a, not p.swapped) for p in PAIRS]
    for one, other in zip(
        scored(masked, "pll-shared"), scored(masked, "pll-shared", back), strict=True
    ):
        if not isinstance(one, Failure):
            assert (one.a, one.b) == pytest.approx((other.b, other.a), abs=1e-6)


def test_unmasked_likelihood_with_and_without_attention(masked):
    naive = Naive(masked)
    eager = transformers.AutoModelForMaskedLM.from_pretrained(
        masked, attn_implementation="eager"
    ).eval()
    plain, weighted = scored(masked, "aul"), scored(masked, "aula")
    for pair, found, by_attention in zip(PAIRS, plain, weighted, strict=True):
        ids = naive.ids(pair.a)
        each = naive.logprobs(ids)[range(len(ids)), ids][1:-1]
        assert found.a == pytest.approx(float(each.mean()), abs=1e-5)
        with torch.no_grad():
            layers = eager(torch.tensor([ids]), output_attentions=True).attentions
        received = torch.cat(layers).mean(0).mean(0).mean(0)[1:-1]
        assert by_attention.a == pytest.approx(float((each * received).mean()), abs=1e-5)


def test_causal_sum_and_mean(causal):
    tokenizer = transformers.AutoTokenizer.from_pretrained(causal)
    network = transformers.AutoModelForCausalLM.from_pretrained(causal).eval()

    @torch.no_grad()
    def logprobs(ids):
        logits = network(torch.tensor([ids])).logits[0].double()
        return torch.log_softmax(logits, -1)[range(len(ids) - 1), ids[1:]]

    begin = tokenizer.eos_token_id
    for name in ("causal-sum", "causal-mean"):
        for pair, found in zip(PAIRS, scored(causal, name), strict=True):
            ids = tokenizer(pair.a)["input_ids"]
            if name == "causal-sum":
                wanted = float(logprobs([begin, *ids]).sum())
            else:  # as released: only the first token is read after the begin token
                values = [float(logprobs([begin, ids[0]])[0])]
                values += logprobs(ids).tolist() if len(ids) > 1 else []
                wanted = sum(values) / len(values)
            assert found.a == pytest.approx(wanted, abs=1e-4)


def test_long_sentences_fail_and_others_do_not(masked):
    long = ComparedSentences("the film was good " * 10, "the film was bad " * 10)
    found = scored(masked, "nangia2020", [long, PAIRS[0]])
    assert found[0] == Failure("too_long")
    assert not isinstance(found[1], Failure)


def test_procedures_share_their_queries(masked):
    """What one has asked, the cache answers for the next."""
    model = load(masked)
    encoded = encode_pairs(model, PAIRS[:6])  # without those that bias-bench skips
    asked = {}
    for name in ("nangia2020", "pll-shared", "bias-bench", "pll-original"):
        seen = []

        def ask(capability, queries, seen=seen):
            seen += queries
            return ask_or_fail(model, capability, queries)

        score_pairs(model, encoded, PAIR_VARIANTS[name], ask)
        asked[name] = set(seen)
    assert asked["pll-original"] <= asked["nangia2020"] | asked["bias-bench"]
    assert asked["pll-shared"] & asked["nangia2020"]


def test_a_failing_query_fails_its_pair_only(masked):
    model = load(masked)
    encoded = encode_pairs(model, PAIRS[:3])

    def ask(capability, queries):
        answers = ask_or_fail(model, capability, queries)
        return [Failure("model_error") if i == 0 else a for i, a in enumerate(answers)]

    found = score_pairs(model, encoded, PAIR_VARIANTS["nangia2020"], ask)
    assert found[0] == Failure("model_error")
    assert not any(isinstance(score, Failure) for score in found[1:])


def test_an_infinite_likelihood_is_no_number(masked):
    model = load(masked)
    encoded = encode_pairs(model, PAIRS[:1])

    def ask(capability, queries):
        del capability
        return [tuple((-math.inf,) for _ in query) for query in queries]

    found = score_pairs(model, encoded, PAIR_VARIANTS["aul"], ask)
    assert found == [Failure("non_finite")]
