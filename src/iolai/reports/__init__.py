"""Reports: terminal tables, JSON, CSV and HTML."""

from iolai.reports.answers import answer_tables
from iolai.reports.score import comparison_tables, item_table, percent, score_json, score_table

__all__ = [
    "answer_tables",
    "comparison_tables",
    "item_table",
    "percent",
    "score_json",
    "score_table",
]
