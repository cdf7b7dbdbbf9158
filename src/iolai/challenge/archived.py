"""Archived records as a finished challenge, and a finished challenge as archived records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sqlalchemy import Connection

from iolai.board import published_figures, verify, verify_line
from iolai.challenge.boards import Picked, final_board, final_picks, public_picks
from iolai.challenge.challenges import ChallengeView, define, get, set_current_key
from iolai.challenge.clock import stamp
from iolai.challenge.keys import kept_key, seal
from iolai.challenge.ledger import add_scored_submission
from iolai.challenge.names import fold_name
from iolai.challenge.permissions import Action, require
from iolai.challenge.scorebook import read_score
from iolai.challenge.scoring import fill_scores, parse_predictions, reveal_key
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.settings import ChallengeSettings, Seen
from iolai.challenge.state import ChallengeState, find_state
from iolai.errors import ConflictError, InputError
from iolai.formats import read_records, render_submission_csv, write_records
from iolai.records import (
    BASELINE,
    AnswerKey,
    ArchivedEntry,
    BoardLine,
    BoardRow,
    ChallengeRow,
    Difference,
    EventKind,
    KeyRow,
    Prediction,
    PredictionSet,
    PublishedTask,
    Records,
    Score,
    TaskScore,
    Team,
    TeamKind,
)
from iolai.store import challenges, runs, scores, teams
from iolai.store.events import add_event

__all__ = ["board_as_records", "import_records", "title_of"]


def import_records(
    service: Service, actor: Actor, folder: Path, slug: str = "", title: str = ""
) -> ChallengeView:
    """Import archived records as a finished, published challenge.

    Where no title is given it is made of the folder's name. Every entry is scored here again; its
    line of the published board stands beside, with whatever came out differently. Lines without a
    record stand as they were published. Raises ConflictError where the slug is taken.
    """
    require(actor, Action.CREATE_CHALLENGE)
    records = read_records(folder)
    name = slug or records.name.lower().replace("_", "-").replace(" ", "-")
    row = ChallengeRow(new_id(), name, service.stamp())
    key = seal(service, records.key, row.id)
    with kept_key(service, key), service.store.write() as connection:
        if challenges.find_challenge(connection, name) is not None:
            raise ConflictError(f"there already is a challenge {name}", hint="Give --slug another.")
        challenges.add_challenge(connection, row)
        settings = _settings(name, title or title_of(records.name), records, row.created_at)
        define(service, connection, actor, row.id, settings=settings, problems="")
        set_current_key(service, connection, actor, key, reason="imported")
        found = _Import(service, connection, row.id)
        for line in records.board:
            found.take(line, records.entry(line))
        listed = {line.record.rsplit("/", 1)[-1] for line in records.board}
        for entry in records.entries:
            if entry.folder not in listed:
                found.take(None, entry)
    fill_scores(service, row.id, key.id)
    with service.store.write() as connection:
        _finish(service, connection, actor, key, found.entries)
    return get(service, actor, name)


def title_of(name: str) -> str:
    """Make a title of a folder's name: ``summer2026-records`` is ``SUMMER2026 records``.

    Hyphens and underscores part words; a word with a digit in it is taken for an abbreviation.
    """
    words = re.split(r"[-_\s]+", name.strip("-_ "))
    shown = " ".join(word.upper() if re.search(r"\d", word) else word for word in words)
    return shown[:1].upper() + shown[1:]


def _settings(slug: str, title: str, records: Records, at: str) -> ChallengeSettings:
    times = sorted(filter(None, (_time(line.submitted_at) for line in records.board))) or [at]
    return ChallengeSettings(
        slug=slug,
        title=title,
        registration=times[0],
        open=times[0],
        freeze=min(times[-1], at),
        close=min(times[-1], at),
        description="Archived records.",
        seen=Seen(problems="never"),
    )


def _time(text: str) -> str:
    from datetime import UTC, datetime

    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return ""
    return stamp(found if found.tzinfo else found.replace(tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class _Imported:
    line: BoardLine | None
    entry: ArchivedEntry | None
    team: str
    run: str


class _Import:
    """Inserts one team, submission and verdict for each archived entry."""

    def __init__(self, service: Service, connection: Connection, challenge_id: str) -> None:
        self._service, self._connection, self._id = service, connection, challenge_id
        self.entries: list[_Imported] = []

    def take(self, line: BoardLine | None, entry: ArchivedEntry | None) -> None:
        """Insert what the release holds of one entry; a line alone is only remembered."""
        if entry is None:
            self.entries.append(_Imported(line, None, "", ""))
            return
        at = self._service.stamp()
        team = self._team(line.team if line else entry.team, at)
        data = render_submission_csv(entry.predictions).encode("utf-8", "surrogatepass")
        given = entry.metadata.get("timestamp")
        said = line.submitted_at if line else str(given or "")
        _, run = add_scored_submission(
            self._connection,
            team,
            self._service.blobs.put(data),
            size=len(data),
            at=at,
            source=entry.folder,
            received_at=_time(said) or at,
        )
        self.entries.append(_Imported(line, entry, team.id, run.id))

    def _team(self, name: str, at: str) -> Team:
        shown, number = name, 1
        while teams.find_team_named(self._connection, self._id, fold_name(shown)) is not None:
            number += 1
            shown = f"{name} ({number})"
        team = Team(new_id(), self._id, shown, at, kind=TeamKind.ARCHIVED)
        teams.add_team(self._connection, team, fold_name(shown))
        return team


def _finish(
    service: Service,
    connection: Connection,
    actor: Actor,
    key: KeyRow,
    entries: list[_Imported],
) -> None:
    """Write down the published lines with what came out differently, and publish."""
    lines = []
    for one in entries:
        if one.line is None:
            continue
        differences: tuple[Difference, ...] = ()
        if one.entry is not None:
            row = scores.get_score(connection, one.run, key.id)
            if row is None:  # pragma: no cover -- all imported runs were just scored
                continue
            score = read_score(row, key)
            differences = verify(one.entry, score) + verify_line(one.line, score)
        shown = [[d.field, d.published, d.computed] for d in differences]
        lines.append({"line": asdict(one.line), "team": one.team, "differences": shown})
    about = {"at": service.stamp(), "author": actor.author, "challenge": key.challenge}
    add_event(connection, EventKind.RECORDS_IMPORTED, **about, data={"lines": lines})
    add_event(connection, EventKind.PUBLISHED, **about, data={"key": key.id})


def board_as_records(
    service: Service, actor: Actor, slug: str, folder: Path, reason: str
) -> Records:
    """Write a published challenge as archived records, which ``iolai board --verify`` can check.

    The key is among them: it wants an admin and leaves an event. Raises ConflictError before the
    challenge is published, InputError where the folder is not empty.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
    require(actor, Action.REVEAL_KEY)
    if not state.is_published:
        raise ConflictError("the challenge is not published", hint="Publish it first.")
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty", hint="Name a folder of its own.")
    key = reveal_key(service, actor, slug, reason)
    board = final_board(service, actor, slug)
    rows = {row.team: row for row in board.rows}
    with service.store.read() as connection:
        records = _records(service, connection, state, key, rows)
    write_records(folder, records)
    return records


