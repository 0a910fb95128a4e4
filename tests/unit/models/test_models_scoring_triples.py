"""Fillings and continuations, against loops that read as the released code does."""

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.models.answers.language_answers import ask_or_fail  # noqa: E402
from scrutiny.models.scoring.completion_likelihoods import FILLING_VARIANTS, Filling  # noqa: E402
from scrutiny.models.scoring.likelihood_questions import answer_all  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402

FILLINGS = [
    Filling("the film was BLANK .", "the film was goods ."),
    Filling("BLANK was fine", "ada was fine"),
    Filling("ada left BLANK for BLANK", "ada left paris for paris"),
    Filling("the BLANK was not bad", "the story was not bad"),
]
CONTINUED = [Filling("the film was good .", "it was fine"), Filling("bad", "ada left paris")]


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    return make_language_model(tmp_path_factory.mktemp("masked"), head="ForPreTraining")


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    return make_language_model(tmp_path_factory.mktemp("causal"), "GPT2", head="LMHeadModel")


def load(folder):
    return load_model(f"hf:{folder}", load_task("sentence-triples"), LoadOptions(device="cpu"))


def scored(folder, name, fillings):
    model = load(folder)
    questions = FILLING_VARIANTS[name].question(model, fillings)
    return answer_all(questions, lambda *asked: ask_or_fail(model, *asked))


@pytest.fixture(scope="module")
def read(masked):
    """Tokenizer, and probabilities ``(token, word)`` of one sequence by transformers itself."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(masked)
    network = transformers.BertForPreTraining.from_pretrained(masked).eval()

    @torch.no_grad()
    def probabilities(ids):
        return torch.softmax(network(torch.tensor([ids])).prediction_logits[0].double(), -1)

    return tokenizer, probabilities


def test_nadeem2021_reads_one_mask_at_a_time_and_averages_probabilities(masked, read):
    tokenizer, probabilities = read
    words = ["goods", "ada", "paris", "story"]
    for filling, word, found in zip(
        FILLINGS, words, scored(masked, "nadeem2021", FILLINGS), strict=True
    ):
        pieces = tokenizer(word, add_special_tokens=False)["input_ids"]
        each = []
        for k, piece in enumerate(pieces):
            shown = tokenizer.decode(pieces[:k]) + "[MASK]"
            ids = tokenizer(filling.context.replace("BLANK", shown))["input_ids"]
            first = ids.index(tokenizer.mask_token_id)
            each.append(float(probabilities(ids)[first, piece]))
        assert found == pytest.approx(sum(each) / len(each), abs=1e-6)


def test_punctuation_is_taken_from_the_published_word(masked):
    plain, marked = scored(
        masked,
        "nadeem2021",
        [
            Filling("it was BLANK", "it was good"),
            Filling("it was BLANK", "it was go-od!"),
        ],
    )
    assert plain == marked


def test_a_word_of_punctuation_is_no_target(masked):
    found = scored(masked, "nadeem2021", [Filling("it was BLANK", "it was ..."), *FILLINGS[:1]])
    assert found[0] == Failure("no_target", status="undefined")
    assert found[1] > 0


def test_a_sentence_that_ends_before_the_gap_has_no_target(masked):
    assert scored(masked, "nadeem2021", [Filling("it was BLANK", "it was")]) == [
        Failure("no_target", status="undefined")
    ]


def test_log_mean_masks_later_pieces_of_the_gap(masked, read):
    tokenizer, probabilities = read
    ids = tokenizer(FILLINGS[0].sentence)["input_ids"]  # [CLS] the film was good ##s . [SEP]
    mask = tokenizer.mask_token_id
    both = probabilities([*ids[:4], mask, mask, *ids[6:]])[4, ids[4]]
    second = probabilities([*ids[:5], mask, *ids[6:]])[5, ids[5]]
    wanted = float((both.log() + second.log()) / 2)
    assert scored(masked, "log-mean", FILLINGS[:1])[0] == pytest.approx(wanted, abs=1e-5)


def test_log_mean_does_not_give_a_second_gap_away(masked, read):
    tokenizer, probabilities = read
    ids = tokenizer(FILLINGS[2].sentence)["input_ids"]  # [CLS] ada left paris for paris [SEP]
    mask = tokenizer.mask_token_id
    first = probabilities([*ids[:3], mask, ids[4], mask, ids[6]])[3, ids[3]]
    second = probabilities([*ids[:5], mask, ids[6]])[5, ids[5]]
    wanted = float((first.log() + second.log()) / 2)
    assert scored(masked, "log-mean", [FILLINGS[2]])[0] == pytest.approx(wanted, abs=1e-5)


def test_blanks_are_found_whatever_the_case():
    assert Filling("brahmin is BLANK and BLANK", "Brahmin is kind and wise").blanks() == [
        (11, 15),
        (20, 24),
    ]
    assert Filling("the man BLANKed", "the man walked").blanks() == [(8, 12)]
    assert Filling("the man is BLANK.", "a woman is kind.").blanks() == []


def test_a_sentence_of_another_context_has_no_target(masked):
    found = scored(masked, "log-mean", [Filling("it was BLANK", "ada left paris")])
    assert found == [Failure("no_target", status="undefined")]


def test_next_sentence_is_the_heads_probability(masked):
    tokenizer = transformers.AutoTokenizer.from_pretrained(masked)
    network = transformers.BertForPreTraining.from_pretrained(masked).eval()
    for filling, found in zip(CONTINUED, scored(masked, "nsp", CONTINUED), strict=True):
        inputs = tokenizer(filling.context, filling.sentence, return_tensors="pt")
        with torch.no_grad():
            logits = network(**inputs).seq_relationship_logits[0]
        assert found == pytest.approx(float(torch.softmax(logits, -1)[0]), abs=1e-6)


def test_causal_continuations(causal):
    tokenizer = transformers.AutoTokenizer.from_pretrained(causal)
    network = transformers.AutoModelForCausalLM.from_pretrained(causal).eval()

    @torch.no_grad()
    def mean(before, ids):
        whole = [tokenizer.eos_token_id, *before, *ids]
        logits = torch.log_softmax(network(torch.tensor([whole])).logits[0].double(), -1)
        each = logits[range(len(whole) - 1), whole[1:]]
        return float(each[len(before) :].mean())

    after = scored(causal, "causal-conditional", CONTINUED)
    less = scored(causal, "causal-conditional-minus-unconditional", CONTINUED)
    whole = scored(causal, "causal", CONTINUED)
    for filling, one, other, all_of_it in zip(CONTINUED, after, less, whole, strict=True):
        before, ids = (tokenizer(text)["input_ids"] for text in filling)
        assert one == pytest.approx(mean(before, ids), abs=1e-5)
        assert other == pytest.approx(mean(before, ids) - mean([], ids), abs=1e-5)
        assert all_of_it < 0
