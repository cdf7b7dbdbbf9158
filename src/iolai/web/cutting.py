"""From the door's views to shapes: what is sent, and nothing beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from iolai.challenge.boards import HistoryLine, Standing
from iolai.challenge.challenges import ChallengeView
from iolai.challenge.proposals import Preview
from iolai.challenge.queue import QueueLine, QueueView
from iolai.challenge.scorebook import PublicPart, PublicTask
from iolai.challenge.submissions import SubmissionView
from iolai.challenge.teams import TeamLine, TeamView
from iolai.challenge.telling import said_of
from iolai.reading import TaskCheck
from iolai.records import Board, BoardRow, Event, Problem, Proposal, Score, SplitScore
from iolai.web.shapes import (
    BoardRowShape,
    BoardShape,
    ChallengeShape,
    EventShape,
    FinalShape,
    FindingShape,
    HistoryShape,
    LimitsShape,
    MomentShape,
    PreviewRowShape,
    PreviewShape,
    PrivateTaskShape,
    ProblemShape,
    ProposalShape,
    PublicShape,
    QueueLineShape,
    QueueShape,
    QuotaShape,
    SelectionShape,
    SlotShape,
    SplitShape,
    SubmissionShape,
    TaskScoreShape,
    TaskShape,
    TeamLineShape,
    TeamShape,
    WorkerShape,
)

__all__ = [
    "board_shape",
    "challenge_shape",
    "event_shapes",
    "history_shapes",
    "moment_shapes",
    "preview_shape",
    "problem_shapes",
    "proposal_shape",
    "queue_shape",
    "split_shape",
    "submission_shape",
    "team_line",
    "team_shape",
]


def challenge_shape(view: ChallengeView) -> ChallengeShape:
    """Return a challenge."""
    settings = view.settings
    limits = settings.limits
    change = view.next_change
    return ChallengeShape(
        slug=settings.slug,
        title=settings.title,
        description=settings.description,
        rules=settings.rules,
        phase=view.phase.value,
        published=view.is_published,
        registration=settings.registration,
        open=settings.open,
        freeze=settings.freeze,
        close=settings.close,
        next_change_at=change[0] if change else None,
        next_phase=change[1].value if change else None,
        n_teams=view.n_teams,
        explanations=settings.explanations,
        n_selections=settings.n_selections,
        quota_per_day=settings.quota_per_day,
        team_size=settings.team_size,
        max_submission_mib=settings.max_submission_mib,
        runner=settings.runner,
        limits=LimitsShape(
            wall_s=limits.wall_s,
            memory_mib=limits.memory_mib,
            n_processes=limits.n_processes,
            cpu_s=limits.cpu_s,
            disk_mib=limits.disk_mib,
            n_cpus=limits.n_cpus,
        ),
    )


def problem_shapes(view: ChallengeView) -> list[ProblemShape]:
    """Return the problems of a challenge, where they may be seen."""
    return [
        _problem(number, problem) for number, problem in enumerate(view.problems or (), start=1)
    ]


def _problem(number: int, problem: Problem) -> ProblemShape:
    return ProblemShape(
        number=number,
        id=problem.id,
        title=problem.title or f"Problem {number}",
        language=problem.language,
        tasks=[
            TaskShape(
                id=task.id,
                context=task.context,
                query=task.query,
                task_type=task.task_type,
                work_lang=task.work_lang,
                task_lang=list(task.task_lang),
            )
            for task in problem.tasks
        ],
    )


def split_shape(score: SplitScore) -> SplitShape:
    """Return the means over some tasks."""
    return SplitShape(
        score=score.score,
        exact_match=score.exact_match,
        chrf=score.chrf,
        n_tasks=score.n_tasks,
    )


def submission_shape(view: SubmissionView) -> SubmissionShape:
    """Return a submission as whoever asked may see it."""
    submission, verdict, place = view.submission, view.verdict, view.place
    return SubmissionShape(
        id=submission.id,
        team=view.team.name,
        kind=submission.kind.value,
        received_at=submission.received_at,
        note=submission.note,
        size=submission.size,
        sha256=submission.blob,
        source=submission.source,
        revision=submission.revision,
        state=view.state.value,
        place=place.place if place else None,
        expected_s=place.expected_s if place else None,
        outcome=verdict.outcome if verdict else "",
        owner=verdict.owner if verdict else "",
        detail=verdict.detail if verdict else "",
        costs_quota=verdict is None or verdict.owner != "platform",
        n_answered=verdict.n_answered if verdict else 0,
        n_tasks=verdict.n_tasks if verdict else 0,
        wall_s=verdict.wall_s if verdict else 0.0,
        cpu_s=verdict.cpu_s if verdict else 0.0,
        peak_mib=verdict.peak_mib if verdict else 0.0,
        public=_public(view.public, view.findings) if view.public else None,
        whole=split_shape(view.whole.overall) if view.whole else None,
        private=_private(view.whole),
        events=event_shapes(view.events),
    )


def _private(whole: Score | None) -> list[PrivateTaskShape]:
    return [
        PrivateTaskShape(
            id=task.id,
            task_type=task.task_type,
            points=task.points,
            exact_match=task.exact_match,
            chrf=task.chrf,
            answered=task.answered,
            n_read=task.n_read,
        )
        for task in (whole.tasks if whole else ())
        if task.split != "public"
    ]


def _public(part: PublicPart, checks: Iterable[TaskCheck]) -> PublicShape:
    found = {check.id: check for check in checks}
    return PublicShape(
        score=part.score.score,
        exact_match=part.score.exact_match,
        chrf=part.score.chrf,
        n_tasks=part.score.n_tasks,
        tasks=[_task(task, found.get(task.id)) for task in part.tasks],
    )


def _task(task: PublicTask, check: TaskCheck | None) -> TaskScoreShape:
    labels = [slot.label for slot in check.slots] if check else []
    return TaskScoreShape(
        id=task.id,
        task_type=task.task_type,
        points=task.points,
        exact_match=task.exact_match,
        chrf=task.chrf,
        answered=task.answered,
        is_json_list=task.is_json_list,
        n_read=task.n_read,
        slots=[
            SlotShape(
                item=labels[number] if number < len(labels) else str(number + 1),
                text=item.predicted,
                n_characters=item.n_characters,
                exact_match=item.exact_match,
                chrf=item.chrf,
            )
            for number, item in enumerate(task.items)
        ],
        findings=[
            FindingShape(kind=one.kind, item=one.item, text=one.text, hint=one.hint)
            for one in (check.findings if check else ())
        ],
    )


def history_shapes(lines: Iterable[HistoryLine]) -> list[HistoryShape]:
    """Return a team's scored submissions."""
    return [
        HistoryShape(
            received_at=one.received_at,
            score=one.score,
            shown=one.shown,
            final=one.final,
            counts=one.counts,
            whole=one.whole,
        )
        for one in lines
    ]


