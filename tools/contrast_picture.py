"""Draw docs/images/contrast-sets.svg: a score on held-out items that hides a wrong boundary.

    python tools/contrast_picture.py

Items are points with two features. What is right is told by a curve, and nobody collected items
near it: a systematic gap. A straight line then has the same score on held-out items as the truth.
Contrast sets move each held-out item just across the curve, where the line is wrong of almost half
(Gardner et al. 2020, figure 2). `tests/unit/test_contrast_picture.py` holds the numbers.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

OUT = Path(__file__).resolve().parent.parent / "docs/images/contrast-sets.svg"
HEIGHT = 0.5  # of the waves of the true boundary; the gap covers them
STEP = 0.1  # of a changed item beyond the boundary
SIZE = 240  # of a panel
COLORS = "#2a6fb0", "#c8553d"
Points = Any


def boundary(x: Points) -> Points:
    """True boundary: above it an item is positive."""
    return HEIGHT * np.sin(2 * np.pi * x)


def collected(n: int, seed: int) -> tuple[Points, Points]:
    """Items outside of the gap, ``(item, feature)``, and whether each is positive."""
    rng = np.random.default_rng(seed)
    side = rng.choice([-1.0, 1.0], n)
    items = np.stack([rng.random(n), side * rng.uniform(HEIGHT, 1.0, n)], axis=1)
    return items, items[:, 1] > boundary(items[:, 0])


def changed(items: Points) -> tuple[Points, Points]:
    """Each item just on the other side of the boundary, and whether it is positive now."""
    at = boundary(items[:, 0])
    is_positive = items[:, 1] > at
    return np.stack(
        [items[:, 0], np.where(is_positive, at - STEP, at + STEP)], axis=1
    ), ~is_positive


def line(seed: int = 0) -> LogisticRegression:
    """Straight line that was fitted to collected items."""
    return LogisticRegression().fit(*collected(400, seed))


def _place(x: Points, y: Points, left: int) -> tuple[Points, Points]:
    return left + SIZE * x, SIZE * (1 - y) / 2


def _path(points: Iterable[tuple[float, float]], style: str) -> str:
    return f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" {style}/>'


def _panel(left: int, title: str, marks: str, cut: Callable[[Points], Points]) -> str:
    x = np.linspace(0, 1, 80)
    truth = _path(zip(*_place(x, boundary(x), left), strict=True), 'fill="none" stroke="#333"')
    straight = zip(*_place(x[[0, -1]], cut(x[[0, -1]]), left), strict=True)
    model = _path(straight, 'fill="none" stroke="#333" stroke-dasharray="6 4"')
    frame = f'<rect x="{left}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#999"/>'
    return f'{frame}{marks}{truth}{model}<text x="{left}" y="{SIZE + 22}">{title}</text>'


def _dot(x: float, y: float, *, is_positive: bool, is_wrong: bool) -> str:
    color = COLORS[int(is_positive)]
    ring = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="none" stroke="#000"/>' if is_wrong else ""
    )
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>{ring}'


def drawing(n: int = 40) -> str:
    """The picture: held-out items, and the same with their changed versions."""
    model = line()
    items, golds = collected(n, 1)
    new, flipped = changed(items)
    (a, b), c = model.coef_[0], model.intercept_[0]
    panels = []
    for left, title in (
        (10, "held-out items: none is wrong"),
        (300, "changed items: circled are wrong"),
    ):
        marks = ""
        for one, other, gold, turned in zip(items, new, golds, flipped, strict=True):
            x, y = _place(one[0], one[1], left)
            if left == 10:
                wrong = model.predict([one])[0] != gold
                marks += _dot(x, y, is_positive=gold, is_wrong=wrong)
                continue
            x, end = _place(other[0], other[1], left)
            stroke = 'stroke="#bbb" stroke-width="0.8"'
            marks += f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{end:.1f}" {stroke}/>'
            wrong = model.predict([other])[0] != turned
            marks += _dot(x, end, is_positive=turned, is_wrong=wrong)
        panels.append(_panel(left, title, marks, lambda x: -(a * x + c) / b))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -6 560 {SIZE + 40}" '
        f'font-family="sans-serif" font-size="14" role="img">'
        "<title>Held-out items far from the true boundary, and contrast sets next to it</title>"
        f'<rect x="0" y="-6" width="560" height="{SIZE + 40}" fill="#fff"/>'
        f"{''.join(panels)}</svg>\n"
    )


def main() -> None:
    OUT.write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
