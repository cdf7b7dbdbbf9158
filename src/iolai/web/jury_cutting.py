"""From the jury's views to shapes: what is sent, and nothing beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iolai.challenge.jury.content import PaperContent
from iolai.challenge.jury.contestants import ContestantView, Entry
from iolai.challenge.jury.desk import DeskPaper, NewMark, QueueLine, Saved
from iolai.challenge.jury.discussing import DifferenceView, Talk, TalkMark
from iolai.challenge.jury.explaining import Explanations
from iolai.challenge.jury.jurors import ConflictView, GroupView, Progress
from iolai.challenge.jury.papers import BlindedPaper
from iolai.challenge.jury.rubrics import AmendmentPreview, RubricView
from iolai.challenge.jury.settings import MarkingView
from iolai.challenge.jury.state import JurySettings
from iolai.jury.marking import allowed_points
from iolai.records import Criterion, Problem, Task, Thresholds
from iolai.records.jury import MarkKind, PaperAnswer
from iolai.reports.asked import asked_items, label_at
from iolai.web.jury_shapes import (
    AmendmentShape,
    AnswerShape,
    BlindedPaperShape,
    BlindedTextShape,
    ChangeShape,
    ConflictShape,
    ContestantShape,
    CriterionShape,
    DifferenceShape,
    EarlyLookShape,
    EntryShape,
    ExplainedShape,
    ExplanationsShape,
    FindingShape,
    GroupShape,
    ItemShape,
    JurorLineShape,
    JurySettingsShape,
    JuryShape,
    MarksAsked,
    MarkShape,
    PaperLineShape,
    PaperShape,
    ProblemLineShape,
    ProgressShape,
    RemovalShape,
    ReopenedShape,
    RubricShape,
    SavedShape,
    StepShape,
    TalkMarkShape,
    TalkShape,
)

__all__ = [
    "amendment_shape",
    "answer_shapes",
    "blinded_shapes",
    "conflict_shapes",
    "contestant_shapes",
    "criterion_shape",
    "entry_shapes",
    "explanations_shape",
    "group_shapes",
    "jury_settings",
    "jury_settings_shape",
    "jury_shape",
    "new_marks",
    "paper_shape",
    "progress_shape",
    "queue_shapes",
    "rubric_shape",
    "saved_shapes",
    "talk_shape",
]


def jury_shape(view: MarkingView) -> JuryShape:
    """Return where the marking stands."""
    return JuryShape(
        state=view.state.value,
        begun_at=view.begun_at,
        unsealed_at=view.unsealed_at,
        unsealed_by=view.unsealed_by,
        unsealed_why=view.unsealed_why,
        released_at=view.released_at,
        opened=[
            EarlyLookShape(number=one.number, at=one.at, by=one.by, why=one.why)
            for one in view.opened
        ],
    )


def queue_shapes(lines: Iterable[QueueLine]) -> list[PaperLineShape]:
    """Return a juror's queue."""
    return [
        PaperLineShape(
            number=line.number,
            problem=line.problem,
            title=line.title,
            part=line.part.value,
            desk=line.desk.value,
            state=line.state.value,
            n_marked=line.n_marked,
            n_criteria=line.n_criteria,
            n_open=line.n_open,
        )
        for line in lines
    ]


def criterion_shape(criterion: Criterion, problem: Problem) -> CriterionShape:
    """Return a criterion; its points from the most to 0, its task also by its place."""
    places = {task.id: place for place, task in enumerate(problem.tasks, 1)}
    return CriterionShape(
        id=criterion.id,
        kind=criterion.kind,
        task=criterion.task,
        task_number=places.get(criterion.task),
        points=criterion.points,
        allowed=sorted(allowed_points(criterion), reverse=True),
        steps=[StepShape(points=step.points, when=step.when) for step in criterion.steps],
        notes=criterion.notes,
        accept=list(criterion.accept),
    )


def answer_shapes(problem: Problem, content: PaperContent) -> list[AnswerShape]:
    """Return what a paper has on each task, beside what was asked."""
    answers = {one.task: one for one in content.answers}
    return [
        AnswerShape(
            task=task.id,
            number=number,
            query=task.query,
            items=_items(task, answers[task.id]),
            is_whole=asked_items(task)[1],
            explanation=answers[task.id].explanation,
        )
        for number, task in enumerate(problem.tasks, 1)
        if task.id in answers
    ]


