"""Challenges: made from a file, changed with a reason, published at the end."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection

from iolai.challenge.keys import kept_key, seal, with_weights
from iolai.challenge.ledger import add_scored_submission
from iolai.challenge.logs import get_log
from iolai.challenge.names import checked_name, fold_name
from iolai.challenge.permissions import Action, may, require
from iolai.challenge.problems import load_problems, store_problems
from iolai.challenge.scoring import fill_scores, parse_predictions, require_fair_length
from iolai.challenge.secrets import new_id
from iolai.challenge.selections import lock_selections
from iolai.challenge.service import Actor, Service
from iolai.challenge.settings import (
    Baseline,
    ChallengeFiles,
    ChallengeSettings,
    read_challenge_toml,
    settings_to_json,
)
from iolai.challenge.splits import propose_split
from iolai.challenge.state import ChallengeState, find_state, load_state, scope_of
from iolai.challenge.telling import reason_data
from iolai.errors import ConflictError, DamagedError, InputError, NotFoundError
from iolai.evaluation import lint_key
from iolai.files import decode_utf8, read_bytes
from iolai.formats import parse_document, read_document, read_key
from iolai.records import (
    SPLITS,
    AnswerKey,
    ChallengeRow,
    EventKind,
    KeyRow,
    Phase,
    ProblemSet,
    Run,
    RunState,
    Team,
    TeamKind,
)
from iolai.store import challenges as rows
from iolai.store import runs, submissions, teams
from iolai.store.events import add_event, last_event

__all__ = [
    "ChallengeView",
    "KeyTaskView",
    "create",
    "damaged",
    "define",
    "delete",
    "get",
    "list_challenges",
    "publish",
    "read_key_for",
    "set_phase",
    "update",
]


@dataclass(frozen=True, slots=True)
class KeyTaskView:
    """What may be told of a task before the end: its type, points and split, no reference."""

    id: str
    task_type: str
    split: str
    points: float
    n_items: int


@dataclass(frozen=True)
class ChallengeView:
    """A challenge as whoever asks may see it.

    ``problems`` is None where they are not to be seen; ``tasks`` lists the public tasks alone
    until the challenge is published, all of them for an organiser. ``jury_released`` says that the
    jury's result is public; it is looked up where one challenge is asked for.
    """

    settings: ChallengeSettings
    phase: Phase
    next_change: tuple[str, Phase] | None
    published_at: str
    n_teams: int
    n_submissions: int | None
    problems: ProblemSet | None
    tasks: tuple[KeyTaskView, ...]
    has_key: bool
    jury_released: bool = False

    @property
    def is_published(self) -> bool:
        """Whether the final board is public."""
        return bool(self.published_at)


def create(service: Service, actor: Actor, settings_path: Path) -> ChallengeView:
    """Make a challenge from its file; problems, key and baselines are copied into the home.

    Raises FormatError naming line and key where the file is not right, InputError where problems
    and key do not fit each other, ConflictError where the slug is taken.
    """
    require(actor, Action.CREATE_CHALLENGE)
    settings, files = read_challenge_toml(settings_path)
    problems, key = _read_contents(files)
    settings = replace(
        settings, baselines=_store_baselines(service, files, [task.id for task in key])
    )
    row = ChallengeRow(new_id(), settings.slug, service.stamp())
    with service.store.read() as connection:
        _require_free(connection, settings.slug)
    blob = store_problems(service, problems) if problems is not None else ""
    key_row = seal(service, key, row.id, problems)
    with kept_key(service, key_row), service.store.write() as connection:
        _require_free(connection, settings.slug)
        rows.add_challenge(connection, row)
        define(service, connection, actor, row.id, settings=settings, problems=blob)
        set_current_key(service, connection, actor, key_row, reason="the first key")
        _set_baselines(service, connection, actor, row.id, settings.baselines, "")
    fill_scores(service, row.id, key_row.id)
    return get(service, actor, settings.slug)


def _require_free(connection: Connection, slug: str) -> None:
    if rows.find_challenge(connection, slug) is not None:
        raise ConflictError(
            f"there already is a challenge {slug}",
            hint="Choose another slug; those of deleted challenges stay taken.",
        )


def define(
    service: Service,
    connection: Connection,
    actor: Actor,
    challenge_id: str,
    *,
    settings: ChallengeSettings,
    problems: str,
    reason: str = "",
) -> None:
    """Append the event that says what a challenge is set to."""
    add_event(
        connection,
        EventKind.CHALLENGE_DEFINED,
        at=service.stamp(),
        author=actor.author,
        challenge=challenge_id,
        reason=reason,
        data={"settings": settings_to_json(settings), "problems": problems},
    )


def set_current_key(
    service: Service,
    connection: Connection,
    actor: Actor,
    key: KeyRow,
    *,
    reason: str,
    is_known: bool = False,
    show_reason: bool = False,
) -> None:
    """Make a key the one that counts, in the transaction that decides it."""
    if not is_known:
        rows.add_key(connection, key)
    add_event(
        connection,
        EventKind.KEY_SET,
        at=service.stamp(),
        author=actor.author,
        challenge=key.challenge,
        reason=reason,
        data={"key": key.id, **reason_data(show=show_reason)},
    )


def _read_contents(files: ChallengeFiles) -> tuple[ProblemSet | None, AnswerKey]:
    """Read problems and key, weigh the tasks, and refuse what does not fit together."""
    document = read_document(files.problems) if files.problems is not None else None
    problems = document.problems if document is not None else None
    if document is not None and problems is None:
        raise files.toml.wrong("problems", "this holds no problems", "Name a test.csv, or such.")
    key = read_key_for(files.key, problems)
    known = {task.id for task in key}
    for task in files.points:
        if task not in known:
            raise files.toml.table("points").wrong(
                task, "the key has no such task", f"The key begins with {key.tasks[0].id}."
            )
    weighed = with_weights(key, {}, dict(files.points))
    return problems, _split(files, weighed)


def read_key_for(source: Path | bytes, problems: ProblemSet | None) -> AnswerKey:
    """Read a key and compare it with the problems; raises InputError where they do not fit.

    ``source`` is a file of the organiser's own, or a text that was sent: that is read where it is,
    in memory, so that nothing but a sealed key ever touches a disk of the service.
    """
    path: Path | str = source if isinstance(source, Path) else "the key that was sent"
    key = read_key(source) if isinstance(source, Path) else _parse_key(source, str(path))
    faults = [one for one in lint_key(key, problems) if one.kind in ("no-such-task", "no-key")]
    if faults:
        raise InputError(
            f"{path} and the problems have different tasks: {faults[0].id} ({faults[0].kind})",
            hint=f"{faults[0].hint} iolai key lint shows all that it finds.",
        )
    if not any(task.points > 0 for task in key):
        raise InputError(f"no task of {path} has points", hint="Give some in [points].")
    return key


def _parse_key(data: bytes, name: str) -> AnswerKey:
    if not data:
        raise InputError("the key is empty", hint="Send a solution.csv.")
    document = parse_document(decode_utf8(data, name), name)
    if document.key is None:
        raise InputError(f"{name} holds no references", hint="Send a solution.csv.")
    return document.key


def _split(files: ChallengeFiles, key: AnswerKey) -> AnswerKey:
    split = files.toml.table("split")
    if files.n_public is not None:
        try:
            proposed = propose_split(key, files.n_public, files.split_seed)
        except InputError as error:
            raise split.wrong("public", error.message, error.hint) from error
        return with_weights(key, proposed, {})
    if files.public is not None:
        known = {task.id for task in key}
        for task in files.public:
            if task not in known:
                raise split.wrong("public", f"the key has no task {task!r}", "Check the ids.")
        public = set(files.public)
        named = {task.id: "public" if task.id in public else "private" for task in key}
        return with_weights(key, named, {})
    if any(task.split not in SPLITS for task in key):
        raise split.wrong(
            "public",
            "the key does not say which tasks are public",
            "Write [split] and public = 8 for a proposed split, or list the ids.",
        )
    return key


def _store_baselines(
    service: Service, files: ChallengeFiles, task_ids: Collection[str]
) -> tuple[Baseline, ...]:
    stored = []
    for name, path in files.baselines:
        data = read_bytes(path)
        predictions = parse_predictions(data, path.name)
        require_fair_length(predictions, path.name)
        if not any(predictions.get(task) for task in task_ids):
            raise files.toml.wrong(
                "baseline", f"no row of {path} is of a task of the key", "Check the file."
            )
        stored.append(Baseline(name, service.blobs.put(data)))
    return tuple(stored)


def _set_baselines(
    service: Service,
    connection: Connection,
    actor: Actor,
    challenge_id: str,
    baselines: Collection[Baseline],
    reason: str,
) -> None:
    """Make the baselines of a challenge those of its file.

    One that is not in it, or stands there under another spelling or with other predictions, is
    closed: it leaves all boards, and what it was stays. A baseline that is changed begins anew,
    so that no older and better predictions of it can stand for it.
    """
    wanted = {fold_name(one.name): one for one in baselines}
    kept = set()
    for team in teams.list_teams(connection, challenge_id):
        if team.kind is not TeamKind.BASELINE:
            continue
        same = wanted.get(fold_name(team.name))
        known = submissions.list_submissions(connection, challenge_id, team_id=team.id)
        blobs = [one.blob for one in known]
        if same and (checked_name(same.name), [same.blob]) == (team.name, blobs):
            kept.add(fold_name(team.name))
        else:
            how = "is another in the file" if same else "no longer stands in the file"
            why = f"the baseline {team.name!r} {how}: {reason}"
            _close_baseline(service, connection, actor, team, why)
    for folded, baseline in wanted.items():
        if folded not in kept:
            _add_baseline(service, connection, challenge_id, baseline)


def _close_baseline(
    service: Service, connection: Connection, actor: Actor, team: Team, reason: str
) -> None:
    at = service.stamp()
    teams.close_team(connection, team.id, at)
    add_event(
        connection,
        EventKind.TEAM_CLOSED,
        at=at,
        author=actor.author,
        challenge=team.challenge,
        team=team.id,
        reason=reason,
    )


def _add_baseline(
    service: Service, connection: Connection, challenge_id: str, baseline: Baseline
) -> None:
    name, at = checked_name(baseline.name), service.stamp()
    if teams.find_team_named(connection, challenge_id, fold_name(name)) is not None:
        raise ConflictError(f"a team is named {name!r}", hint="Rename the baseline.")
    team = Team(new_id(), challenge_id, name, at, kind=TeamKind.BASELINE)
    teams.add_team(connection, team, fold_name(name))
    size = len(service.blobs.read(baseline.blob))
    add_scored_submission(connection, team, baseline.blob, size=size, at=at)


def update(
    service: Service, actor: Actor, slug: str, settings_path: Path, reason: str
) -> ChallengeView:
    """Change the settings of a challenge by its file; problems, split, points and key stay.

    Its baselines are those of the file from then on, with the predictions that are there now.
    Those change ranks: the key goes by a proposal (``proposals.propose_key``). Raises
    ConflictError where the file is of another challenge.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
    require(actor, Action.MANAGE_CHALLENGE, scope_of(state))
    settings, files = read_challenge_toml(settings_path, is_new=False)
    if settings.slug != slug:
        raise files.toml.wrong("slug", f"the challenge is {slug}", "A slug stays as it is.")
    _require_reason(reason)
    with service.store.read() as connection:
        key = rows.get_key(connection, state.key)
    known = [task.id for task in key.tasks] if key else []
    settings = replace(settings, baselines=_store_baselines(service, files, known))
    # The settings come last: after their event a board is made anew, and all scores are there.
    with service.store.write() as connection:
        _set_baselines(service, connection, actor, state.id, settings.baselines, reason)
    fill_scores(service, state.id, state.key)
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        define(
            service,
            connection,
            actor,
            state.id,
            settings=settings,
            problems=state.problems,
            reason=reason,
        )
    fill_scores(service, state.id, state.key)  # under a key that was set meanwhile
    return get(service, actor, slug)


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise InputError(
            "a reason is wanted", hint="Say in a few words why; it stays in the audit log."
        )


