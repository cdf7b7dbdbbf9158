"""The jury's work as one file, for release: rubrics, marks, papers, the result.

Contestants are named or called by numbers as asked for; jurors are called by numbers always.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from iolai.challenge.jury.content import load_content
from iolai.challenge.jury.results import (
    Anonymity,
    Marked,
    marked,
    named_result,
)
from iolai.challenge.jury.state import find_jury, load_rows, require_state
from iolai.challenge.permissions import Action, require
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.formats import render_rubric
from iolai.formats.contestants import render_contestants
from iolai.formats.marks_table import render_marks
from iolai.jury.tables import mark_rows
from iolai.records.jury import ContestantKind, MarkKind
from iolai.reports.jury_report import jury_html
from iolai.reports.jury_tables import jury_json
from iolai.store.papers import PaperRow

__all__ = ["export_jury"]

_README = """\
The jury's work on {title}.

rubrics/         the marking scheme of each problem; where it was amended, every version by which
                 marks were given: the highest counted in the end
marks.csv        every row that a juror saved, in order; the newest own mark of a juror counts.
                 role: the pair (first, second), the third, or who was replaced by another;
                 rubric_version: the version of the rubric by which the mark was given
contestants.csv  kinds, automatic scores, people's scores, thresholds
papers.json      what was marked, as the jurors saw it
result.json      totals, ranks, agreement, comparison, difficulty
result.html      the same as a page

    iolai jury results marks.csv --rubrics rubrics --contestants contestants.csv

works the result out anew from these files.

Jurors are called by numbers. {people} {systems}
Notes and reasons are what jurors typed. Names of accounts, and of contestants who are called by
numbers, were replaced in them; what else in them points to somebody only a reader can find.

{early}
"""
#: Times, zipped in, would tell when the file was made and nothing else.
_DATE = (2000, 1, 1, 0, 0, 0)
#: What a name of a file does without.
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


def export_jury(service: Service, actor: Actor, slug: str, hidden: Anonymity) -> bytes:
    """Return the work of an unsealed jury as a zip; for an organiser.

    Page images of people go with it only where people are named: a hand gives its owner away.
    Raises ConflictError while the marking is sealed.
    """
    with service.store.read() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
        require_state(jury, begun=True, unsealed=True)
        given = marked(service, connection, jury, hidden)
        rows = load_rows(connection, jury)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _files(service, given, rows.papers, hidden):
            archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def _files(
    service: Service, given: Marked, rows: Mapping[str, PaperRow], hidden: Anonymity
) -> Iterable[tuple[str, str | bytes]]:
    yield "README.txt", _readme(given, hidden)
    yield from _rubrics(given)
    yield "marks.csv", _marks(given)
    yield "contestants.csv", _contestants(given)
    papers = []
    for one in given.papers:
        content = load_content(service, rows[one.paper.id].content)
        papers.append(_paper(given, one.paper.number, one.paper.contestant, content))
        papers[-1]["problem"] = one.paper.problem
        for place, blob in enumerate(content.pages if not hidden.people else (), 1):
            yield f"pages/{one.paper.number}-{place}", service.blobs.read(blob)
    yield "papers.json", _json(papers)
    found = named_result(given)
    yield "result.json", _json(jury_json(found))
    yield "result.html", jury_html(found)


def _readme(given: Marked, hidden: Anonymity) -> str:
    n_early = len(given.jury.opened)
    return _README.format(
        title=given.jury.challenge.settings.title,
        people="People are called by numbers." if hidden.people else "People are named.",
        systems="Systems are called by numbers." if hidden.systems else "Systems are named.",
        early=f"Papers opened before the marking was unsealed: {n_early}.",
    )


def _rubrics(given: Marked) -> Iterable[tuple[str, str]]:
    """Yield the rubrics that count, in the order of the problems, and the earlier ones in use."""
    used = {(one.paper.problem, mark.rubric_version) for one in given.papers for mark in one.marks}
    for place, (problem, held) in enumerate(given.jury.rubrics.items(), 1):
        name = f"{place:02d}-{_UNFIT.sub('_', problem)}"
        yield f"rubrics/{name}.toml", held.text
        for (one, version), rubric in sorted(given.jury.versions.items(), key=lambda pair: pair[0]):
            if one == problem and (one, version) in used and version != held.rubric.version:
                yield f"rubrics/{name}-version-{version}.toml", render_rubric(rubric)


def _marks(given: Marked) -> str:
    names = {one.id: one.name for one in given.contestants}
    return render_marks(
        replace(
            row,
            contestant=names[row.contestant],
            note="" if row.kind == MarkKind.REOPENED else _renamed(row.note, given.hidden_names),
        )
        for row in mark_rows(given.papers)
    )


def _renamed(note: str, names: Mapping[str, str]) -> str:
    """Put what somebody is called here in the place of a name that a note holds, in any case."""
    for name in sorted(names, key=len, reverse=True):
        called = names[name].replace("\\", r"\\")
        note = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", called, note, flags=re.IGNORECASE)
    return note


def _contestants(given: Marked) -> str:
    names = {one.id: one.name for one in given.contestants}
    table = given.table
    kinds = {names[one]: kind for one, kind in table.kinds.items()}
    named = replace(
        table,
        kinds=kinds | {one.name: ContestantKind.PERSON for one in table.people},
        automatic={names[one]: score for one, score in table.automatic.items()},
        automatic_by_problem={
            names[one]: scores for one, scores in table.automatic_by_problem.items()
        },
    )
    return render_contestants(named)


def _paper(given: Marked, number: str, contestant: str, content: Any) -> dict[str, Any]:
    (owner,) = (one for one in given.contestants if one.id == contestant)
    return {
        "number": number,
        "contestant": owner.name,
        "kind": owner.kind.value,
        "answers": [
            {"task": one.task, "answers": list(one.answers), "explanation": one.explanation}
            for one in content.answers
        ],
        "text": content.text,
        "n_pages": len(content.pages),
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
