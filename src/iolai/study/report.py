"""``iolai report``: from what is stored to tables, figures and one page; nothing is asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from iolai.errors import InputError
from iolai.files import write_whole
from iolai.records.study import Chart, Table
from iolai.reports.plots import CHART_FORMATS
from iolai.reports.study_html import Section, render_study
from iolai.reports.tables import TABLE_FORMATS
from iolai.study.assembling import study_material
from iolai.study.figures import FIGURES
from iolai.study.material import Material
from iolai.study.registry import ANALYSES
from iolai.study.release import SIMULATED, model_board
from iolai.study.run_tables import run_tables
from iolai.study.running import Ran
from iolai.study.unfinished import (
    PLANNED,
    left_by_model,
    marked_chart,
    marked_table,
    waiting_for,
)
from iolai.version import __version__

__all__ = ["StudyReport", "make_report", "report_material", "study_tables", "write_report"]

OnStep = Callable[[str], None]
PAGE = "index.html"

#: The page's sections: analysis, title, what it is for, and the charts that stand with it.
_SECTIONS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "scores",
        "Scores",
        "What each model scores under the condition of comparison, and which of them can be told "
        "apart.",
        ("tiers", "problems"),
    ),
    (
        "board",
        "Board",
        "The board that was handed in; where none was, the models of this study, each with its "
        "first seed.",
        (),
    ),
    (
        "robustness",
        "Robustness",
        "How far scores and ranks depend on the way answers are read and normalised.",
        (),
    ),
    (
        "ensembles",
        "Ensembles",
        "What choosing among the models' answers would give. Choosing by the key is a ceiling, "
        "not a system.",
        (),
    ),
    (
        "explanation",
        "Asking for an explanation",
        "The same models, tasks and seeds, asked with and without an explanation.",
        ("explanation",),
    ),
    (
        "ablation",
        "Context ablation",
        "The same models, tasks and seeds, with and without what names the language, its family "
        "and its place.",
        (),
    ),
    (
        "probes",
        "Knowledge probes",
        "Four-way choices about the languages themselves; a blind choice is right one time in "
        "four.",
        (),
    ),
    (
        "presence",
        "Web presence",
        "How much of each language there is to learn from, beside how well it is solved.",
        (),
    ),
    (
        "techniques",
        "Techniques",
        "What a technique goes with, within the same team: a difference, not a cause.",
        ("runs",),
    ),
    ("likeness", "Likeness", "Which entries share code, and which share answers.", ()),
    (
        "traces",
        "Traces",
        "What the models wrote that the sheet did not give. A mention is found, not judged.",
        (),
    ),
    (
        "jury",
        "Jury",
        "What the jury gave beside the automatic score, and what is hard for whom.",
        ("jury", "criteria"),
    ),
    (
        "power",
        "Power",
        "How many tasks it takes to tell two models apart, given how much they were seen to vary.",
        (),
    ),
)


@dataclass(frozen=True)
class StudyReport:
    """All tables and charts of a study, section by section."""

    material: Material
    sections: tuple[Section, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in the page's order."""
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in the page's order."""
        return tuple(chart for section in self.sections for chart in section.charts)


def _nothing(step: str) -> None:
    """Tell nobody."""


def make_report(ran: Ran, on_step: OnStep = _nothing) -> StudyReport:
    """Work out every table and chart of a study; raises InputError where nothing was answered."""
    material = report_material(ran)
    return StudyReport(material, tuple(_sections(ran, material, on_step)))


def report_material(ran: Ran) -> Material:
    """Return what the tables are worked out from.

    Where no board was handed in, the models make one. Raises InputError where nothing was answered.
    """
    if not ran.results:
        raise InputError(
            f"the study in {ran.plan.study.folder} has no finished call",
            hint="Run `iolai bench` on it first.",
        )
    material = study_material(ran)
    if material.board is None:
        material = study_material(ran, model_board(ran, material))
    return material


def _sections(ran: Ran, material: Material, on_step: OnStep) -> Iterator[Section]:
    placed = {name for *_, names in _SECTIONS for name in names}
    for name, title, lead, charts in _SECTIONS:
        on_step(title)
        tables = _analysed(name, material, ran)
        if name == "board" and "board" not in ran.plan.study.beside:
            tables = tuple(map(_marked, tables))
        waiting = waiting_for(ran, material, name)
        made = tuple(marked_chart(FIGURES[chart](material), waiting) for chart in charts)
        yield Section(name, title, lead, tables, made)
    on_step("What was asked")
    more = [name for name in ANALYSES if name not in {name for name, *_ in _SECTIONS}]
    yield Section(
        "run",
        "What was asked",
        "The models, the budget they shared, and what they spent of it.",
        (*run_tables(ran), *(table for name in more for table in _analysed(name, material, ran))),
        tuple(make(material) for name, make in FIGURES.items() if name not in placed),
    )


def _marked(table: Table) -> Table:
    """Mark the rows of simulated models on the board of the study's own models."""
    rows = tuple(
        tuple(replace(cell, synthetic=True) for cell in row)
        if any(str(cell.value).endswith(SIMULATED) for cell in row[:2])
        else row
        for row in table.rows
    )
    return replace(table, rows=rows)