def list_challenges(service: Service, actor: Actor) -> tuple[ChallengeView, ...]:
    """Return all challenges, the newest first, but those that are damaged (see ``damaged``)."""
    with service.store.read() as connection:
        states = [
            _state_or_none(service, connection, row) for row in rows.list_challenges(connection)
        ]
        found = [state for state in states if state is not None]
        return tuple(_view(service, connection, actor, state, whole=False) for state in found)


def damaged(service: Service, actor: Actor) -> tuple[str, ...]:
    """Return the slugs of the challenges of which what is kept cannot be read: for organisers."""
    require(actor, Action.MANAGE_CHALLENGE)
    with service.store.read() as connection:
        known = rows.list_challenges(connection)
        return tuple(row.slug for row in known if _state_or_none(service, connection, row) is None)


def _state_or_none(
    service: Service, connection: Connection, row: ChallengeRow
) -> ChallengeState | None:
    try:
        return load_state(connection, row, service.stamp())
    except DamagedError as error:
        get_log("challenges").error("challenge_damaged", challenge=row.slug, error=error.message)
        return None


def get(service: Service, actor: Actor, slug: str) -> ChallengeView:
    """Return a challenge as the actor may see it; raises NotFoundError where there is none."""
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.VIEW_CHALLENGE, scope_of(state))
        return _view(service, connection, actor, state, whole=True)


