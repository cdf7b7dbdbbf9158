"""A rubric: the jury's marking scheme for one problem."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CRITERION_KINDS", "Criterion", "Rubric", "Step"]

#: ``task``: the answers of one task are right; ``theory``: a main rule is found and said.
CRITERION_KINDS = ("task", "theory")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of partial credit: ``points`` are given when ``when`` holds."""

    points: float
    when: str


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of a rubric, worth at most ``points``; ``task`` is set where kind is ``task``.

    ``accept`` are answers or wordings that get the points like the expected ones.
    """

    id: str
    problem: str
    kind: str
    points: float
    steps: tuple[Step, ...] = ()
    task: str = ""
    notes: str = ""
    accept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rubric:
    """The criteria of one problem. In the olympiad they sum to 20 points."""

    problem: str
    criteria: tuple[Criterion, ...]
    title: str = ""
    version: int = 1

    @property
    def points(self) -> float:
        """The points a perfect solution gets."""
        return sum(criterion.points for criterion in self.criteria)
