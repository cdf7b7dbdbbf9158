"""Boards, derived from events, verdicts and scores; and why somebody stands where they stand.

The public board holds each team's best run by the score over the public split, of those handed in
before the freeze. The final board holds each team's best selected run by the score over all
tasks; a team that selected nothing has its best public runs selected for it. The run that is
scored is the run shown. Rank, ties, intervals and bands are those of ``iolai.board``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from iolai.board import BoardEntry, in_order, overall_chance, rank, summarise_board
from iolai.challenge.coarse import coarse_board, coarse_total
from iolai.challenge.names import fold_name
from iolai.challenge.permissions import Action, may, require
from iolai.challenge.scorebook import read_outline
from iolai.challenge.selections import chosen_by_team, default_selection
from iolai.challenge.service import Actor, Service
from iolai.challenge.standings import Candidate, candidates, disqualified_teams
from iolai.challenge.state import ChallengeState, find_state, own_team, scope_of
from iolai.challenge.telling import reason_is_shown, with_names
from iolai.errors import NotFoundError
from iolai.metrics import summarise
from iolai.records import (
    BASELINE,
    Board,
    BoardLine,
    Difference,
    Event,
    EventKind,
    KeyRow,
    KeyTask,
    Phase,
    Score,
    TaskLine,
    Team,
    TeamKind,
)
from iolai.records import problem_id as problem_of_id
from iolai.stats import DEFAULT_RESAMPLES
from iolai.store import challenges, scores, teams
from iolai.store.events import last_event, last_id, list_events, newest_id

__all__ = [
    "DECIDING",
    "HistoryLine",
    "Picked",
    "Standing",
    "Why",
    "final_board",
    "final_picks",
    "final_standing",
    "history",
    "made_anew",
    "own_place",
    "places_named",
    "public_board",
    "public_picks",
    "ranked",
    "shown_board",
    "team_ids",
    "version",
    "why",
]

#: The kinds of event after which a board may be another.
DECIDING = (
    EventKind.CHALLENGE_DEFINED,
    EventKind.PHASE_SET,
    EventKind.KEY_SET,
    EventKind.PUBLISHED,
    EventKind.VERDICT,
    EventKind.SELECTED,
    EventKind.DISQUALIFIED,
    EventKind.REINSTATED,
    EventKind.PROPOSAL_APPLIED,
    EventKind.RECORDS_IMPORTED,
    EventKind.JURY_RELEASED,  # no figure of the board, but a page of it leads to the result
)
_PHASES = tuple(Phase)
#: Boards with more entries than this are resampled less often; the board says how often.
_MANY = 200
_RESAMPLES_OF_MANY = 2_000
_CACHED = 16
_cache: dict[tuple[object, ...], Board] = {}
_making: dict[tuple[object, ...], threading.Lock] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Picked:
    """The run that stands for a team. ``chosen``: the team chose it; None where none is chosen.

    ``is_baseline``: it is there to compare with, and has no rank, wherever it came from.
    """

    team: Team
    candidate: Candidate
    chosen: bool | None = None
    is_baseline: bool = False


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One scored submission in a team's history, by its public score.

    ``shown``: it stands for the team on the public board; ``final``: on the final board. ``counts``
    is ``selected`` or ``default`` for those that the final result is the best of, and ``whole`` the
    score over all tasks. What whoever asks may not see yet is False, ``""``, None.
    """

    submission: str
    received_at: str
    score: float | None
    shown: bool
    final: bool = False
    counts: str = ""
    whole: float | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a team stands on the final board: its place, and the run that stands for it.

    ``rank`` is None and ``submission`` ``""`` where it does not stand there.
    """

    rank: int | None
    n_teams: int
    score: float | None
    submission: str


@dataclass(frozen=True)
class Why:
    """Why a team stands where it stands: the run, the rule that picked it, the events behind."""

    team: str
    board: str
    rank: int | None
    score: float | None
    submission: str
    run: str
    key: str
    rule: str
    events: tuple[Event, ...]


def version(service: Service, slug: str) -> int:
    """Return a number that grows whenever a board may be another: for caches, and cheap.

    It is made of the last deciding event and the phase, which moves with the time as well. Where
    no event came and no phase began since it was last asked for, it is what it was.
    """
    place, now = (service.store.url, slug), service.stamp()
    with service.store.read() as connection:
        newest = newest_id(connection)
        known = _versions.get(place)
        if known is not None and known.newest == newest and known.since <= now < known.until:
            return known.version
        state = find_state(service, connection, slug)
        found = _version(connection, state)
    until = state.next_change[0] if state.next_change else _NEVER
    if len(_versions) >= _CACHED:
        _versions.clear()
    _versions[place] = _Known(newest, state.at, until, found)
    return found


@dataclass(frozen=True, slots=True)
class _Known:
    """A version as it was found: it holds while ``newest`` is the newest event, until a phase."""

    newest: int
    since: str
    until: str
    version: int


_versions: dict[tuple[str, str], _Known] = {}
_NEVER = "9999"


def _version(connection: Connection, state: ChallengeState) -> int:
    last = last_id(connection, state.id, DECIDING)
    return last * len(_PHASES) + _PHASES.index(state.phase)


def public_board(service: Service, actor: Actor, slug: str) -> Board:
    """Return the public board: figures of the public split, and of nothing else.

    They are rounded (see ``coarse``) until the results are published.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.VIEW_BOARD, scope_of(state), what="board")
        return _cached(service, connection, state, "public", _public_board)


