"""Techniques: what a tag on an entry goes with, within the same team.

Teams differ in skill, machines and luck; between teams a technique's effect cannot be told from
theirs. So each team's tagged runs are compared with its own untagged ones. This is no experiment:
a team that adds a technique changes other things too.
"""

from __future__ import annotations

from iolai.records import Cell, Column, Table
from iolai.stats import Permutation, within_groups_test
from iolai.study.comparing import corrected, missing, number, p_cell, text
from iolai.study.material import Material, StudyEntry
from iolai.study.tagging import propose_techniques

__all__ = ["technique_tables"]

_NONE = "no entries were handed in"


def technique_tables(material: Material) -> tuple[Table, ...]:
    """Return ``techniques`` (effects), ``technique-runs`` and ``technique-proposals``."""
    return _effects(material), _runs(material), _proposals(material)


def _effects(material: Material) -> Table:
    columns = (
        Column("technique", "Technique"),
        Column("runs", "Runs with it", "count"),
        Column("teams", "Teams with and without", "count"),
        Column("effect", "Within-team difference in private score", "difference"),
        Column("p", "p (Holm)", "p"),
    )
    entries = [entry for entry in material.entries if entry.private is not None]
    tags = sorted({tag for entry in entries for tag in entry.techniques})
    cells = corrected(_effect(entries, tag, material) for tag in tags)
    rows = tuple(
        (text(tag), *_extent(entries, tag), cell, p_cell(cell))
        for tag, cell in zip(tags, cells, strict=True)
    )
    notes = (
        "n counts the runs of teams that have runs with it and without; each such team has its "
        "own level. Interval and p: permutation of the tag within teams, "
        f"{material.n_resamples} or all arrangements, seed {material.seed}; p corrected.",
        "A difference, not a cause: a team that adds a technique changes other things too.",
    )
    reason = ""
    if not rows:
        reason = "no entry with a private score is tagged" if material.entries else _NONE
    return Table("techniques", "Techniques", columns, rows, notes, reason)


def _effect(entries: list[StudyEntry], tag: str, material: Material) -> Cell:
    found = within_groups_test(
        [entry.private or 0.0 for entry in entries],
        [tag in entry.techniques for entry in entries],
        [entry.team for entry in entries],
        level=material.level,
        n_tried=material.n_resamples,
        seed=material.seed,
    )
    if not isinstance(found, Permutation):
        return missing("no team has runs with it and without", n=0)
    synthetic = any(entry.synthetic for entry in entries)
    return Cell(found.effect, found.n, None, found.interval, found.p, synthetic=synthetic)


def _extent(entries: list[StudyEntry], tag: str) -> tuple[Cell, Cell]:
    teams: dict[str, set[bool]] = {}
    for entry in entries:
        teams.setdefault(entry.team, set()).add(tag in entry.techniques)
    n_runs = sum(tag in entry.techniques for entry in entries)
    n_both = sum(len(kinds) == 2 for kinds in teams.values())
    synthetic = any(entry.synthetic for entry in entries)
    return Cell(float(n_runs), synthetic=synthetic), Cell(float(n_both), synthetic=synthetic)


def _runs(material: Material) -> Table:
    columns = (
        Column("team", "Team"),
        Column("run", "Run"),
        Column("at", "Handed in"),
        Column("public", "Public score", "score"),
        Column("private", "Private score", "score"),
        Column("techniques", "Techniques"),
    )
    ordered = sorted(material.entries, key=lambda entry: (entry.team, entry.at, entry.name))
    rows = tuple(
        (
            text(entry.team),
            text(entry.name),
            text(entry.at),
            number(entry.public, "no public score", synthetic=entry.synthetic),
            number(entry.private, "no private score", synthetic=entry.synthetic),
            text(", ".join(entry.techniques)),
        )
        for entry in ordered
    )
    title = "Runs over time"
    return Table("technique-runs", title, columns, rows, (), "" if rows else _NONE)


def _proposals(material: Material) -> Table:
    columns = (
        Column("entry", "Entry"),
        Column("technique", "Technique proposed"),
        Column("line", "Line of the script", "count"),
        Column("because", "Because of"),
        Column("tagged", "Tagged by hand"),
    )
    rows = []
    for entry in material.entries:
        for proposal in propose_techniques(entry.script):
            by_hand = "yes" if proposal.technique in entry.techniques else "no"
            rows.append(
                (
                    text(entry.name),
                    text(proposal.technique),
                    Cell(float(proposal.line)),
                    text(proposal.because),
                    text(by_hand),
                )
            )
    notes = ("Read from the script, which is never executed. A proposal is to be looked at.",)
    reason = "" if rows else "no entry's script was handed in, or none shows a technique"
    title = "Techniques proposed from the scripts"
    return Table("technique-proposals", title, columns, tuple(rows), notes, reason)
