"""A marking to test with: contestants, four jurors, rubrics of the built-in problems, marks."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from iolai.challenge import submissions, teams
from iolai.challenge.jury import (
    beginning,
    contestants,
    desk,
    discussing,
    jurors,
    rubrics,
    sealing,
)
from iolai.challenge.jury.desk import NewMark
from iolai.challenge.service import Actor
from iolai.formats import builtin_path, read_key, render_submission_csv
from iolai.jury.marking import allowed_points
from iolai.records import Criterion, MarkKind, Prediction, PredictionSet, Role
from site_for_tests import SLUG, Site

LOCAL = Actor.local()
JURORS = ("juror-a", "juror-b", "juror-c", "juror-d")
PROBLEMS = ("1000101", "1000105", "1000111")
SYSTEMS = {"mira": "Quaggakanari", "noor": "Wombatkanari"}
PEOPLE = ("Okapikanari", "Zebukanari")
_count = itertools.count(1)


def new_id() -> str:
    """Return an id as a page makes them."""
    return f"test-{next(_count):08d}"


@dataclass
class Marking:
    """A marking of the challenge ``summer`` with those who take part in it."""

    site: Site
    names: dict[int, str] = field(default_factory=dict)

    @property
    def service(self):  # type: ignore[no-untyped-def]
        return self.site.service

    def juror(self, name: str) -> Actor:
        return self.site.actor(name)

    def numbers(self, name: str) -> list[int]:
        """The papers in a juror's queue, in its order."""
        return [line.number for line in desk.queue(self.service, self.juror(name), SLUG)]

    def pair(self, number: int) -> list[str]:
        """The names of the two who mark a paper."""
        return [name for name in JURORS if number in self._numbers(name, desk.Part.PAIR)]

    def third(self, number: int) -> str:
        """The name of the one who decides a paper's escalated differences."""
        (name,) = (one for one in JURORS if number in self._numbers(one, desk.Part.THIRD))
        return name

    def _numbers(self, name: str, part: desk.Part) -> list[int]:
        lines = desk.queue(self.service, self.juror(name), SLUG)
        return [line.number for line in lines if line.part is part]

    def all_numbers(self) -> list[int]:
        return sorted({number for name in JURORS for number in self.numbers(name)})

    def criteria(self, name: str, number: int) -> tuple[Criterion, ...]:
        return desk.open_desk(self.service, self.juror(name), SLUG, number).rubric.criteria

    def mark_all(self, name: str, number: int, share: float = 1.0, note: str = "") -> None:
        """Mark every criterion with the allowed points next below a share of the full ones."""
        new = [
            own(one.id, max(p for p in allowed_points(one) if p <= share * one.points), note)
            for one in self.criteria(name, number)
        ]
        self.save(name, number, new)

    def save(self, name: str, number: int, new: Sequence[NewMark]) -> tuple[desk.Saved, ...]:
        version = desk.open_desk(self.service, self.juror(name), SLUG, number).rubric.version
        sent = [one if one.rubric_version else with_version(one, version) for one in new]
        return desk.save(self.service, self.juror(name), SLUG, number, sent)

    def hand_over(self, name: str, number: int) -> desk.Saved:
        (saved,) = self.save(name, number, [NewMark(new_id(), kind=MarkKind.HANDED_OVER)])
        return saved

    def settle(self, numbers: Iterable[int] = (), shares: tuple[float, float] = (1.0, 1.0)) -> None:
        """Have papers marked and handed over by both, and every difference agreed on."""
        for number in numbers or self.all_numbers():
            first, second = self.pair(number)
            for name, share in zip((first, second), shares, strict=True):
                self.mark_all(name, number, share)
                assert self.hand_over(name, number).kept
        self.agree(numbers)

    def agree(self, numbers: Iterable[int] = ()) -> None:
        """Have the pairs agree on every difference, as the first of them wants it."""
        for number in numbers or self.all_numbers():
            first, second = self.pair(number)
            talk = discussing.view(self.service, self.juror(first), SLUG, number)
            for one in (open_ for open_ in talk.differences if open_.counted is None):
                for name in (first, second):  # who proposes what the other does, accepts it
                    discussing.propose(
                        *(self.service, self.juror(name), SLUG, number, one.criterion.id),
                        *(one.marks[0].points, "so it is", new_id()),
                    )

    def unseal(self) -> None:
        sealing.unseal(self.service, LOCAL, SLUG, "all is settled")