def final_board(service: Service, actor: Actor, slug: str) -> Board:
    """Return the final board over all tasks: for organisers, and for all once it is published."""
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.VIEW_FINAL_BOARD, scope_of(state), what="board")
        return _cached(service, connection, state, "final", _final_board)


def shown_board(service: Service, actor: Actor, slug: str) -> tuple[Board, bool]:
    """Return the board that the challenge's page shows, and whether it is the final one."""
    with service.store.read() as connection:
        is_final = find_state(service, connection, slug).is_published
    return (final_board if is_final else public_board)(service, actor, slug), is_final


def _cached(
    service: Service,
    connection: Connection,
    state: ChallengeState,
    kind: str,
    make: Callable[[Connection, ChallengeState], Board],
) -> Board:
    """Return the board of this version, made once: two readers at once wait for one making.

    Readers of other boards, and of versions that are made already, wait for nobody.
    """
    board_of = (service.store.url, state.id, kind)
    place = (*board_of, _version(connection, state))
    with _lock:
        if place in _cache:
            return _cache[place]
        making = _making.setdefault(board_of, threading.Lock())
    with making:
        with _lock:
            if place in _cache:
                return _cache[place]
        board = make(connection, state)
        with _lock:
            while len(_cache) >= _CACHED:
                _cache.pop(next(iter(_cache)))
            _cache[place] = board
        return board


def made_anew(connection: Connection, state: ChallengeState) -> tuple[Board, Board]:
    """Return the public and the final board as they come out inside a transaction."""
    return _public_board(connection, state), _final_board(connection, state)


def _public_board(connection: Connection, state: ChallengeState) -> Board:
    board = _board(connection, state, public_picks(connection, state), "public", ())
    return board if state.is_published else coarse_board(board)


def _final_board(connection: Connection, state: ChallengeState) -> Board:
    picks = final_picks(connection, state)
    return _board(connection, state, picks, "all", _published_lines(connection, state))


def public_picks(
    connection: Connection, state: ChallengeState, **instead: Any
) -> tuple[Picked, ...]:
    """Return each team's best public run; ``instead`` goes to ``standings.candidates``."""
    found = candidates(connection, state, "public", **instead)
    best = _best_of_each(_before_freeze(connection, state, found))
    compared = _baselines(connection, state)
    return tuple(
        Picked(team, best[team.id], is_baseline=team.id in compared)
        for team in _ranked_teams(connection, state, best)
    )


def _before_freeze(
    connection: Connection, state: ChallengeState, found: Iterable[Candidate]
) -> tuple[Candidate, ...]:
    """Return what was handed in before the freeze, all where there is none.

    A baseline is handed in by nobody: it stands as the organiser set it, before and after.
    """
    freeze = state.frozen
    if freeze is None:
        return tuple(found)
    known = teams.list_teams(connection, state.id)
    baselines = {team.id for team in known if team.kind is TeamKind.BASELINE}
    return tuple(
        one
        for one in found
        if one.team in baselines or freeze.is_before(one.received_at, one.order)
    )


