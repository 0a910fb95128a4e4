from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.models.answers.checked import AnswerError, predict_or_fail
from scrutiny.models.hf.batching import (
    START_TOKENS,
    TokenBudget,
    is_out_of_memory,
    longest_first,
    run_batches,
    start_budget,
)

CPU = SimpleNamespace(type="cpu")


class Memory:
    """A device that holds so many tokens; notes the batches that it was asked."""

    def __init__(self, lengths, room, error=None):
        self.lengths, self.room = lengths, room
        self.error = error or RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        self.tried, self.refused = [], 0

    def ask(self, batch):
        self.tried.append(list(batch))
        if len(batch) * max(self.lengths[i] for i in batch) > self.room:
            self.refused += 1
            raise self.error
        return [self.lengths[i] for i in batch]

    def run(self, budget):
        found = {}
        for answered in run_batches(self.lengths, budget, self.ask, device=CPU):
            found |= dict(zip(answered.indices, answered.answer, strict=True))
        return found


LENGTHS = st.lists(st.integers(1, 64), max_size=60)


@given(LENGTHS, st.integers(1, 200), st.integers(1, 9))
def test_batches_hold_every_text_once_and_keep_the_budget(lengths, tokens, texts):
    memory = Memory(lengths, 10**9)
    memory.run(TokenBudget(tokens=tokens, texts=texts))
    assert [i for batch in memory.tried for i in batch] == longest_first(lengths)
    for batch in memory.tried:
        assert len(batch) <= texts
        assert len(batch) == 1 or len(batch) * lengths[batch[0]] <= tokens


def test_batches_do_not_depend_on_anything_else():
    memory = Memory([5, 3, 5, 9, 3], 100)
    memory.run(TokenBudget(tokens=10))
    assert memory.tried == [[3], [0, 2], [1, 4]]


@given(LENGTHS, st.integers(64, 400))
def test_backing_off_answers_everything(lengths, room):
    memory = Memory(lengths, room)
    found = memory.run(TokenBudget(tokens=10_000))
    assert found == dict(enumerate(lengths))
    # every refusal halves the batch: far fewer than texts
    assert memory.refused <= 2 * max(1, len(lengths)).bit_length()


def test_memory_for_one_text_at_a_time():
    memory = Memory([8] * 20, 8)
    budget = TokenBudget(tokens=10_000)
    assert len(memory.run(budget)) == 20
    assert budget.tokens == 8
    assert memory.tried[-20:] == [[i] for i in range(20)]


def test_what_was_learned_is_kept():
    memory = Memory([8] * 16, 32)
    budget = TokenBudget(tokens=10_000)
    memory.run(budget)
    before = memory.refused
    memory.run(budget)
    assert memory.refused == before
    assert budget.tokens == 32


def test_short_texts_still_share_batches_after_a_cut():
    memory = Memory([64] * 8 + [4] * 32, 128)
    memory.run(TokenBudget(tokens=10_000))
    assert max(map(len, memory.tried[3:])) == 32


def test_a_text_that_never_fits_is_given_up_on():
    memory = Memory([4, 100], 50)
    with pytest.raises(AnswerError, match="a text of 100 tokens: CUDA out of memory") as caught:
        memory.run(TokenBudget(tokens=10_000))
    assert caught.value.reason == "out_of_memory"
    assert len(memory.tried) < 5


def test_a_text_that_never_fits_fails_alone(make):
    class Model:
        source, task, labels = "test:memory", "text-classification", ("a", "b")
        is_batch_invariant = True
        capabilities = frozenset()

        def fingerprint(self):
            return None

        def predict(self, examples):
            from scrutiny.core.task import Prediction

            memory = Memory([len(e.text) for e in examples], 50)
            return [Prediction("a") for _ in memory.run(TokenBudget(tokens=10_000))]

    answers = predict_or_fail(Model(), make("short", "x" * 51, "also short"))
    assert [isinstance(a, Failure) for a in answers] == [False, True, False]
    assert answers[1].reason == "out_of_memory"


def test_other_errors_are_raised_as_they_are():
    memory = Memory([4, 4], 1, error=RuntimeError("device-side assert"))
    with pytest.raises(RuntimeError, match="device-side assert"):
        memory.run(TokenBudget(tokens=100))
    assert len(memory.tried) == 1


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (RuntimeError("CUDA out of memory. Tried"), True),
        (
            RuntimeError(
                "[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory"
            ),
            True,
        ),
        (RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate"), True),
        (MemoryError(), True),
        (RuntimeError("shape mismatch"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_signs_of_memory_running_out(error, is_memory):
    assert is_out_of_memory(error) is is_memory


def test_torch_says_so_in_a_class_of_its_own():
    torch = pytest.importorskip("torch")
    assert is_out_of_memory(torch.OutOfMemoryError("x"))


def test_budgets_to_start_with():
    assert start_budget("auto", "cuda").tokens == START_TOKENS["cuda"]
    assert start_budget("auto", "mps").tokens == START_TOKENS["cpu"]
    assert start_budget(7, "cuda").texts == 7
    memory = Memory([1000] * 3, 10**9)
    memory.run(start_budget(2, "cpu"))
    assert memory.tried == [[0, 1], [2]]


@pytest.mark.parametrize("batch", [0, -1, "8", "many"])
def test_batch_sizes_that_do_not_read(batch):
    with pytest.raises(ModelError, match="a number of texts from 1 on, or auto"):
        start_budget(batch, "cpu")


def test_the_forward_pass_backs_off_for_real(tmp_path, classification, make, monkeypatch, capsys):
    """A network that raises torch's own error above four texts still answers all."""
    torch = pytest.importorskip("torch")
    from tiny_bert import make_checkpoint

    from scrutiny.models.strings.model_loading import load_model

    make_checkpoint(tmp_path)
    examples = make(*["the film was good", "bad", "a dull story"] * 5)
    expected = load_model(f"hf:{tmp_path}", classification).predict(examples)
    model = load_model(f"hf:{tmp_path}", classification)
    forward = model._forward
    network, sizes = forward.network, []

    def limited(**inputs):
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 4:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return network(**inputs)

    monkeypatch.setattr(forward, "network", limited)
    answers = model.predict(examples)
    assert max(sizes) == 15
    assert forward.budget.tokens <= 4 * 6
    assert "Out of memory with 15 texts" in capsys.readouterr().err
    for one, two in zip(answers, expected, strict=True):
        assert one.scores == pytest.approx(two.scores, abs=1e-6)
