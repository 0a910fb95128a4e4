"""Language models that write their answers: ``written:hf:./folder``, ``written:smollm2``.

Behind ``written:`` stands any model string of a causal language model. It is asked as a chat is,
where its tokenizer has a template for chats, writes the most likely token each time, and its answer
is read from what it wrote. Options, behind the ``#`` or as ``-M key=value``:

``template``, ``choices``, ``labels``, ``system``, ``read``, ``max_tokens``
            as those of a model behind a URL (`scrutiny.models.http.endpoint`)
``chat``    ``false``: goes on behind the template, without one for chats

All others are the language model's own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import FREE_ANSWERS, WRITES
from scrutiny.core.messages import Message
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.queries.remote import Reply
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import AnswerError, first_failure_raised
from scrutiny.models.hf.batching import a_few_at_a_time
from scrutiny.models.prompting.prompts import Prompt, asking_parts, read_choices
from scrutiny.models.prompting.wordings import (
    WORDINGS,
    Wording,
    by_wording,
    reworded,
    wording_of,
)
from scrutiny.models.prompting.written_labels import (
    LabelReading,
    check_reading,
    written_response,
    written_text,
)
from scrutiny.models.strings.adapters import Adapter, checkpoint_of, checkpoint_source
from scrutiny.models.strings.model_families import members
from scrutiny.models.strings.model_strings import TRAINING, ModelSource, parse

if TYPE_CHECKING:
    from scrutiny.core.diagnostic import Failure

_VERSION: Final = "written@1"
_OWN: Final = (
    *("template", "choices", "labels", "system", "read", "max_tokens", "chat", TRAINING),
)
_TOKENS: Final = {True: "256", False: "16"}  # of a text, and of a label
Asked = tuple[Message, ...]
_REMEMBERED: Final = 4096  # texts: a batch with one that fails is asked again in halves


class WritingModel(Model):
    """A causal language model whose answer is read from what it writes, greedily.

    **Misleads when** its replies can't be read: those rows count as failed, and the summary says
    how many there are and what was written.
    """

    capabilities: frozenset[str] = frozenset({"predict", "no_probabilities"})

    def __init__(
        self,
        writer: "Writer",
        prompt: Prompt,
        reading: LabelReading | None,
        *,
        is_free: bool,
        fields: Sequence[str] = (),
    ) -> None:
        self.source = writer.source
        self.task = writer.task
        self.labels = prompt.labels if reading else ()
        self._writer = writer
        self._prompt = prompt
        self._reading = reading
        self._fields = tuple(fields)
        self._said: dict[Asked, Reply] = {}
        self._written = written_response if is_free else written_text
        if reading is not None:
            self.capabilities |= {WORDINGS}

    def fingerprint(self) -> str:
        """Digest of the network, the prompt, the way of writing and that of reading."""
        reading = self._reading.name if self._reading else ""
        return digest(
            _VERSION, self._writer.known_by, canonical_json([self._prompt.plain(), reading])
        )

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Label or text for each example, in order.

        Raises
        ------
        AnswerError
            If nothing can be read from one of the replies, or a text does not fit.
        """
        if self._reading is None:
            return first_failure_raised(
                map(self._written, self._replies("", self._prompt, examples))
            )
        found: dict[int, Prediction | Failure] = {}
        for key, places in by_wording(examples).items():
            system, prompt = self._in_wording(wording_of(key)) if key else ("", self._prompt)
            read = replace(self._reading, words=dict(prompt.choices)).answer
            replies = self._replies(system, prompt, [examples[place] for place in places])
            found |= dict(zip(places, map(read, replies), strict=True))
        return first_failure_raised(found[place] for place in range(len(examples)))

    def wordings(self, stated: Sequence[Wording]) -> list[Wording]:
        """Those wordings in which its prompt is another one than its own."""
        own = [("", self._prompt), (self._writer.system, self._prompt)]
        return [one for one in stated if self._in_wording(one) not in own]

    def _in_wording(self, wording: Wording) -> tuple[str, Prompt]:
        """System prompt, empty for its own, and prompt in a wording."""
        system = wording.system if self._writer.is_chat else ""
        return system, reworded(self._prompt, wording, self._fields)

    def _replies(self, system: str, prompt: Prompt, examples: Sequence[Example]) -> list[Reply]:
        """Reply to each example; what was written before is remembered."""
        texts = [self._asked(system, prompt, example) for example in examples]
        new = [text for text in dict.fromkeys(texts) if text not in self._said]
        if len(self._said) + len(new) > _REMEMBERED:
            self._said, new = {}, list(dict.fromkeys(texts))
        self._said.update(zip(new, self._writer.write(new), strict=True))
        return [self._said[text] for text in texts]

    def _asked(self, system: str, prompt: Prompt, example: Example) -> Asked:
        """All that is said to the model, with another system prompt where one is given."""
        if not self._writer.is_chat:
            return (Message("user", prompt.alone(example)),)
        return tuple(prompt.messages(example, system=system or self._writer.system))

    def batches(self, examples: Sequence[Example]) -> list[list[int]]:
        """Indices of the examples that are written together."""
        return a_few_at_a_time(len(examples), self._writer.at_once)