def team_shape(view: TeamView, final: Standing | None = None) -> TeamShape:
    """Return a team as its members see it; ``final`` is its published result."""
    quota, selection = view.quota, view.selection
    return TeamShape(
        id=view.team.id,
        name=view.team.name,
        members=[member.name for member in view.members],
        join_code=view.join_code,
        disqualified=view.disqualified,
        quota=QuotaShape(
            used=quota.used,
            per_day=quota.per_day,
            left=quota.left,
            resets_at=quota.resets_at,
        ),
        submissions=[submission_shape(one) for one in view.submissions],
        selection=SelectionShape(
            chosen=list(selection.chosen),
            default=list(selection.default),
            counts=list(selection.counts),
            locked=selection.locked,
            receipt=selection.receipt,
        ),
        outcomes=dict(view.outcomes),
        final=FinalShape(
            rank=final.rank,
            n_teams=final.n_teams,
            score=final.score,
            submission=final.submission,
        )
        if final
        else None,
    )


def team_line(line: TeamLine) -> TeamLineShape:
    """Return a team as the organiser sees it."""
    return TeamLineShape(
        id=line.team.id,
        name=line.team.name,
        kind=line.team.kind.value,
        members=[member.name for member in line.members],
        used_today=line.quota.used,
        n_submissions=line.n_submissions,
        disqualified=line.disqualified,
    )


