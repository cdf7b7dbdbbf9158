"""Assignment: two jurors a paper, loads balanced, pairs mixed, conflicts of interest kept apart.

Loads are balanced exactly. Moving a paper's place from a juror to one who has two papers less,
directly or over others, makes loads more even, and where no such path is left they are as even
as the conflicts permit: the optimality rule of semi-matchings (N. Harvey, R. Ladner, L. Lovász,
T. Tamir, "Semi-matchings for bipartite graphs and load balancing"). Then jurors are exchanged
between papers, which leaves every load as it is, while that lowers the sum of the squares of how
often each pair works together.

All draws come from the seed and do not depend on the order in which papers and jurors are given.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence

from iolai.errors import InputError
from iolai.records import Assignment, Conflict, Paper

__all__ = ["assign", "assign_all", "choose_third", "reassign"]

_N_PAIR = 2


def assign_all(
    papers: Iterable[Paper],
    groups: Mapping[str, Sequence[str]],
    conflicts: Iterable[Conflict] = (),
    *,
    seed: int,
) -> tuple[Assignment, ...]:
    """Assign the papers of all problems, each to its problem's group (jurors by problem id).

    The result is in the order of the papers. Raises InputError naming the problem or paper where
    it cannot be done.
    """
    given = tuple(papers)
    known = tuple(conflicts)
    by_paper: dict[str, Assignment] = {}
    for problem in dict.fromkeys(paper.problem for paper in given):
        own = [paper for paper in given if paper.problem == problem]
        made = assign(own, groups.get(problem, ()), known, seed=seed)
        by_paper |= {one.paper: one for one in made}
    return tuple(by_paper[paper.id] for paper in given)


def assign(
    papers: Sequence[Paper],
    jurors: Sequence[str],
    conflicts: Iterable[Conflict] = (),
    *,
    seed: int,
) -> tuple[Assignment, ...]:
    """Assign each paper of one problem to two jurors of its group, in the order of the papers.

    Loads differ by at most 1 where conflicts permit, else by as little as they permit. Raises
    InputError where a paper has fewer than two jurors without a conflict, or is given twice.
    """
    _refuse_repeated((paper.id for paper in papers), "paper")
    _refuse_repeated(jurors, "juror")
    draw = _drawing(seed, papers[0].problem if papers else "")
    free = _free_jurors(papers, jurors, conflicts)
    plan = _Plan(free, {paper.id: () for paper in papers}, draw)
    plan.balance()
    plan.mix()
    made = {paper: _assignment(paper, plan.jurors[paper], draw) for paper in sorted(plan.jurors)}
    return tuple(made[paper.id] for paper in papers)


def choose_third(
    assignment: Assignment,
    paper: Paper,
    jurors: Sequence[str],
    conflicts: Iterable[Conflict] = (),
    n_thirds: Mapping[str, int] | None = None,
    *,
    seed: int,
) -> str:
    """Choose who decides an escalated difference: of the group, not of the pair, no conflict.

    ``n_thirds`` says how many papers each already has as the third: the fewest comes first, the
    seed decides among equals. Raises InputError naming the paper where there is nobody.
    """
    (barred,) = _barred([paper], conflicts)
    able = sorted(set(jurors) - set(assignment.pair) - barred)
    if not able:
        raise InputError(
            f"no third juror can be found for paper {_name(paper)}: everyone else of the group "
            "has a conflict of interest, or there is nobody else",
            hint="Add a juror to the problem's group who has no conflict with the contestant.",
        )
    counts = n_thirds or {}
    fewest = min(counts.get(juror, 0) for juror in able)
    draw = _drawing(seed, f"third {paper.id}")
    return draw.choice([juror for juror in able if counts.get(juror, 0) == fewest])


def reassign(
    assignments: Sequence[Assignment],
    papers: Sequence[Paper],
    absent: str,
    jurors: Sequence[str],
    handed_over: Iterable[str] = (),
    conflicts: Iterable[Conflict] = (),
    *,
    seed: int,
) -> tuple[Assignment, ...]:
    """Give what an absent juror left to others of one problem's group.

    ``handed_over`` are the papers (ids) that the absent juror has handed over: they stay as they
    are, and a difference in one goes to a third. The other juror of a pair keeps a paper, and so
    the marks given on it. A third who is absent is taken off, to be chosen anew; who is a paper's
    third already takes an absent juror's place only where there is nobody else. Raises InputError
    naming a paper for which there is nobody.
    """
    done = set(handed_over)
    left = {one.paper for one in assignments if absent in one.pair and one.paper not in done}
    kept = {
        one.paper: tuple(juror for juror in one.pair if juror != absent or one.paper in done)
        for one in assignments
    }
    free = _free_jurors(
        papers, [juror for juror in jurors if juror != absent], conflicts, kept, only=left
    )
    for one in assignments:
        # A third has seen both marks: whoever has not comes first.
        unaware = [juror for juror in free.get(one.paper, ()) if juror != one.third]
        if unaware:
            free[one.paper] = unaware
    draw = _drawing(seed, f"without {absent} {papers[0].problem if papers else ''}")
    plan = _Plan(free, kept, draw)
    plan.balance()
    plan.mix()
    return tuple(_reassigned(one, absent, left, plan) for one in assignments)


def _reassigned(one: Assignment, absent: str, left: set[str], plan: _Plan) -> Assignment:
    third = "" if one.third == absent else one.third
    if one.paper not in left:
        return Assignment(one.paper, one.pair, third)
    (new,) = set(plan.jurors[one.paper]) - set(one.pair)
    first, second = (new if juror == absent else juror for juror in one.pair)
    return Assignment(one.paper, (first, second), third if third != new else "")


class _Plan:
    """Who marks each paper. ``kept`` jurors of a paper stay; the others may be exchanged.

    ``free`` are the jurors whom a paper may be given to, its kept ones left out.
    """

    def __init__(
        self,
        free: Mapping[str, Sequence[str]],
        kept: Mapping[str, tuple[str, ...]],
        draw: random.Random,
    ) -> None:
        self._draw = draw
        self._kept = {paper: set(kept[paper]) for paper in kept}
        self._free = {paper: draw.sample(free[paper], len(free[paper])) for paper in sorted(free)}
        self.jurors = {paper: set(names) for paper, names in self._kept.items()}
        self._loads = Counter(juror for names in self.jurors.values() for juror in names)
        together: Counter[tuple[str, ...]] = Counter()
        order = sorted(self._free)
        draw.shuffle(order)
        for paper in order:
            self._fill(paper, together)

    def _fill(self, paper: str, together: Counter[tuple[str, ...]]) -> None:
        """Give a paper to the jurors with least to do, and of these who have met least."""
        names = self.jurors[paper]
        while len(names) < _N_PAIR:
            able = [juror for juror in self._free[paper] if juror not in names]
            self._give(
                paper, min(able, key=lambda one: (self._loads[one], together[_pair({*names, one})]))
            )
        together[_pair(names)] += 1

    def _give(self, paper: str, juror: str) -> None:
        self.jurors[paper].add(juror)
        self._loads[juror] += 1

    def _take(self, paper: str, juror: str) -> None:
        self.jurors[paper].remove(juror)
        self._loads[juror] -= 1

    def balance(self) -> None:
        """Move places along paths from heavy to light jurors until none makes loads more even."""
        while path := self._lightening_path():
            for paper, giver, taker in path:
                self._take(paper, giver)
                self._give(paper, taker)

    def _lightening_path(self) -> list[tuple[str, str, str]]:
        """Return moves (paper, from, to) that take a place from a juror to one with two less."""
        able = {juror for names in self._free.values() for juror in names}
        for heavy in sorted(able, key=lambda juror: (-self._loads[juror], juror)):
            came: dict[str, tuple[str, str] | None] = {heavy: None}
            waiting = deque([heavy])
            while waiting:
                giver = waiting.popleft()
                if self._loads[giver] <= self._loads[heavy] - 2:
                    return _path(came, giver)
                for paper, taker in self._moves_from(giver):
                    if taker not in came:
                        came[taker] = (paper, giver)
                        waiting.append(taker)
        return []

    def _moves_from(self, giver: str) -> Iterable[tuple[str, str]]:
        for paper, names in self._free.items():
            if giver in self.jurors[paper] and giver not in self._kept[paper]:
                for taker in names:
                    if taker not in self.jurors[paper]:
                        yield paper, taker

    def mix(self) -> None:
        """Exchange jurors between papers while that makes the pairs more even.

        An exchange can gain only where one of the two pairs has worked together at least twice
        more often than some other pair.
        """
        counts = Counter(_pair(names) for names in self.jurors.values())
        able = sorted({juror for names in self.jurors.values() for juror in names})
        movable = sorted(self._free)
        improved = True
        while improved:
            improved = False
            fewest = min(
                (counts[pair] for pair in itertools.combinations(able, _N_PAIR)), default=0
            )
            self._draw.shuffle(movable)
            for one in movable:
                for other in movable:
                    if counts[_pair(self.jurors[one])] < fewest + 2:
                        break
                    if one != other:
                        improved = self._exchange(one, other, counts) or improved

    def _exchange(self, one: str, other: str, counts: Counter[tuple[str, ...]]) -> bool:
        """Exchange a juror of each of two papers where the pairs become more even by it."""
        before = (_pair(self.jurors[one]), _pair(self.jurors[other]))
        for mine, yours in itertools.product(*before):
            if not (self._may(one, mine, yours) and self._may(other, yours, mine)):
                continue
            after = (
                _pair((self.jurors[one] - {mine}) | {yours}),
                _pair((self.jurors[other] - {yours}) | {mine}),
            )
            if _gain(counts, before, after) > 0:
                counts.subtract(before)
                counts.update(after)
                self.jurors[one], self.jurors[other] = set(after[0]), set(after[1])
                return True
        return False

    def _may(self, paper: str, out: str, into: str) -> bool:
        """Say whether on ``paper`` one juror may take another's place."""
        return (
            out not in self._kept[paper]
            and into not in self.jurors[paper]
            and into in self._free[paper]
        )


