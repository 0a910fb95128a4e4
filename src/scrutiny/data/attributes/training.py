"""Attributes that need the training set: seen before, new words, frequency of the label."""

from scrutiny.core.answers.answer import label_in
from scrutiny.core.example import Example
from scrutiny.data.attributes.attribute import Training, attribute, words_of
from scrutiny.data.dataset import load_dataset
from scrutiny.data.hashes import content_hash


@attribute("with a text that is in the training data", of_training=True)
def in_training(example: Example, training: Training) -> bool:
    """Whether a text of the item is in the training set, ignoring case and punctuation.

    Examples
    --------
    >>> training = Training([Example("t", {"text": "It is fine."})])
    >>> in_training(Example("1", {"text": "it is fine"}), training)
    True
    """
    return any(content_hash(text) in training.texts for text in example.fields.values())


@attribute("share of the words that the training data lacks", of_training=True)
def unseen_words(example: Example, training: Training) -> float:
    """Share of the words, 0 to 1, that do not occur in the training set.

    Examples
    --------
    >>> training = Training([Example("t", {"text": "It is fine."})])
    >>> unseen_words(Example("1", {"text": "It is grim here"}), training)
    0.5
    """
    words = list(words_of(example))
    return sum(word not in training.words for word in words) / max(len(words), 1)


@attribute("share of the training data that has the item's gold label", of_training=True)
def label_share(example: Example, training: Training) -> float | None:
    """Frequency of the item's gold label in the training set, 0 to 1."""
    label = label_in(example.gold)
    return None if label is None else training.label_shares.get(label, 0.0)


def load_training(source: str, task: str) -> Training:
    """Training set that attributes of items refer to, loaded from a data string."""
    return Training(load_dataset(source, task=task or None).examples)