def _items(task: Task, answer: PaperAnswer) -> list[ItemShape]:
    asked, _ = asked_items(task)
    shown = []
    for number, text in enumerate(answer.answers):
        said = asked[number].text if number < len(asked) else ""
        shown.append(ItemShape(label=label_at(asked, number), asked=said, answer=text))
    return shown


def paper_shape(paper: DeskPaper) -> PaperShape:
    """Return a paper on a desk."""
    return PaperShape(
        number=paper.number,
        problem=paper.problem.id,
        title=_title(paper.problem, paper.sheet),
        sheet=paper.sheet,
        part=paper.part.value,
        desk=paper.desk.value,
        both=paper.both,
        answers=answer_shapes(paper.problem, paper.content),
        text=paper.content.text,
        n_pages=len(paper.content.pages),
        rubric_version=paper.rubric.version,
        criteria=[criterion_shape(one, paper.problem) for one in paper.rubric.criteria],
        marks={
            name: MarkShape(points=mark.points or 0.0, note=mark.note)
            for name, mark in paper.own.items()
        },
    )


def _title(problem: Problem, sheet: int) -> str:
    return problem.title or f"Problem {sheet}"


def talk_shape(talk: Talk) -> TalkShape:
    """Return the differences of a paper."""
    return TalkShape(
        number=talk.number,
        problem=talk.problem.id,
        title=_title(talk.problem, talk.sheet),
        sheet=talk.sheet,
        part=talk.part.value,
        state=talk.state.value,
        answers=answer_shapes(talk.problem, talk.content),
        text=talk.content.text,
        n_pages=len(talk.content.pages),
        n_equal=talk.n_equal,
        differences=[_difference(one, talk.problem) for one in talk.differences],
    )


def _difference(one: DifferenceView, problem: Problem) -> DifferenceShape:
    return DifferenceShape(
        criterion=criterion_shape(one.criterion, problem),
        marks=[_talk_mark(mark) for mark in one.marks],
        proposal=_talk_mark(one.proposal) if one.proposal else None,
        escalated=one.escalated,
        asked_for=one.asked_for,
        counted=one.counted.points if one.counted else None,
        by=one.counted.by.value if one.counted else "",
        reason=one.counted.reason if one.counted else "",
    )


def _talk_mark(mark: TalkMark) -> TalkMarkShape:
    return TalkMarkShape(
        whose=mark.whose, is_mine=mark.is_mine, points=mark.points, note=mark.note, id=mark.id
    )


def new_marks(body: MarksAsked) -> list[NewMark]:
    """Return the marks that a page or a client sends."""
    return [
        NewMark(
            client_id=one.client_id,
            criterion=one.criterion,
            points=one.points,
            note=one.note,
            rubric_version=one.rubric_version,
            kind=MarkKind(one.kind),
            age_s=one.age_ms / 1000,
            after=one.after,
        )
        for one in body.marks
    ]


def saved_shapes(saved: Iterable[Saved]) -> list[SavedShape]:
    """Return what became of marks."""
    return [
        SavedShape(client_id=one.client_id, kept=one.kept, message=one.message, hint=one.hint)
        for one in saved
    ]


def rubric_shape(view: RubricView) -> RubricShape:
    """Return a rubric."""
    return RubricShape(
        problem=view.problem,
        title=view.title,
        version=view.rubric.version if view.rubric else 0,
        points=view.rubric.points if view.rubric else 0.0,
        text=view.text,
        notes=list(view.notes),
    )


def amendment_shape(preview: AmendmentPreview) -> AmendmentShape:
    """Return what an amendment would change."""
    return AmendmentShape(
        base=preview.base,
        notes=list(preview.notes),
        changes=[
            ChangeShape(
                criterion=one.criterion,
                what=one.what,
                before=one.before,
                after=one.after,
                reopens=one.reopens,
            )
            for one in preview.amendment.changes
        ],
        papers=[
            ReopenedShape(
                number=preview.numbers[one.paper],
                criteria=list(one.criteria),
                n_jurors=len(one.jurors),
            )
            for one in preview.amendment.papers
        ],
    )


