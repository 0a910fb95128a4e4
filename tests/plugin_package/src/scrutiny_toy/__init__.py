"""A plug-in that brings a diagnostic, a statistic, a transformation and an adapter."""

REGISTRATIONS = (
    ("diagnostic", "certainty@1", "scrutiny_toy.certainty:Certainty"),
    ("statistic", "median_margin@1", "scrutiny_toy.median:MEDIAN_MARGIN"),
    ("transformation", "drop_vowel@1", "scrutiny_toy.drop_vowel:DropVowel"),
    ("adapter", "toy@1", "scrutiny_toy.adapter:ADAPTER"),
)