def final_picks(
    connection: Connection, state: ChallengeState, **instead: Any
) -> tuple[Picked, ...]:
    """Return each team's final run; ``instead`` goes to ``standings.candidates``."""
    whole = {one.submission: one for one in candidates(connection, state, "all", **instead)}
    by_team: dict[str, list[Candidate]] = {}
    for one in candidates(connection, state, "public", **instead):
        by_team.setdefault(one.team, []).append(one)
    chosen = chosen_by_team(connection, state.id)
    compared = _baselines(connection, state)
    picks = []
    for team in _ranked_teams(connection, state, by_team):
        own = chosen.get(team.id, ())
        counts = own or default_selection(tuple(by_team[team.id]), state.settings.n_selections)
        best = _final_run(counts, whole)
        if best is not None:
            picks.append(Picked(team, best, bool(own), team.id in compared))
    return tuple(picks)


def _best_of_each(found: Iterable[Candidate]) -> dict[str, Candidate]:
    """Return the best run of each team, the earlier of two that show the same score."""
    best: dict[str, Candidate] = {}
    for one in found:
        known = best.get(one.team)
        if known is None or _better(one, known):
            best[one.team] = one
    return best


def _better(one: Candidate, known: Candidate) -> bool:
    return _shown(one) > _shown(known) or (
        _shown(one) == _shown(known) and one.arrival < known.arrival
    )


def _shown(one: Candidate) -> float:
    return -1.0 if one.score is None else round(one.score, 4)


def _ranked_teams(
    connection: Connection, state: ChallengeState, having: Mapping[str, object]
) -> list[Team]:
    out = disqualified_teams(connection, state.id)
    found = teams.list_teams(connection, state.id)
    return [team for team in found if team.id in having and team.id not in out]


def _baselines(connection: Connection, state: ChallengeState) -> frozenset[str]:
    """Return the ids of the baselines: the challenge's own, and those that were archived as such.

    One that was published with a rank is ranked here too, as on the final board.
    """
    known = teams.list_teams(connection, state.id)
    own = {team.id for team in known if team.kind is TeamKind.BASELINE}
    archived = {
        one.team
        for one in _published_lines(connection, state)
        if one.team and one.line.account_type == BASELINE and one.line.rank is None
    }
    return frozenset(own | archived)


def ranked(picks: Iterable[Picked]) -> dict[str, int]:
    """Return the rank of each team by its id, as the board gives it, without a whole board.

    Baselines have none.
    """
    order = sorted(
        (pick for pick in picks if not pick.is_baseline),
        key=lambda pick: (-_shown(pick.candidate), pick.candidate.arrival, pick.team.name),
    )
    return {pick.team.id: place for place, pick in enumerate(order, start=1)}


def _board(
    connection: Connection,
    state: ChallengeState,
    picks: Sequence[Picked],
    split: str,
    published: Sequence[_Line],
) -> Board:
    key = challenges.get_key(connection, state.key) if state.key else None
    entries = _entries(connection, key, picks, split, published) if key else []
    ordered = in_order(entries)
    made = [entry.score for entry in ordered if entry.score is not None]
    n_resamples = DEFAULT_RESAMPLES if len(made) <= _MANY else _RESAMPLES_OF_MANY
    rows, resampling = rank(ordered, summarise, n_resamples=n_resamples)
    lines = _task_lines([t for t in key.tasks if split in ("all", t.split)] if key else [], made)
    return Board(
        rows=rows,
        tasks=lines,
        summary=summarise_board(ordered, (), ()),
        resampling=resampling,
        signature=", ".join(sorted({str(score.signature) for score in made})),
        chance=overall_chance(lines),
        name=state.settings.title,
    )


