"""Ranking, ties, verification: pure rules over scores that were made elsewhere."""

from iolai.board.assemble import make_board
from iolai.board.entry import BoardEntry
from iolai.board.ranking import Summarise, in_order, rank
from iolai.board.similarity import (
    explanation_uses,
    shared_explanations,
    similar_pairs,
)
from iolai.board.summary import summarise_board
from iolai.board.tasks import chance_level, count_options, overall_chance, task_lines
from iolai.board.verify import published_figures, verify, verify_line

__all__ = [
    "BoardEntry",
    "Summarise",
    "chance_level",
    "count_options",
    "explanation_uses",
    "in_order",
    "make_board",
    "overall_chance",
    "published_figures",
    "rank",
    "shared_explanations",
    "similar_pairs",
    "summarise_board",
    "task_lines",
    "verify",
    "verify_line",
]
