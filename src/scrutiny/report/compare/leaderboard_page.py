"""The page of three or more systems: who can be the best, which ranks are left open, and ties."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version

from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Chapter, Part
from scrutiny.report.compare.headline import Headline
from scrutiny.report.page import render_parts
from scrutiny.report.sections.boards import Board
from scrutiny.report.sections.leaderboard import best_of, part_of_boards


def leaderboard_page(
    boards: Sequence[Board], views: Mapping[str, RunView], *, doubts: Sequence[str], command: str
) -> str:
    """Page of a leaderboard.

    Parameters
    ----------
    boards
        Of all scores that the sides share, at least one.
    views
        Run of each side, by the name that its system has on the boards.
    doubts
        What is amiss with the items of some sides.
    command
        What made the page.
    """
    said = [*best_of(boards), *doubts]
    part = part_of_boards(boards)
    is_told = all((one.ranks.low == 1).sum() == 1 for one in boards if not one.where)
    return render_parts(
        [] if part is None else [_alone(part)],
        title=f"Leaderboard of {len(views)} sides",
        headline=Headline("better" if is_told else "no difference", said[0], tuple(said[1:])),
        scales=[],
        cards=[],
        verdicts=[],
        certified=[],
        asks_margin=False,
        facts=[(name, _told(view)) for name, view in views.items()],
        command=command,
        version=version("scrutiny"),
    )


def _alone(part: Part) -> Part:
    """The part under a heading of its own, which says what it would say."""
    return replace(
        part, title="Ranks and ties", lead="", chapter=Chapter("ranks", part.title, part.lead)
    )


def _told(view: RunView) -> str:
    """Data of a side, with their numbers of items."""
    return ", ".join(f"{data.name} ({data.size})" for data in view.datasets)