def _entries(
    connection: Connection,
    key: KeyRow,
    picks: Sequence[Picked],
    split: str,
    published: Sequence[_Line],
) -> list[BoardEntry]:
    by_team = {line.team: line for line in published if line.team}
    entries = [_published_entry(line) for line in published if not line.team]
    outlines = _outlines(connection, key, picks, split)
    for pick in picks:
        score = outlines[pick.candidate.run]
        line = by_team.get(pick.team.id)
        entry = _published_entry(line) if line else BoardEntry(pick.team.name)
        entries.append(
            replace(
                entry,
                submitted_at=entry.submitted_at or pick.candidate.received_at,
                arrival=0 if line else pick.candidate.order,
                account_type=entry.account_type or (BASELINE if pick.is_baseline else ""),
                score=score,
                selected=pick.chosen if pick.team.kind is TeamKind.TEAM else None,
            )
        )
    return entries


def _outlines(
    connection: Connection, key: KeyRow, picks: Sequence[Picked], split: str
) -> dict[str, Score]:
    """Return the score of each pick by its run; those that a board was made of before are kept.

    A score is never another for a run and a key, so that after one more verdict one is read.
    """
    asked = [pick.candidate.run for pick in picks]
    with _lock:
        found = {run: _read[run, key.id, split] for run in asked if (run, key.id, split) in _read}
    missing = [run for run in asked if run not in found]
    for start in range(0, len(missing), _AT_ONCE):
        some = missing[start : start + _AT_ONCE]
        for row in scores.list_scores(connection, key.id, some):
            found[row.run] = read_outline(row, key, split)
    with _lock:
        if len(_read) + len(missing) > _MOST_READ:
            _read.clear()
        _read.update({(run, key.id, split): found[run] for run in missing})
    return found


_AT_ONCE, _MOST_READ = 500, 20_000
_read: dict[tuple[str, str, str], Score] = {}


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of an archived board: what was published, and what came out differently here."""

    line: BoardLine
    team: str
    differences: tuple[Difference, ...]


def _published_lines(connection: Connection, state: ChallengeState) -> tuple[_Line, ...]:
    event = last_event(connection, EventKind.RECORDS_IMPORTED, challenge=state.id)
    if event is None:
        return ()
    found: Any = event.data["lines"]
    return tuple(
        _Line(
            BoardLine(**one["line"]),
            one["team"],
            tuple(Difference(*values) for values in one["differences"]),
        )
        for one in found
    )


def _published_entry(line: _Line) -> BoardEntry:
    return BoardEntry(
        team=line.line.team,
        submitted_at=line.line.submitted_at,
        account_type=line.line.account_type,
        model=line.line.model,
        published=line.line,
        differences=line.differences if line.team else None,
    )


def _task_lines(tasks: Sequence[KeyTask], made: Sequence[Score]) -> tuple[TaskLine, ...]:
    reached: dict[str, list[float]] = {task.id: [] for task in tasks}
    for score in made:
        for task in score.tasks:
            reached[task.id].append(task.exact_match)
    return tuple(
        TaskLine(
            id=task.id,
            problem=problem_of_id(task.id) or task.id,
            task_type=task.task_type,
            split=task.split,
            points=task.points,
            n_items=task.n_items,
            n_options=task.n_options,
            chance=task.chance,
            mean=sum(values) / len(values) if values else None,
            best=max(values, default=None),
            n_above=sum(value > task.chance + 1e-9 for value in values),
        )
        for task, values in ((task, reached[task.id]) for task in tasks)
    )


def team_ids(service: Service, actor: Actor, slug: str) -> dict[str, str]:
    """Return the id of each team by its name, as the boards name it: names are unique."""
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.VIEW_BOARD, scope_of(state), what="board")
        ids = {team.name: team.id for team in teams.list_teams(connection, state.id)}
        lines = _published_lines(connection, state)
    return ids | {line.line.team: line.team for line in lines if line.team}


def own_place(service: Service, actor: Actor, slug: str, kind: str) -> int | None:
    """Return the place, counted from 0, of one's own team among the rows of a board.

    ``kind`` is ``public`` or ``final``. None where one has no team, or it does not stand there.
    """
    if not actor.account:
        return None
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        team = own_team(connection, actor, state.id)
        if team is None:
            return None
        names = _names_of(connection, state, team)
    shown = (final_board if kind == "final" else public_board)(service, actor, slug)
    return next((place for place, row in enumerate(shown.rows) if row.team in names), None)


def _names_of(connection: Connection, state: ChallengeState, team: Team) -> frozenset[str]:
    """Return what boards call a team: its name, and that of its archived row."""
    lines = _published_lines(connection, state)
    return frozenset({team.name, *(one.line.team for one in lines if one.team == team.id)})


def places_named(board: Board, text: str) -> tuple[int, ...]:
    """Return the places, counted from 0, of the rows whose team has ``text`` in its name.

    Case, spaces and look-alike letters do not count. All places where the text is blank.
    """
    wanted = fold_name(text)
    return tuple(
        place for place, row in enumerate(board.rows) if not wanted or wanted in fold_name(row.team)
    )


def history(service: Service, actor: Actor, slug: str, team_id: str) -> tuple[HistoryLine, ...]:
    """Return a team's scored submissions by their public scores, the earliest first.

    Others see those before the freeze, as on the board; the team itself and organisers all.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.VIEW_BOARD, scope_of(state), what="board")
        team = _require_team(connection, state, team_id)
        found = candidates(connection, state, "public", team_id=team_id)
        mine = own_team(connection, actor, state.id)
        is_own = mine is not None and mine.id == team_id
        sees_private = may(actor, Action.VIEW_PRIVATE_SCORES, scope_of(state)) or state.is_published
        whole = candidates(connection, state, "all", team_id=team_id) if sees_private else ()
        chosen = chosen_by_team(connection, state.id).get(team_id, ())
        is_out = bool(team.deleted_at) or team_id in disqualified_teams(connection, state.id)
        before = _before_freeze(connection, state, found)
    shown = None if is_out else _best_of_each(before).get(team_id)
    counts = chosen or default_selection(found, state.settings.n_selections)
    if team.deleted_at:
        counts = ()
    scores_of = {one.submission: one for one in whole}
    is_final = state.phase is Phase.FINAL and not is_out
    final = _final_run(counts, scores_of) if is_final else None
    return tuple(
        HistoryLine(
            submission=one.submission,
            received_at=one.received_at,
            score=one.score if sees_private else coarse_total(one.score),
            shown=one == shown,
            final=final is not None and one.submission == final.submission,
            counts=_word_of(one, chosen, counts) if is_own or sees_private else "",
            whole=scores_of[one.submission].score if one.submission in scores_of else None,
        )
        for one in (found if is_own or sees_private else before)
    )