def _view(
    service: Service, connection: Connection, actor: Actor, state: ChallengeState, *, whole: bool
) -> ChallengeView:
    scope = scope_of(state)
    is_desk = may(actor, Action.VIEW_PRIVATE_SCORES, scope)
    problems = None
    if whole and state.problems and may(actor, Action.VIEW_PROBLEMS, scope):
        problems = load_problems(service, state.problems)
    key = rows.get_key(connection, state.key) if state.key else None
    shows_all = is_desk or state.is_published
    tasks = tuple(
        KeyTaskView(task.id, task.task_type, task.split, task.points, task.n_items)
        for task in (key.tasks if key else ())
        if shows_all or task.split == "public"
    )
    shown = state.settings if is_desk else _for_everybody(state.settings)
    return ChallengeView(
        settings=shown,
        phase=state.phase,
        next_change=state.next_change,
        published_at=state.published_at,
        n_teams=teams.count_teams(connection, state.id),
        n_submissions=submissions.count_submissions(connection, state.id) if is_desk else None,
        problems=problems,
        tasks=tasks,
        has_key=bool(state.key),
        jury_released=whole and _is_released(connection, state.id),
    )


def _is_released(connection: Connection, challenge_id: str) -> bool:
    """Say whether everybody may see what the jury found."""
    return last_event(connection, EventKind.JURY_RELEASED, challenge=challenge_id) is not None


