"""Toy taggers, parsers, readers and translators of one vocabulary, with items of their own.

What each says of a word hangs on the sign of the word's weight (`toy_invariance.Linear`): two
models whose weights are alike mind the same changes.
"""

from toy_invariance import Linear, rows

from scrutiny.core.answers.choices import Option, Ranking, options_in
from scrutiny.core.answers.texts import Extract, Text
from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.example import Span
from scrutiny.core.task import Prediction


def placed(text):
    """Words of a text with their places."""
    at = 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        yield word, start, at


class Tagger(Linear):
    """Tags every word of a weight above 0."""

    task = "token-tagging"

    def __init__(self, seed=0, **more):
        super().__init__(seed, labels=("X",), **more)

    def answer(self, text):
        found = [
            Span("text", start, end, "X")
            for word, start, end in placed(text)
            if self.weights.get(word, 0.0) > 0
        ]
        return Prediction(tuple(found))


class Parser(Linear):
    """Every word depends on the first one, by a relation that hangs on its weight."""

    task = "dependency-arcs"

    def __init__(self, seed=0, **more):
        super().__init__(seed, labels=(), **more)

    def answer(self, text):
        found = list(placed(text))
        heads = [ROOT, *[0] * (len(found) - 1)]
        names = [("nmod", "obj")[int(self.weights.get(w, 0.0) > 0)] for w, *_ in found]
        borders = tuple((start, end) for _, start, end in found)
        return Prediction(Words("text", borders, tuple(heads), ("root", *names[1:])))


class Reader(Linear):
    """Answers with the word of the largest weight in the text."""

    task = "question-answering"

    def __init__(self, seed=0, **more):
        super().__init__(seed, labels=(), **more)

    def predict(self, examples):
        return [self.answer(example.fields["context"]) for example in examples]

    def answer(self, text):
        word, start, _ = max(placed(text), key=lambda one: self.weights.get(one[0], 0.0))
        return Prediction(Extract(word, "context", start))


class Translator(Linear):
    """Writes one word of two for each, by its weight."""

    task = "translation"

    def __init__(self, seed=0, **more):
        super().__init__(seed, labels=(), **more)

    def answer(self, text):
        return Prediction(
            Text(" ".join(("low", "high")[int(self.weights.get(w, 0.0) > 0)] for w in text.split()))
        )


class Chooser(Linear):
    """Takes the option of the largest weight."""

    task = "multiple-choice"

    def __init__(self, seed=0, **more):
        super().__init__(seed, labels=(), **more)

    def predict(self, examples):
        return [self.answer(" ".join(options_in(example.fields))) for example in examples]

    def order(self, text):
        weights = [self.weights.get(word, 0.0) for word in text.split()]
        return sorted(range(len(weights)), key=lambda place: -weights[place])

    def answer(self, text):
        return Prediction(Option(self.order(text)[0]))


class Ranker(Chooser):
    """Orders candidates by their weights."""

    task = "passage-ranking"

    def answer(self, text):
        return Prediction(Ranking(self.order(text)))


#: Those whose answers are one place, or an order of places.
CHOOSE = (Chooser, Ranker)
TOYS = (Tagger, Parser, Reader, Translator)


def items(model, count=40, words=5):
    """Rows of a model's task, whose gold answers are its own."""
    texts = [row["text"] for row in rows(Linear(0), count, words)]
    found = []
    for n, text in enumerate(texts):
        answer, tokens = model.answer(text).answer, text.split()
        if isinstance(answer, Words):
            heads, own = [h + 1 for h in answer.heads], list(answer.relations)
            row = {"words": tokens, "heads": heads, "relations": own}
        elif isinstance(answer, Extract):
            row = {"question": "Which?", "context": text, "answers": [answer.text]}
        elif isinstance(answer, Option):
            row = {"text": "Which?", "options": tokens, "answer": int(answer)}
        elif isinstance(answer, Ranking):
            row = {"query": "Which?", "candidates": tokens, "relevant": answer[0]}
        elif isinstance(answer, Text):
            row = {"text": text, "reference": str(answer)}
        else:
            starts = {span.start for span in answer}
            row = {
                "tokens": tokens,
                "tags": [("O", "B-X")[int(s in starts)] for _, s, _ in placed(text)],
            }
        found.append({"id": f"i{n}", **row})
    return found