def _word_of(one: Candidate, chosen: Sequence[str], counts: Sequence[str]) -> str:
    if one.submission not in counts:
        return ""
    return "selected" if chosen else "default"


def _final_run(counts: Sequence[str], whole: Mapping[str, Candidate]) -> Candidate | None:
    """Return the run that is a team's final result: the best of those that count."""
    found = [whole[one] for one in counts if one in whole]
    return _best_of_each(found).get(found[0].team) if found else None


def final_standing(service: Service, actor: Actor, slug: str) -> Standing | None:
    """Return where one's own team stands at the end; None before the results are published.

    Raises NotFoundError where one has no team.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        team = own_team(connection, actor, state.id)
        require(actor, Action.VIEW_TEAM, scope_of(state, is_member=team is not None), what="team")
        if team is None:
            raise NotFoundError("you have no team here", hint="Register or join one first.")
        if not state.is_published:
            return None
        picks = final_picks(connection, state)
        pick = next((one for one in picks if one.team.id == team.id), None)
        board = _cached(service, connection, state, "final", _final_board)
        row = next((row for row in board.rows if row.team == team.name), None)
    return Standing(
        rank=row.rank if row else None,
        n_teams=board.summary.n_entries,
        score=pick.candidate.score if pick else None,
        submission=pick.candidate.submission if pick else "",
    )


def _require_team(connection: Connection, state: ChallengeState, team_id: str) -> Team:
    team = teams.get_team(connection, team_id)
    if team is None or team.challenge != state.id:
        raise NotFoundError("there is no such team", hint="Check the address.")
    return team


def why(service: Service, actor: Actor, slug: str, team_id: str) -> Why:
    """Say why a team has its rank on the board that is shown: run, rule and events.

    Who sees the board may ask; an organiser is told of the final board even before it is public.
    Others than organisers see when what happened, not who did it; why only where an organiser let
    the reason be shown, or where it is about their own team.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        scope = scope_of(state)
        require(actor, Action.VIEW_BOARD, scope, what="board")
        team = _require_team(connection, state, team_id)
        is_final = may(actor, Action.VIEW_FINAL_BOARD, scope) and state.phase is Phase.FINAL
        picks = (final_picks if is_final else public_picks)(connection, state)
        pick = next((one for one in picks if one.team.id == team.id), None)
        events = _events_behind(connection, state, team, pick, is_final=is_final)
        events = with_names(connection, events)
        if not may(actor, Action.VIEW_AUDIT, scope):
            mine = own_team(connection, actor, state.id)
            events = tuple(_told(event, is_own=mine == team) for event in events)
        make = _final_board if is_final else _public_board
        board = _cached(service, connection, state, "final" if is_final else "public", make)
        names = _names_of(connection, state, team)
        place = next((row.rank for row in board.rows if row.team in names), None)
    return Why(
        team=team.name,
        board="final" if is_final else "public",
        rank=place,
        score=_told_score(pick, state, actor),
        submission=pick.candidate.submission if pick else "",
        run=pick.candidate.run if pick else "",
        key=state.key,
        rule=_rule(pick, is_final=is_final),
        events=events,
    )