def study_tables(material: Material, ran: Ran | None = None) -> Iterator[Table]:
    """Yield every analysis' tables of some material.

    Those of a study that is not finished say so where ``ran`` is given.
    """
    for name in ANALYSES:
        yield from _analysed(name, material, ran)


def _analysed(name: str, material: Material, ran: Ran | None) -> tuple[Table, ...]:
    tables = ANALYSES[name](material)
    if ran is None or not ran.n_left:
        return tables
    waiting = {one: waiting_for(ran, material, one) for one in (name, "states")}
    own = {"states": waiting["states"]}
    if name == "probes":
        own["probe-correlation"] = waiting_for(ran, material, "probe-correlation")
    return tuple(marked_table(table, own.get(table.name, waiting[name])) for table in tables)


def write_report(report: StudyReport, ran: Ran, out: Path, on_step: OnStep = _nothing) -> Path:
    """Write the page, every table in each format, and every figure; return the page's path."""
    for table in report.tables:
        for ending, render in TABLE_FORMATS.items():
            write_whole(out / "tables" / f"{table.name}.{ending}", render(table))
    drawings: dict[str, bytes] = {}
    for chart in report.charts:
        on_step(f"figure {chart.name}")
        for ending, draw in CHART_FORMATS.items():
            drawn = draw(chart)
            write_whole(out / "figures" / f"{chart.name}.{ending}", drawn)
            if ending == "svg":
                drawings[chart.name] = drawn
    page = render_study(
        report.sections,
        drawings,
        title=ran.plan.study.title,
        deck=_deck(report),
        facts=_facts(ran, report),
        cautions=_cautions(ran),
        footer=f"iolai {__version__}. Every table is in tables/ as CSV, LaTeX, Markdown, HTML and "
        "JSON, every figure in figures/ as SVG and PNG.",
    )
    write_whole(out / PAGE, page)
    return out / PAGE


def _deck(report: StudyReport) -> str:
    material = report.material
    n_problems = len({outcome.problem for outcome in material.tasks})
    n_tasks = len({outcome.task for outcome in material.tasks})
    return (
        f"{len(material.models)} models on {n_tasks} tasks of {n_problems} problems. "
        f"Intervals are {100 * material.level:.0f}% bootstrap intervals over tasks unless a table "
        "says otherwise."
    )


def _facts(ran: Ran, report: StudyReport) -> dict[str, str]:
    study, material = ran.plan.study, report.material
    named = list(dict.fromkeys(outcome.condition.name for outcome in material.tasks))
    n_seeds = len({outcome.seed for outcome in material.tasks})
    return {
        "Calls": f"{len(ran.results):,} of {len(ran.plan.distinct):,}",
        "Seeds": f"{n_seeds}",
        "Compared under": material.condition.name,
        "Conditions": ", ".join(named),
        "Budget": f"{study.spending.tokens} tokens, {study.spending.seconds:g} s a task",
        "Problems' licence": study.licence or "not given",
    }


def _cautions(ran: Ran) -> list[tuple[str, str]]:
    return [*_call_cautions(ran), *_synthetic_cautions(ran), *_asking_cautions(ran)]


def _synthetic_cautions(ran: Ran) -> Iterator[tuple[str, str]]:
    study = ran.plan.study
    planted = [model.name for model in study.models if model.planted is not None]
    if planted:
        yield (
            "Simulated models.",
            f"{', '.join(planted)} are no models: their ability was planted, to see that the "
            "statistics find it. Whatever they had a part in is marked synthetic.",
        )
    made_up = [name for name in ("entries", "jury", "presence") if name in study.beside]
    if study.beside_synthetic and made_up:
        yield (
            "Made-up files.",
            f"What was handed in as {', '.join(made_up)} is made up, and marked so.",
        )


def _call_cautions(ran: Ran) -> Iterator[tuple[str, str]]:
    if ran.n_left:
        follow = " More calls follow when each model's best format is known."
        more = follow if ran.plan.needs_formats else ""
        own = ", ".join(f"{model}: {n:,}" for model, n in left_by_model(ran).items())
        yield (
            "Not finished.",
            f"{ran.n_left:,} of {len(ran.plan.distinct):,} calls are {PLANNED} ({own}). What "
            f"rests on them says so; run the study again to make them.{more}",
        )
    failed = sum(result.state in ("error", "timeout") for result in ran.results.values())
    if failed:
        yield (
            "Failed calls.",
            f"Ended in an error or out of time: {failed:,} of {len(ran.results):,} calls. They "
            "score 0 for what is missing; the table of states counts them.",
        )


def _asking_cautions(ran: Ran) -> Iterator[tuple[str, str]]:
    study = ran.plan.study
    told = [model.name for model in study.models if "seed" in model.sends]
    if told:
        yield (
            "Seeds that only count.",
            f"{', '.join(told)}: the study says that seeds arrive; nothing here confirms it.",
        )
    if study.formats.among:
        yield (
            "Each in its best format.",
            "The format was chosen on problems that were left out of every comparison: "
            f"{', '.join(ran.plan.sheets.left_out)}.",
        )
