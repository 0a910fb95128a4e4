"""Presets: the published procedure twice, since paper and released code differ, and our own.

| preset | pieces into words | self | special tokens | casing | words without a piece |
| --- | --- | --- | --- | --- | --- |
| ``default`` | mean in, mean out | masked | dropped | the model's | word left out |
| ``as_released`` | sum in, mean out | masked | dropped | lower-cased | sentence left out |
| ``as_published`` | sum in, mean out | kept | kept as rivals | lower-cased | sentence left out |

The released code zeroes each word's attention to itself and removes [CLS] and [SEP] before the
arg-max; equation 3 of the paper mentions neither. On MiniLM the equation read literally halves the
F1 of the average head. Both sum the attention to the pieces of a word, which inflates every head,
trained or not, on corpora whose cues split; our default takes their mean.
"""

from collections.abc import Mapping
from typing import Final

from scrutiny.core.errors import UnknownNameError
from scrutiny.diagnostics.attention.word_maps import MapOptions

PRESETS: Final[Mapping[str, MapOptions]] = {
    "default": MapOptions(),
    "as_released": MapOptions(into="sum", is_lower_cased=True, missing="drop-sentence"),
    "as_published": MapOptions(
        into="sum",
        is_self_masked=False,
        special="keep",
        is_lower_cased=True,
        missing="drop-sentence",
    ),
}


def preset(name: str) -> MapOptions:
    """Options of a preset.

    Raises
    ------
    UnknownNameError
        If there is no such preset; the message lists those that there are.
    """
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return PRESETS[name]