def entry_shapes(entries: Iterable[Entry], tasks: Sequence[str]) -> list[EntryShape]:
    """Return the entries that may be selected; ``tasks`` are the ids of all tasks."""
    found = []
    for entry in entries:
        rows = [entry.predictions.get(task) for task in tasks]
        n_explained = sum(bool(row and row.explanation.strip()) for row in rows)
        found.append(
            EntryShape(
                team=entry.team,
                name=entry.name,
                rank=entry.rank,
                score=entry.score,
                selected=entry.selected,
                n_explained=n_explained,
                n_tasks=len(tasks),
            )
        )
    return found


def explanations_shape(found: Explanations) -> ExplanationsShape:
    """Return the explanation report, entries by rank."""
    chosen = {one.entry: one.reason for one in found.selection.proposed}
    others = {one.entry: one.reason for one in found.selection.withheld}
    entries = []
    for one in found.entries:
        findings = [
            FindingShape(
                kind=line.kind, task=line.task, quotation=line.quotation, message=line.message
            )
            for line in found.report.findings
            if line.entry == one.name
        ]
        shape = ExplainedShape(
            team=one.team,
            name=one.name,
            rank=one.rank,
            n_tasks=found.report.n_tasks.get(one.name, 0),
            n_explained=found.report.n_explained.get(one.name, 0),
            counts=found.counts[one.name],
            findings=findings,
            proposed=one.name in chosen,
            reason=chosen.get(one.name) or others.get(one.name, ""),
        )
        entries.append(shape)
    return ExplanationsShape(
        meanings=found.meanings, not_checked=dict(found.report.not_checked), entries=entries
    )


def contestant_shapes(views: Iterable[ContestantView]) -> list[ContestantShape]:
    """Return contestants, for an organiser."""
    return [
        ContestantShape(
            id=one.id,
            name=one.name,
            kind=one.kind.value,
            problems=list(one.problems),
            n_pages=one.n_pages,
        )
        for one in views
    ]


def blinded_shapes(papers: Iterable[BlindedPaper]) -> list[BlindedPaperShape]:
    """Return what blinding does to a contestant's papers."""
    return [
        BlindedPaperShape(
            problem=paper.problem,
            n_pages=len(paper.content.pages),
            texts=[
                BlindedTextShape(
                    task=text.task,
                    before=text.before,
                    after=text.blinded.text,
                    removals=[
                        RemovalShape(kind=one.kind, text=one.text, by=one.by)
                        for one in text.blinded.removals
                    ],
                )
                for text in paper.texts
            ],
        )
        for paper in papers
    ]


def group_shapes(groups: Iterable[GroupView]) -> list[GroupShape]:
    """Return the groups."""
    return [
        GroupShape(problem=one.problem, title=one.title, jurors=list(one.jurors)) for one in groups
    ]


def conflict_shapes(conflicts: Iterable[ConflictView]) -> list[ConflictShape]:
    """Return the conflicts of interest, for an organiser."""
    return [
        ConflictShape(juror=one.juror, contestant=one.contestant, contestant_id=one.contestant_id)
        for one in conflicts
    ]


def progress_shape(progress: Progress) -> ProgressShape:
    """Return how far a marking is."""
    return ProgressShape(
        state=progress.state.value,
        problems=[
            ProblemLineShape(
                problem=one.problem,
                n_papers=one.n_papers,
                states={state.value: n for state, n in sorted(one.states.items())},
                n_open=one.n_open,
                n_marks=one.n_marks,
                n_wanted=one.n_wanted,
            )
            for one in progress.problems
        ],
        jurors=[
            JurorLineShape(
                juror=one.juror,
                n_papers=one.n_papers,
                n_handed_over=one.n_handed_over,
                n_to_decide=one.n_to_decide,
            )
            for one in progress.jurors
        ],
    )


def jury_settings_shape(settings: JurySettings) -> JurySettingsShape:
    """Return what a marking is set to."""
    thresholds = settings.thresholds
    return JurySettingsShape(
        names_shown=settings.names_shown,
        blind_names=list(settings.blind_names),
        kept_names=list(settings.kept_names),
        gold=thresholds.gold,
        silver=thresholds.silver,
        bronze=thresholds.bronze,
        honourable=thresholds.honourable,
    )


def jury_settings(shape: JurySettingsShape, people: str) -> JurySettings:
    """Return settings as they were asked for; ``people`` stays as it is."""
    return JurySettings(
        names_shown=shape.names_shown,
        blind_names=tuple(shape.blind_names),
        kept_names=tuple(shape.kept_names),
        thresholds=Thresholds(shape.gold, shape.silver, shape.bronze, shape.honourable),
        people=people,
    )
