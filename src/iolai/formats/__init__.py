"""Files of every known format: read by content, written whole. One file here is one format."""

from iolai.formats.builtin import builtin_path
from iolai.formats.document import Document
from iolai.formats.linguini import render_linguini
from iolai.formats.plain_text import render_plain_text
from iolai.formats.read import (
    OnWarning,
    read_document,
    read_key,
    read_predictions,
    read_problems,
    read_rubric,
)
from iolai.formats.records_folder import is_records_folder, read_records, write_records
from iolai.formats.registry import parse_document
from iolai.formats.rubric_toml import render_rubric
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
    "Document",
    "OnWarning",
    "builtin_path",
    "is_records_folder",
    "parse_document",
    "parse_submission_csv",
    "read_document",
    "read_key",
    "read_predictions",
    "read_problems",
    "read_records",
    "read_rubric",
    "render_linguini",
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