def event_shapes(events: Iterable[Event]) -> list[EventShape]:
    """Return events, in their order."""
    return [
        EventShape(
            id=event.id,
            at=event.at,
            author=event.author,
            kind=event.kind.value,
            submission=event.submission,
            reason=event.reason,
            said=said_of(event),
        )
        for event in events
    ]


def moment_shapes(events: Iterable[Event]) -> list[MomentShape]:
    """Return what happened when, as the door lets it be told."""
    return [
        MomentShape(
            at=one.at,
            kind=one.kind.value,
            author=one.author,
            reason=one.reason,
            said=said_of(one),
        )
        for one in events
    ]


def queue_shape(view: QueueView) -> QueueShape:
    """Return the queue."""
    return QueueShape(
        waiting=[_queue_line(line) for line in view.waiting],
        running=[_queue_line(line) for line in view.running],
        workers=[
            WorkerShape(
                id=worker.id,
                host=worker.host,
                slots=worker.slots,
                started_at=worker.started_at,
                heartbeat_at=worker.heartbeat_at,
            )
            for worker in view.workers
            if not worker.ended_at
        ],
        oldest_wait_s=view.oldest_wait_s,
        mean_run_s=view.mean_run_s,
    )


def _queue_line(line: QueueLine) -> QueueLineShape:
    return QueueLineShape(
        run=line.run.id,
        submission=line.run.submission,
        team=line.team,
        state=line.run.state.value,
        attempt=line.run.attempt,
        worker=line.run.worker,
        waited_s=line.waited_s,
    )


def board_shape(
    kind: str,
    board: Board,
    version: int,
    ids: Mapping[str, str],
    *,
    places: Sequence[int],
    offset: int,
    limit: int,
) -> BoardShape:
    """Return a page of a board; ``ids`` are the teams' ids by their names.

    ``places`` are those of the rows that were asked for; ``offset`` and ``limit`` count in them.
    """
    end = offset + limit
    return BoardShape(
        n_rows=len(places),
        offset=offset,
        next_offset=end if end < len(places) else None,
        kind=kind,
        version=version,
        signature=board.signature,
        rows=[
            _board_row(row, ids.get(row.team))
            for row in (board.rows[place] for place in places[offset:end])
        ],
    )


def _board_row(row: BoardRow, team_id: str | None) -> BoardRowShape:
    return BoardRowShape(
        rank=row.rank,
        is_baseline=row.is_baseline,
        team=row.team,
        team_id=team_id,
        score=row.score,
        exact_match=row.exact_match,
        chrf=row.chrf,
        interval=(row.interval.low, row.interval.high) if row.interval else None,
        band=row.band,
        state=row.state,
        by_task_type={name: split_shape(score) for name, score in row.by_task_type.items()},
        submitted_at=row.submitted_at,
    )


def proposal_shape(proposal: Proposal) -> ProposalShape:
    """Return a proposal."""
    return ProposalShape(
        id=proposal.id,
        kind=proposal.kind,
        state=proposal.state.value,
        created_at=proposal.created_at,
        reason=proposal.reason,
    )


def preview_shape(view: Preview) -> PreviewShape:
    """Return what a proposal would change: the rows that change alone."""
    return PreviewShape(
        **proposal_shape(view.proposal).model_dump(),
        n_teams=len(view.rows),
        n_runs=view.n_runs,
        n_runs_pending=view.n_runs_pending,
        n_tasks_rescored=view.rescored.n_tasks_scored if view.rescored else None,
        changed=[
            PreviewRowShape(
                team=row.team,
                public_rank=row.public_rank,
                final_rank=row.final_rank,
                score=row.score,
            )
            for row in view.changed
        ],
    )
