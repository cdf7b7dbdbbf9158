"""Files of every known format: read by content, written whole. One file here is one format."""

from iolai.formats.builtin import builtin_path
from iolai.formats.contestants import (
    parse_contestants,
    read_contestants,
    render_contestants,
)
from iolai.formats.document import Document
from iolai.formats.linguini import render_linguini
from iolai.formats.marks_table import parse_marks, read_marks, render_marks
from iolai.formats.papers_folder import read_papers
from iolai.formats.plain_text import render_plain_text
from iolai.formats.read import (
    OnFailure,
    OnWarning,
    read_document,
    read_key,
    read_predictions,
    read_problems,
    read_rubric,
)
from iolai.formats.records_folder import is_records_folder, read_records, write_records
from iolai.formats.registry import parse_document
from iolai.formats.rubric_lobster import THEORY_POINTS, parse_checklists, read_checklists
from iolai.formats.rubric_toml import parse_rubric, render_rubric
from iolai.formats.solution_csv import render_solution_csv
from iolai.formats.submission_csv import parse_submission_csv, render_submission_csv
from iolai.formats.test_csv import render_test_csv
from iolai.formats.write import (
    write_linguini,
    write_plain_text,
    write_rubric,
    write_solution_csv,
    write_submission_csv,
    write_test_csv,
)

__all__ = [
    "THEORY_POINTS",
    "Document",
    "OnFailure",
    "OnWarning",
    "builtin_path",
    "is_records_folder",
    "parse_checklists",
    "parse_contestants",
    "parse_document",
    "parse_marks",
    "parse_rubric",
    "parse_submission_csv",
    "read_checklists",
    "read_contestants",
    "read_document",
    "read_key",
    "read_marks",
    "read_papers",
    "read_predictions",
    "read_problems",
    "read_records",
    "read_rubric",
    "render_contestants",
    "render_linguini",
    "render_marks",
    "render_plain_text",
    "render_rubric",
    "render_solution_csv",
    "render_submission_csv",
    "render_test_csv",
    "write_linguini",
    "write_plain_text",
    "write_records",
    "write_rubric",
    "write_solution_csv",
    "write_submission_csv",
    "write_test_csv",
]
