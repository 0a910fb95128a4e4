"""Loss of a tagger's answer, whose gradients are computed."""

from collections.abc import Sequence
from typing import Any

import torch

from scrutiny.tasks.columns.tags import types_of


class LossOfTags:
    """Negative log-probability of the predicted tags, if they belong to one label.

    A word's tag is that of its first piece, as in the answer. The tags are those that the network
    finds likeliest as it is asked, so that the slope is that of the answer's entities of the label:
    their probability as a product over their words.

    Parameters
    ----------
    names
        Tags, in the order of the outputs.
    labels
        Label asked about, by text.
    firsts
        Index of the first piece of each word, or nothing, by text.
    lengths
        Tokens of each text.
    side
        Side of the padding.
    """

    def __init__(
        self,
        names: Sequence[str],
        labels: Sequence[str],
        firsts: Sequence[Sequence[int | None]],
        *,
        lengths: Sequence[int],
        side: str,
    ) -> None:
        self._labels = labels
        self._firsts = firsts
        self._lengths = lengths
        self._is_right = side == "right"
        self._of_label = {
            label: [i for i, name in enumerate(names) if label in types_of([name])]
            for label in dict.fromkeys(labels)
        }
        #: Texts in which no word has the label.
        self.without: set[int] = set()

    def __call__(self, batch: list[int], logits: Any) -> Any:
        """Loss of one batch from its logits ``(text, token, tag)``."""
        logs = torch.log_softmax(logits.float(), dim=-1)
        best = logits.argmax(-1)  # (text, token)
        total = logs.sum() * 0.0
        for row, i in enumerate(batch):
            shift = 0 if self._is_right else logits.shape[1] - self._lengths[i]
            own = [shift + place for place in self._firsts[i] if place is not None]
            tags = best[row, own].tolist() if own else []
            wanted = self._of_label[self._labels[i]]
            named = [(place, tag) for place, tag in zip(own, tags, strict=True) if tag in wanted]
            if not named:
                self.without.add(i)
                continue
            places, found = zip(*named, strict=True)
            index = torch.tensor([places, found], device=logits.device)
            total = total - logs[row, index[0], index[1]].sum()
        return total
