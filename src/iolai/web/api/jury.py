"""The jury: a juror's queue, papers, marks and talk; rubrics, papers and results for organisers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from iolai.challenge.jury import (
    beginning,
    contestants,
    desk,
    discussing,
    explaining,
    jurors,
    papers,
    results,
    rubrics,
    sealing,
    settings,
)
from iolai.challenge.jury.images import media_type_of
from iolai.reports.jury_tables import jury_json
from iolai.web.asking import ApiActor, Svc
from iolai.web.jury_cutting import (
    amendment_shape,
    blinded_shapes,
    conflict_shapes,
    contestant_shapes,
    entry_shapes,
    explanations_shape,
    group_shapes,
    jury_settings,
    jury_settings_shape,
    jury_shape,
    new_marks,
    paper_shape,
    progress_shape,
    queue_shapes,
    rubric_shape,
    saved_shapes,
    talk_shape,
)
from iolai.web.jury_shapes import (
    AcceptAsked,
    AmendmentShape,
    BeginAsked,
    BegunShape,
    BlindedPaperShape,
    ConflictAsked,
    ConflictShape,
    ContestantShape,
    EntryShape,
    EscalateAsked,
    ExplanationsShape,
    GroupAsked,
    GroupShape,
    JurySettingsShape,
    JuryShape,
    MarksAsked,
    NameShape,
    NumberAsked,
    PaperLineShape,
    PaperShape,
    ProgressShape,
    ProposeAsked,
    ReleaseAsked,
    ReopenAsked,
    ReplaceAsked,
    RubricAsked,
    RubricShape,
    SavedShape,
    SelectAsked,
    TableAsked,
    TalkShape,
)
from iolai.web.shapes import ReasonAsked

__all__ = ["router"]

router = APIRouter(prefix="/challenges/{slug}/jury", tags=["jury"])
Number = Annotated[int, Path(ge=0, le=1 << 31)]


@router.get("")
def marking(service: Svc, actor: ApiActor, slug: str) -> JuryShape:
    """Say where the marking stands."""
    return jury_shape(settings.view_marking(service, actor, slug))


@router.get("/queue")
def queue(service: Svc, actor: ApiActor, slug: str) -> list[PaperLineShape]:
    """Return one's own papers, the most urgent first."""
    return queue_shapes(desk.queue(service, actor, slug))


@router.get("/papers/{number}")
def paper(service: Svc, actor: ApiActor, slug: str, number: Number) -> PaperShape:
    """Return a paper that one marks, with the rubric and one's own marks."""
    return paper_shape(desk.open_desk(service, actor, slug, number))


@router.get(
    "/papers/{number}/pages/{page}",
    response_class=Response,
    responses={200: {"content": {"image/png": {}, "image/jpeg": {}}}},
)
def page(service: Svc, actor: ApiActor, slug: str, number: Number, page: Number) -> Response:
    """Return a page of a paper as an image."""
    data = desk.page_image(service, actor, slug, number, page)
    return Response(data, media_type=media_type_of(data))


@router.post("/papers/{number}/marks")
def save(
    service: Svc, actor: ApiActor, slug: str, number: Number, body: MarksAsked
) -> list[SavedShape]:
    """Save marks; what is answered as kept is on the disk, and sending it again is harmless."""
    return saved_shapes(desk.save(service, actor, slug, number, new_marks(body)))


@router.get("/papers/{number}/talk")
def talk(service: Svc, actor: ApiActor, slug: str, number: Number) -> TalkShape:
    """Return the differences of a paper, once both have handed over."""
    return talk_shape(discussing.view(service, actor, slug, number))


@router.post("/papers/{number}/talk/proposals")
def propose(
    service: Svc, actor: ApiActor, slug: str, number: Number, body: ProposeAsked
) -> TalkShape:
    """Propose a mark for a difference."""
    discussing.propose(
        *(service, actor, slug, number, body.criterion),
        *(body.points, body.reason, body.client_id),
    )
    return talk_shape(discussing.view(service, actor, slug, number))


@router.post("/papers/{number}/talk/acceptances")
def accept(
    service: Svc, actor: ApiActor, slug: str, number: Number, body: AcceptAsked
) -> TalkShape:
    """Accept the other's proposal."""
    discussing.accept(service, actor, slug, number, body.criterion, body.proposal, body.client_id)
    return talk_shape(discussing.view(service, actor, slug, number))


