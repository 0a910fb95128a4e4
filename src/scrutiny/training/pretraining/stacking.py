"""Stacking: a network that starts from the layers of a shallower one.

The deeper network need not learn again what the shallower one knows, and is past the plateau of
plain frequencies within a few hundred steps.
"""

from typing import Any, Final

from scrutiny.core.errors import ModelError

_LAYERS: Final = "bert.encoder.layer."


def stack(source: Any, target: Any) -> None:
    """Copy a network's weights into a deeper one, whose layers repeat the source's as a whole.

    Of two layers, four become first, second, first, second. Equal depths are a plain copy.

    **References**: Gong et al. (2019), Efficient training of BERT by progressively stacking.

    Parameters
    ----------
    source, target
        `BertForPreTraining` of the same vocabulary, units and heads; the target is overwritten.

    Raises
    ------
    ModelError
        If the target's layers are no multiple of the source's, or other sizes differ.
    """
    few, many = source.config.num_hidden_layers, target.config.num_hidden_layers
    given, wanted = source.state_dict(), target.state_dict()
    copied = {name: given.get(_origin(name, few)) for name in wanted}
    fits = all(w is not None and w.shape == wanted[name].shape for name, w in copied.items())
    heads = (source.config.num_attention_heads, target.config.num_attention_heads)
    if many % few or not fits or len(set(heads)) > 1:
        raise ModelError(
            f"The checkpoint to start from ({_sizes(source)}) cannot be stacked to "
            f"{_sizes(target)}: layers are repeated as a whole, and all other sizes stay."
        )
    target.load_state_dict(copied)


def _origin(name: str, layers: int) -> str:
    """Name of the weight in a network of so many layers from which a weight is copied."""
    if not name.startswith(_LAYERS):
        return name
    number, _, rest = name.removeprefix(_LAYERS).partition(".")
    return f"{_LAYERS}{int(number) % layers}.{rest}"


def _sizes(network: Any) -> str:
    c = network.config
    return (
        f"{c.num_hidden_layers} layers of {c.hidden_size} units and {c.num_attention_heads} heads, "
        f"{c.intermediate_size} inside, {c.vocab_size:,} pieces, {c.max_position_embeddings} places"
    )