def _for_everybody(settings: ChallengeSettings) -> ChallengeSettings:
    """Leave out what is the organisers' alone: how the runner is reached, blobs of baselines."""
    baselines = tuple(replace(one, blob="") for one in settings.baselines)
    return replace(settings, runner_options={}, baselines=baselines)


def set_phase(
    service: Service, actor: Actor, slug: str, phase: Phase, reason: str
) -> ChallengeView:
    """Set the phase now; it holds until the time of a later phase comes."""
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
    require(actor, Action.MANAGE_CHALLENGE, scope_of(state))
    _require_reason(reason)
    if state.is_published:
        raise ConflictError("the challenge is published", hint="A published board stays.")
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        add_event(
            connection,
            EventKind.PHASE_SET,
            at=service.stamp(),
            author=actor.author,
            challenge=state.id,
            reason=reason,
            data={"phase": phase.value},
        )
    return get(service, actor, slug)


def publish(service: Service, actor: Actor, slug: str, reason: str = "") -> ChallengeView:
    """Make the final board public, the private scores with it.

    Raises ConflictError before the final phase, and while a run has no verdict yet.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
    require(actor, Action.MANAGE_CHALLENGE, scope_of(state))
    lock_selections(service, slug)
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        if state.phase is not Phase.FINAL:
            raise ConflictError(
                f"the challenge is in the phase {state.phase}",
                hint="Publish after its end; iolai challenge phase ends it at once.",
            )
        waiting = _undecided(connection, state.id)
        if waiting:
            raise ConflictError(
                f"{len(waiting)} runs have no verdict yet", hint="Wait for the queue to empty."
            )
        if not state.is_published:
            add_event(
                connection,
                EventKind.PUBLISHED,
                at=service.stamp(),
                author=actor.author,
                challenge=state.id,
                reason=reason,
                data={"key": state.key},
            )
    return get(service, actor, slug)


def _undecided(connection: Connection, challenge_id: str) -> tuple[Run, ...]:
    states = [state for state in RunState if state is not RunState.DONE]
    return runs.list_runs(connection, challenge_id=challenge_id, states=states)


def delete(service: Service, actor: Actor, slug: str, reason: str) -> None:
    """Take a challenge out of sight, a damaged one too; all its rows and events stay."""
    require(actor, Action.MANAGE_CHALLENGE)
    _require_reason(reason)
    with service.store.write() as connection:
        row = rows.find_challenge(connection, slug)
        if row is None or row.deleted_at:
            raise NotFoundError(
                f"there is no challenge {slug[:80]!r}", hint="Look at the list of challenges."
            )
        at = service.stamp()
        rows.delete_challenge(connection, row.id, at)
        add_event(
            connection,
            EventKind.CHALLENGE_DELETED,
            at=at,
            author=actor.author,
            challenge=row.id,
            reason=reason,
        )