def _path(came: Mapping[str, tuple[str, str] | None], last: str) -> list[tuple[str, str, str]]:
    """Return the moves that lead to ``last``, the last one first: so each juror has room."""
    moves = []
    step = came[last]
    while step is not None:
        paper, giver = step
        moves.append((paper, giver, last))
        last, step = giver, came[giver]
    return moves


def _pair(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def _gain(
    counts: Counter[tuple[str, ...]],
    before: tuple[tuple[str, ...], ...],
    after: tuple[tuple[str, ...], ...],
) -> int:
    """Return by how much the sum of the squares of the counts falls."""
    change = Counter(after)
    change.subtract(before)
    return sum(counts[p] ** 2 - (counts[p] + d) ** 2 for p, d in change.items())


def _free_jurors(
    papers: Sequence[Paper],
    jurors: Sequence[str],
    conflicts: Iterable[Conflict],
    kept: Mapping[str, tuple[str, ...]] | None = None,
    only: set[str] | None = None,
) -> dict[str, list[str]]:
    """Return the jurors whom each paper may be given to; refuse a paper that has too few."""
    free: dict[str, list[str]] = {}
    for paper, barred in zip(papers, _barred(papers, conflicts), strict=True):
        if only is not None and paper.id not in only:
            continue
        have = () if kept is None else kept[paper.id]
        free[paper.id] = sorted(set(jurors) - barred - set(have))
        lacking = _N_PAIR - len(have) - len(free[paper.id])
        if lacking > 0:
            raise InputError(
                f"paper {_name(paper)} of problem {paper.problem} cannot be assigned: of the "
                f"group's {len(jurors)} jurors {len(free[paper.id]) + len(have)} may mark it, and "
                f"{_N_PAIR} are needed",
                hint="Add a juror to the problem's group who has no conflict with the contestant.",
            )
    return free


def _barred(papers: Sequence[Paper], conflicts: Iterable[Conflict]) -> list[set[str]]:
    """Return, for each paper, the jurors who have a conflict with its contestant."""
    known = tuple(conflicts)
    return [{one.juror for one in known if one.contestant == paper.contestant} for paper in papers]


def _refuse_repeated(names: Iterable[str], kind: str) -> None:
    seen = Counter(names)
    twice = [name for name, n in seen.items() if n > 1]
    if twice:
        raise InputError(f"the {kind} {twice[0]} is given twice", hint=f"Name each {kind} once.")


def _assignment(paper: str, names: Iterable[str], draw: random.Random) -> Assignment:
    one, other = draw.sample(sorted(names), _N_PAIR)
    return Assignment(paper, (one, other))


def _name(paper: Paper) -> str:
    return paper.number or paper.id


def _drawing(seed: int, purpose: str) -> random.Random:
    """Return draws of their own for each purpose: one more paper elsewhere changes none here."""
    return random.Random(f"{seed} {purpose}")  # noqa: S311 -- no secret hangs on it
