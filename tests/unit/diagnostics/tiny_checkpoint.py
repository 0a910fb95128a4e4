"""The tiny checkpoints of the model tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))

from tiny_bert import make_checkpoint

__all__ = ["make_checkpoint"]
