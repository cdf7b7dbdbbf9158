"""Reports: terminal tables, JSON, CSV and HTML."""

from iolai.reports.answers import answer_tables
from iolai.reports.board_html import render_board
from iolai.reports.board_rows import board_csv, board_rows
from iolai.reports.board_text import board_table, difference_lines, verdict
from iolai.reports.checking import check_json, check_lines, check_summary
from iolai.reports.score import comparison_tables, item_table, score_json, score_table

__all__ = [
    "answer_tables",
    "board_csv",
    "board_rows",
    "board_table",
    "check_json",
    "check_lines",
    "check_summary",
    "comparison_tables",
    "difference_lines",
    "item_table",
    "render_board",
    "score_json",
    "score_table",
    "verdict",
]