def _records(
    service: Service,
    connection: Connection,
    state: ChallengeState,
    key: AnswerKey,
    rows: Mapping[str, BoardRow],
) -> Records:
    row = challenges.get_key(connection, state.key)
    best_public = {
        pick.team.id: pick.candidate.score
        for pick in public_picks(connection, replace(state, frozen=None))
    }
    lines: list[BoardLine] = []
    entries: list[ArchivedEntry] = []
    for pick in final_picks(connection, state):
        shown = rows.get(pick.team.name)
        score_row = scores.get_score(connection, pick.candidate.run, state.key)
        if row is None or score_row is None or shown is None or shown.state == "unscored":
            continue
        score = read_score(score_row, row)
        place = BASELINE if shown.rank is None else f"{shown.rank:02}"
        folder = f"{place}_{pick.team.id}"
        lines.append(_line(shown, score, folder, best_public.get(pick.team.id)))
        verdict = runs.get_verdict(connection, pick.candidate.run)
        output = service.blobs.read(verdict.output) if verdict else b""
        entries.append(_entry(folder, pick, score, output))
    lines += [_standing_line(one) for one in rows.values() if one.state == "published"]
    order = {team: place for place, team in enumerate(rows)}
    lines.sort(key=lambda line: order[line.team])
    return Records(tuple(lines), key, tuple(entries), name=state.settings.title)


def _line(row: BoardRow, score: Score, folder: str, best: float | None) -> BoardLine:
    public = score.splits.get("public")
    return BoardLine(
        rank=row.rank,
        team=row.team,
        account_type=row.account_type or "team",
        score=round(score.overall.score or 0.0, 4),
        exact_match=round(score.overall.exact_match or 0.0, 4),
        chrf=round(score.overall.chrf or 0.0, 4),
        submitted_at=row.submitted_at[:19].replace("T", " "),
        explanation_rate=round(score.rates.explanation_rate, 2),
        public_score_best_run=None if best is None else round(best, 4),
        public_score_scored_run=None if public is None else round(public.score or 0.0, 4),
        record=f"submissions/{folder}",
    )


def _standing_line(row: BoardRow) -> BoardLine:
    """Return the line of an archived entry without a record: it stands as it was published."""
    return BoardLine(
        rank=row.rank,
        team=row.team,
        account_type=row.account_type,
        score=row.score or 0.0,
        exact_match=row.exact_match or 0.0,
        chrf=row.chrf or 0.0,
        submitted_at=row.submitted_at,
        explanation_rate=row.explanation_rate,
        model=row.model,
    )


def _entry(folder: str, pick: Picked, score: Score, output: bytes) -> ArchivedEntry:
    predictions = parse_predictions(output)
    rows = [predictions.get(task.id) or Prediction(task.id, "") for task in score.tasks]
    named = zip(rows, score.tasks, strict=True)
    kept = PredictionSet(tuple(replace(row, id=task.id) for row, task in named))
    figures = {
        name: round(value, 4)
        for name, value in published_figures(score).items()
        if value is not None
    }
    metadata = {
        "team": pick.team.name,
        "timestamp": pick.candidate.received_at,
        "submission": pick.candidate.submission,
        "selected_for_private": bool(pick.chosen),
    }
    published = tuple(map(_published, score.tasks))
    return ArchivedEntry(folder, pick.team.name, metadata, figures, kept, published)


def _published(task: TaskScore) -> PublishedTask:
    return PublishedTask(
        id=task.id,
        items=tuple(item.predicted for item in task.items),
        item_exact_match=tuple(item.exact_match for item in task.items),
        item_chrf=tuple(item.chrf for item in task.items),
        exact_match=task.exact_match,
        chrf=task.chrf,
        n_read=task.n_read,
        is_json_list=task.is_json_list,
    )