def _told_score(pick: Picked | None, state: ChallengeState, actor: Actor) -> float | None:
    score = pick.candidate.score if pick else None
    is_exact = state.is_published or may(actor, Action.VIEW_PRIVATE_SCORES, scope_of(state))
    return score if is_exact else coarse_total(score)


def _told(event: Event, *, is_own: bool) -> Event:
    """Cut an event to what others than organisers are told: that it happened, when, its kind.

    A team is told more of what it did itself, and why it was disqualified or reinstated.
    """
    is_told = is_own and event.kind in _TOLD_OF_ITSELF
    is_by_team = is_told and event.kind not in _STANDING
    is_why_told = reason_is_shown(event) or (is_told and event.kind in _STANDING)
    names = _TOLD_OF_ITSELF[event.kind] if is_told else _TOLD.get(event.kind, ())
    return replace(
        event,
        author=event.author if is_by_team else "",
        reason=event.reason if is_why_told else "",
        data={name: event.data[name] for name in names if name in event.data},
    )


#: The data of events that everybody is told, and those that a team is told of itself.
_TOLD = {EventKind.PROPOSAL_APPLIED: ("kind",)}
_TOLD_OF_ITSELF: Mapping[EventKind, tuple[str, ...]] = {
    EventKind.SUBMISSION_ACCEPTED: ("kind",),
    EventKind.VERDICT: ("outcome", "owner"),
    EventKind.SELECTED: ("submissions",),
    EventKind.DISQUALIFIED: (),
    EventKind.REINSTATED: (),
}
_STANDING = (EventKind.DISQUALIFIED, EventKind.REINSTATED)


def _rule(pick: Picked | None, *, is_final: bool) -> str:
    if pick is None:
        return "no scored run of this team stands on the board"
    if not is_final:
        return "the best run by the score over the public tasks; of equal runs the earlier"
    how = "the runs that the team chose" if pick.chosen else "its best public runs (none chosen)"
    return f"the best by the score over all tasks among {how}; of equal runs the earlier"


def _events_behind(
    connection: Connection,
    state: ChallengeState,
    team: Team,
    pick: Picked | None,
    *,
    is_final: bool,
) -> tuple[Event, ...]:
    of_all = (EventKind.KEY_SET, EventKind.PROPOSAL_APPLIED)
    of_team = [*_STANDING, EventKind.TEAM_CLOSED]
    if is_final:
        of_team.append(EventKind.SELECTED)
    found = list(list_events(connection, challenge=state.id, kinds=of_all))
    found += list_events(connection, challenge=state.id, team=team.id, kinds=of_team)
    if pick is not None:
        kinds = (EventKind.SUBMISSION_ACCEPTED, EventKind.VERDICT)
        own = list_events(connection, submission=pick.candidate.submission, kinds=kinds)
        found += [event for event in own if event.run in ("", pick.candidate.run)]
    return tuple(sorted(found, key=lambda event: event.id))
