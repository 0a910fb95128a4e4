"""Two texts, one label for the pair."""

from scrutiny.data.tasks.classes import Classification


class TextPairClassification(Classification):
    """Inference, paraphrase, question and answer."""

    name = "text-pair-classification"
    fields = ("text", "text_pair")
    columns = ("text", "text_pair", "label")
    told_by = ("text", "text_pair")