def own(criterion: str, points: float | None, note: str = "", version: int = 0) -> NewMark:
    return NewMark(new_id(), criterion, points, note, version)


def with_version(mark: NewMark, version: int) -> NewMark:
    from dataclasses import replace

    return replace(mark, rubric_version=version)


def explained(n_right: int, said: str) -> bytes:
    """A submission.csv for the three problems, explained, with so many tasks right."""
    rows = []
    for source in sorted(builtin_path().iterdir()):
        if source.name.startswith(("01", "05", "11")):
            for task in read_key(source / "problem.txt"):
                right = [reference.alternatives[0] for reference in task.references]
                given = right if len(rows) < n_right else ["x"] * len(right)
                rows.append(Prediction.of_items(task.id, given, f"{said} Task {task.id}."))
    return render_submission_csv(PredictionSet(tuple(rows))).encode()


def page_of_text(text: str, author: str) -> bytes:
    """Return a PDF of one page with a text, and its author in its metadata."""
    from weasyprint import HTML

    html = f"<html><head><meta name=author content='{author}'></head><body>{text}</body></html>"
    target = io.BytesIO()
    HTML(string=html).write_pdf(target, pdf_identifier=b"x", uncompressed_pdf=True)
    return target.getvalue()


def photo(comment: str) -> bytes:
    """Return a small JPEG with a comment and an Exif field in it."""
    from PIL import Image

    image = Image.new("RGB", (60, 40), "white")
    exif = Image.Exif()
    exif[0x013B] = comment  # Artist
    target = io.BytesIO()
    image.save(target, "JPEG", exif=exif, comment=comment.encode())
    return target.getvalue()


def draft(
    site: Site, *, problems: Sequence[str] = PROBLEMS, people: Sequence[str] = PEOPLE
) -> Marking:
    """Prepare everything up to the beginning: teams that handed in, people, groups, rubrics."""
    for name in JURORS:
        site.person(name, Role.JUROR)
    site.clock.set(6)
    for (member, team), n_right in zip(SYSTEMS.items(), (4, 9), strict=True):
        site.person(member)
        actor = site.actor(member)
        teams.create_team(site.service, actor, SLUG, team)
        said = f"{team} says: the plural ends in -lar after a back vowel."
        submissions.submit_predictions(site.service, actor, SLUG, explained(n_right, said))
    site.run_all()
    service = site.service
    for source in sorted(builtin_path().iterdir()):
        text = (source / "rubric.toml").read_text(encoding="utf-8")
        for problem in problems:
            if f'problem = "{problem}"' in text:
                rubrics.set_rubric(service, LOCAL, SLUG, problem, text)
    picked = [entry.team for entry in contestants.list_entries(service, LOCAL, SLUG)]
    contestants.select(service, LOCAL, SLUG, picked, "the two best")
    for number, name in enumerate(people):
        files = [
            (problem, "typed.txt", f"{name}: ʃ is written sz.".encode()) for problem in problems
        ]
        if number == 0:
            files = [(problems[0], "a.jpg", photo(name)), *files[1:]]
        contestants.add_person(service, LOCAL, SLUG, name, files)
    for problem in problems:
        jurors.set_group(service, LOCAL, SLUG, problem, JURORS)
    return Marking(site)


def begun(site: Site, **draft_options: object) -> Marking:
    """Prepare a marking and begin it."""
    marking = draft(site, **draft_options)  # type: ignore[arg-type]
    beginning.begin(site.service, LOCAL, SLUG, "the month is over", seed=7)
    return marking


def one_paper(site: Site, juror: str) -> dict[str, str]:
    """Begin a marking of one paper with a page, by a juror and somebody else; return ids."""
    site.person("second", Role.JUROR)
    service, problem = site.service, "1000101"
    (source,) = builtin_path().glob("01*")
    text = (source / "rubric.toml").read_text(encoding="utf-8")
    rubrics.set_rubric(service, LOCAL, SLUG, problem, text)
    work = [(problem, "page.jpg", photo("x"))]
    one = contestants.add_person(service, LOCAL, SLUG, "Somebody", work)
    jurors.set_group(service, LOCAL, SLUG, problem, [juror, "second"])
    beginning.begin(service, LOCAL, SLUG, "the month is over")
    (line,) = desk.queue(service, site.actor(juror), SLUG)
    return {"paper": str(line.number), "contestant": one.id, "problem": problem}