@router.post("/papers/{number}/talk/escalations")
def escalate(
    service: Svc, actor: ApiActor, slug: str, number: Number, body: EscalateAsked
) -> TalkShape:
    """Hand a difference to a third."""
    discussing.escalate(service, actor, slug, number, body.criterion, body.reason, body.client_id)
    return talk_shape(discussing.view(service, actor, slug, number))


@router.post("/papers/{number}/talk/decisions")
def decide(
    service: Svc, actor: ApiActor, slug: str, number: Number, body: ProposeAsked
) -> TalkShape:
    """Decide an escalated difference, as its third."""
    discussing.decide(
        *(service, actor, slug, number, body.criterion),
        *(body.points, body.reason, body.client_id),
    )
    return talk_shape(discussing.view(service, actor, slug, number))


@router.get("/result")
def result(service: Svc, actor: ApiActor, slug: str) -> dict[str, Any]:
    """Return the result: for the jury once unsealed, for everybody as it was released."""
    found = results.result(service, actor, slug)
    about = {"unsealed_at": found.unsealed_at, "n_opened_early": found.n_early}
    return {**jury_json(found.result), **about}


@router.get("/settings")
def get_settings(service: Svc, actor: ApiActor, slug: str) -> JurySettingsShape:
    """Return what the marking is set to."""
    return jury_settings_shape(settings.get_settings(service, actor, slug))


@router.put("/settings")
def set_settings(
    service: Svc, actor: ApiActor, slug: str, body: JurySettingsShape
) -> JurySettingsShape:
    """Set thresholds, names to take out, and whether a pair sees names."""
    people = settings.get_settings(service, actor, slug).people
    settings.set_settings(service, actor, slug, jury_settings(body, people))
    return jury_settings_shape(settings.get_settings(service, actor, slug))


@router.put("/people")
def set_people(service: Svc, actor: ApiActor, slug: str, body: TableAsked) -> JurySettingsShape:
    """Take in a table of people's scores and thresholds: CSV, see the formats."""
    settings.set_people_table(service, actor, slug, body.text)
    return jury_settings_shape(settings.get_settings(service, actor, slug))


@router.get("/rubrics")
def list_rubrics(service: Svc, actor: ApiActor, slug: str) -> list[RubricShape]:
    """List the rubrics of all problems."""
    return [rubric_shape(one) for one in rubrics.list_rubrics(service, actor, slug)]


@router.put("/rubrics/{problem}")
def set_rubric(
    service: Svc, actor: ApiActor, slug: str, problem: str, body: RubricAsked
) -> RubricShape:
    """Set a rubric while drafting."""
    made = rubrics.set_rubric(service, actor, slug, problem, body.text, body.reason)
    return rubric_shape(made)


@router.post("/rubrics/{problem}/preview")
def preview(
    service: Svc, actor: ApiActor, slug: str, problem: str, body: RubricAsked
) -> AmendmentShape:
    """Say what amending a rubric would change; nothing is changed."""
    return amendment_shape(rubrics.preview_amendment(service, actor, slug, problem, body.text))


@router.post("/rubrics/{problem}/amendment")
def amend(service: Svc, actor: ApiActor, slug: str, problem: str, body: RubricAsked) -> RubricShape:
    """Amend a rubric after marking has begun; ``base`` is the version that was looked at."""
    rubrics.amend(service, actor, slug, problem, body.text, base=body.base, reason=body.reason)
    return rubric_shape(rubrics.get_rubric(service, actor, slug, problem))


@router.get("/entries")
def list_entries(service: Svc, actor: ApiActor, slug: str) -> list[EntryShape]:
    """List the teams' final runs, which may be selected."""
    found = contestants.list_entries(service, actor, slug)
    return entry_shapes(found, contestants.task_ids(service, actor, slug))


@router.get("/explanations")
def explanations(
    service: Svc,
    actor: ApiActor,
    slug: str,
    wanted: Annotated[int, Query(ge=1, le=1_000)] = explaining.DEFAULT_WANTED,
    every_task: bool = False,
) -> ExplanationsShape:
    """Return what was found in the entries' explanations, and which entries are proposed."""
    found = explaining.report(service, actor, slug, n_wanted=wanted, require_all=every_task)
    return explanations_shape(found)


@router.put("/selection")
def select(service: Svc, actor: ApiActor, slug: str, body: SelectAsked) -> list[ContestantShape]:
    """Say which entries are marked."""
    return contestant_shapes(contestants.select(service, actor, slug, body.teams, body.reason))


