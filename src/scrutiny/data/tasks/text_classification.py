"""One text, one label."""

from scrutiny.data.tasks.classes import Classification


class TextClassification(Classification):
    """Sentiment, topic, any label of a whole text."""

    name = "text-classification"
    fields = ("text",)
    columns = ("text", "label")
    told_by = ("text",)