class Writer:
    """The checkpoint behind ``written:``, which writes the most likely token each time.

    Parameters
    ----------
    source, task, options
        As they are given to `load`.
    most
        Tokens of a reply at most.
    """

    def __init__(self, source: ModelSource, task: Task, options: LoadOptions, *, most: int) -> None:
        from scrutiny.models.hf.checkpoint import (
            find_checkpoint,
            find_device,
            load_network,
            load_tokenizer,
            stated_dtype,
        )

        inner = checkpoint_source(parse(source.target))
        own = {name: value for name, value in source.options.items() if name not in _OWN}
        inner = inner.with_options(own)
        device = find_device(options.device, source)
        checkpoint, dtype = find_checkpoint(inner), stated_dtype(inner)
        if dtype == "auto" and device.type == "cpu":
            dtype = "float32"
        maker = "AutoModelForCausalLM"
        network, missing = load_network(checkpoint.folder, maker, inner, dtype=dtype)
        if missing:
            raise ModelError(f"{source.text!r} is no causal language model: it lacks {missing[0]}.")
        self.source = source.text
        self.task = task.name
        self.at_once = options.batch if isinstance(options.batch, int) else 1
        self._network = network.to(device)
        self._tokenizer = load_tokenizer(checkpoint, inner)
        self._most = most
        self.system = source.options.get("system", "")
        self.is_chat = source.options.get("chat", "true") == "true" and bool(
            self._tokenizer.chat_template
        )
        written = [self.system, most, self.is_chat, str(network.dtype), network.device.type]
        self.known_by = digest(checkpoint.fingerprint(), canonical_json(written))
        positions = getattr(network.config, "max_position_embeddings", None)
        self._limit = source.max_length([positions] if positions else [])

    def write(self, texts: Sequence[Asked]) -> list[Reply]:
        """Reply to what is said each time, in order.

        Raises
        ------
        AnswerError
            ``too_long`` if a text and its reply do not fit.
        """
        batches = a_few_at_a_time(len(texts), self.at_once)
        ids = [self._ids(text) for text in texts]
        return [one for batch in batches for one in self._together([ids[i] for i in batch])]

    def _together(self, ids: Sequence[list[int]]) -> list[Reply]:
        """Replies to texts of one batch, by their tokens, with padding before the shorter ones."""
        import torch

        longest = max(map(len, ids))
        if self._limit and longest + self._most > self._limit:
            said = f"{longest} tokens and {self._most} of the reply are more than {self._limit}"
            raise AnswerError("too_long", said)
        end = self._tokenizer.eos_token_id
        padded = [[end or 0] * (longest - len(one)) + one for one in ids]
        mask = [[0] * (longest - len(one)) + [1] * len(one) for one in ids]
        device = self._network.device
        with torch.inference_mode():
            found = self._network.generate(
                input_ids=torch.tensor(padded, device=device),
                attention_mask=torch.tensor(mask, device=device),
                max_new_tokens=self._most,
                do_sample=False,
                temperature=None,
                top_p=None,
                top_k=None,
                pad_token_id=end or 0,
            )
        stated = self._network.generation_config.eos_token_id
        own = stated if isinstance(stated, list) else [stated]
        ends = {token for token in (*own, end) if token is not None}
        replies = []
        for row in found:
            written = row[longest:].tolist()
            stop = next((i for i, token in enumerate(written) if token in ends), None)
            text = self._tokenizer.decode(written[:stop], skip_special_tokens=True)
            replies.append(Reply(text, "length" if stop is None else "stop"))
        return replies

    def _ids(self, asked: Asked) -> list[int]:
        """Tokens of what is said, as the model reads it."""
        if not self.is_chat:
            return list(self._tokenizer(asked[-1].content)["input_ids"])
        said = [one._asdict() for one in asked]
        read = self._tokenizer.apply_chat_template(said, add_generation_prompt=True, tokenize=False)
        return list(self._tokenizer(read, add_special_tokens=False)["input_ids"])


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Causal language model that writes its answer, which is read from it: ``written:smollm2``.

    Raises
    ------
    ModelError
        If that is no causal language model, an option cannot be read, or the task has answers of
        another type.
    """
    if not task.gives_labels and not task.facts.any_of(WRITES):
        raise ModelError(f"{source.text!r}: it writes labels or texts, not answers of {task.name}.")
    prompt, reading = _asked(source, task)
    most = source.options.get("max_tokens", _TOKENS[reading is None])
    if not most.isdecimal() or int(most) < 1:
        raise ModelError(f"{source.text!r}: max_tokens is a number from 1 on, not {most!r}.")
    writer = Writer(source, task, options, most=int(most))
    is_free = FREE_ANSWERS.are_of(task.facts)
    return WritingModel(writer, prompt, reading, is_free=is_free, fields=task.fields)


def _asked(source: ModelSource, task: Task) -> tuple[Prompt, LabelReading | None]:
    """Prompt, and how its label is read; nothing where the answer is the text itself."""
    choices: tuple[tuple[str, str], ...] = ()
    if task.gives_labels:
        stated = source.options.get("choices") or "|".join(f"{n}={n}" for n in source.labels())
        choices = read_choices(stated, source=source.text)
    template = source.options.get("template", "")
    words = [words for _, words in choices]
    prompt = Prompt(asking_parts(template, task, words, source=source.text), choices)
    if not choices:
        return prompt, None
    reading = LabelReading(source.options.get("read", "start"), dict(choices))
    check_reading(reading.name, source=source.text)
    return prompt, reading


ADAPTER: Final = Adapter(
    load,
    matches=lambda source: members(parse(source.text.partition(":")[2])),
    as_checkpoint=lambda source: checkpoint_of(parse(source.target)),
)