@router.get("/contestants")
def list_contestants(service: Svc, actor: ApiActor, slug: str) -> list[ContestantShape]:
    """List the contestants."""
    return contestant_shapes(contestants.list_contestants(service, actor, slug))


@router.get("/contestants/{contestant_id}")
def blinding(
    service: Svc, actor: ApiActor, slug: str, contestant_id: str
) -> list[BlindedPaperShape]:
    """Return a contestant's papers before and after blinding."""
    return blinded_shapes(papers.preview_blinding(service, actor, slug, contestant_id)[1])


@router.post("/contestants/{contestant_id}/withdraw", status_code=204)
def withdraw(
    service: Svc, actor: ApiActor, slug: str, contestant_id: str, body: ReasonAsked
) -> None:
    """Take a contestant out while drafting."""
    contestants.withdraw(service, actor, slug, contestant_id, body.reason)


@router.get("/groups")
def list_groups(service: Svc, actor: ApiActor, slug: str) -> list[GroupShape]:
    """List the groups of all problems."""
    return group_shapes(jurors.list_groups(service, actor, slug))


@router.put("/groups/{problem}")
def set_group(
    service: Svc, actor: ApiActor, slug: str, problem: str, body: GroupAsked
) -> list[GroupShape]:
    """Say who the jurors of a problem are."""
    return group_shapes(jurors.set_group(service, actor, slug, problem, body.jurors))


@router.get("/conflicts")
def list_conflicts(service: Svc, actor: ApiActor, slug: str) -> list[ConflictShape]:
    """List the conflicts of interest."""
    return conflict_shapes(jurors.list_conflicts(service, actor, slug))


@router.post("/conflicts", status_code=204)
def set_conflict(service: Svc, actor: ApiActor, slug: str, body: ConflictAsked) -> None:
    """Say that a juror must not mark a contestant, or may after all."""
    jurors.set_conflict(
        *(service, actor, slug, body.juror, body.contestant),
        holds=body.holds,
        reason=body.reason,
    )


@router.get("/progress")
def progress(service: Svc, actor: ApiActor, slug: str) -> ProgressShape:
    """Say how far the marking is."""
    return progress_shape(jurors.progress(service, actor, slug))


@router.post("/beginning", status_code=201)
def begin(service: Svc, actor: ApiActor, slug: str, body: BeginAsked) -> BegunShape:
    """Begin marking: papers are numbered, assigned and sealed."""
    made = beginning.begin(service, actor, slug, body.reason, seed=body.seed)
    return BegunShape(n_papers=made.n_papers, n_contestants=made.n_contestants, seed=made.seed)


@router.post("/replacements")
def replace_juror(service: Svc, actor: ApiActor, slug: str, body: ReplaceAsked) -> list[int]:
    """Give a juror's papers to others of the group; the answer is their numbers."""
    return list(jurors.replace_juror(service, actor, slug, body.juror, body.reason, body.numbers))


@router.post("/reopenings", status_code=204)
def reopen(service: Svc, actor: ApiActor, slug: str, body: ReopenAsked) -> None:
    """Give a paper back to a juror who handed it over."""
    jurors.reopen(service, actor, slug, body.number, body.juror, body.reason)


@router.post("/withdrawals", status_code=204)
def withdraw_paper(service: Svc, actor: ApiActor, slug: str, body: NumberAsked) -> None:
    """Take a paper out of the marking."""
    beginning.withdraw_paper(service, actor, slug, body.number, body.reason)


@router.post("/unsealing")
def unseal(service: Svc, actor: ApiActor, slug: str, body: ReasonAsked) -> JuryShape:
    """Unseal a settled marking."""
    sealing.unseal(service, actor, slug, body.reason)
    return jury_shape(settings.view_marking(service, actor, slug))


@router.post("/unsealing/early")
def open_early(service: Svc, actor: ApiActor, slug: str, body: NumberAsked) -> NameShape:
    """Open the seal for one paper before its time; for an admin, and shown to the whole jury."""
    name = sealing.open_early(service, actor, slug, body.number, body.reason)
    return NameShape(name=name)


@router.post("/release")
def release(service: Svc, actor: ApiActor, slug: str, body: ReleaseAsked) -> JuryShape:
    """Make the result public."""
    hidden = results.Anonymity(body.hide_systems, body.hide_people)
    results.release(service, actor, slug, body.reason, hidden)
    return jury_shape(settings.view_marking(service, actor, slug))
