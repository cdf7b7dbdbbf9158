"""The jury's files: checklists, contestants, marks, people's papers; round trips, bad input."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iolai.errors import FormatError, InputError
from iolai.formats import (
    parse_checklists,
    parse_contestants,
    parse_marks,
    parse_rubric,
    read_papers,
    render_contestants,
    render_marks,
    render_rubric,
)
from iolai.records import (
    MEDALS,
    ContestantKind,
    ContestantTable,
    MarkKind,
    MarkRow,
    PersonScore,
    Thresholds,
)


def checklist(name: str = "p1", *lines: str, **fields: object) -> dict[str, object]:
    value = {
        "id": name,
        "answer": {"1": "kitab", "2": "solab"},
        "explanation": {"rules": "All in all.", "rule_checklist": list(lines or ("one", "two"))},
    }
    return value | fields


# Rule checklists.


def test_a_criterion_a_line_and_the_rest_for_the_answers() -> None:
    (rubric,) = parse_checklists(json.dumps(checklist("p1", "plural -li", "order", "stress")))
    assert rubric.problem == "p1"
    assert rubric.points == 20
    answers, *theory = rubric.criteria
    assert (answers.kind, answers.task, answers.points) == ("task", "p1", 10)
    assert answers.notes == "Answers: 1: kitab; 2: solab\n\nThe rules in full: All in all."
    assert [(one.id, one.kind, one.points, one.notes) for one in theory] == [
        ("p1-r1", "theory", 3.5, "plural -li"),
        ("p1-r2", "theory", 3.5, "order"),
        ("p1-r3", "theory", 3.0, "stress"),
    ]
    assert parse_rubric(render_rubric(rubric)) == rubric


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40).map(lambda n: n / 2))
def test_points_are_shared_out_whole(n_lines: int, theory: float) -> None:
    text = json.dumps(checklist("p", *(f"rule {n}" for n in range(n_lines))))
    (rubric,) = parse_checklists(text, theory_points=theory)
    shares = [one.points for one in rubric.criteria if one.kind == "theory"]
    assert sum(shares) == pytest.approx(theory)
    assert rubric.points == pytest.approx(20)
    assert max(shares) - min(shares) <= 0.5
    if n_lines <= 2 * theory:
        assert all(share * 2 == int(share * 2) for share in shares)


def test_a_list_lines_or_one_document() -> None:
    two = [checklist("p1"), checklist("p2")]
    forms = [
        json.dumps(two),
        json.dumps(two, indent=2),
        "\n".join(map(json.dumps, two)) + "\n\n",
    ]
    for text in forms:
        assert [one.problem for one in parse_checklists(text)] == ["p1", "p2"]
    assert parse_checklists(json.dumps(two[0], indent=1))[0].problem == "p1"


def test_without_answers_the_theory_must_take_all() -> None:
    text = json.dumps(checklist(answer=None))
    with pytest.raises(FormatError, match="no answers to give the other 10 points to"):
        parse_checklists(text)
    (rubric,) = parse_checklists(text, theory_points=20)
    assert {one.kind for one in rubric.criteria} == {"theory"}


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({"id": "x"}, "lacks explanation"),
        (checklist(explanation={}), "rule_checklist must be a list"),
        (checklist(explanation={"rule_checklist": []}), "has 0 lines"),
        (checklist(explanation={"rule_checklist": ["a"] * 201}), "has 201 lines"),
        (checklist("p", "a", " "), "line 2 of the checklist is no text, or blank"),
        (checklist(explanation={"rule_checklist": ["a", 3]}), "line 2 of the checklist is no text"),
        (checklist(" "), "the id is blank"),
        ([checklist("p"), checklist("p")], "already used in line"),
        (checklist(answer={"1": 2}), "the answer to '1' is no text"),
        (checklist(answer="kitab"), "a JSON object is wanted"),
        ([], "there is no checklist"),
        ([3], "a JSON object is wanted"),
        ("x", "a JSON object is wanted"),
        ([[[]]] * 3, "a JSON object is wanted"),
    ],
)
def test_bad_checklists_are_refused(value: object, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_checklists(json.dumps(value))
    assert what in caught.value.message
    assert "checklists.json" in caught.value.message


@pytest.mark.parametrize("text", ["{", "[" * 5000, '{"id": "a", "id": "b"}', '{"a":1}\n{"b":', "x"])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_checklists(text)


@pytest.mark.parametrize("points", [0, -1, 20.5, float("nan"), float("inf")])
def test_theory_points_out_of_range_are_refused(points: float) -> None:
    with pytest.raises(InputError, match="the theory cannot be worth"):
        parse_checklists(json.dumps(checklist()), theory_points=points)


# Contestants.

TABLE = """contestant,kind,total,medal,automatic,points:x,points:y,automatic:x
otter,system,,,41.5,,,50
Person one,person,71,gold,,40,31,
Person two,person,,,,10,20.5,
Person three,person,,,,,,
gold,threshold,70,,,,,
honourable mention,threshold,35.3,,,,,
"""


def test_people_systems_and_thresholds() -> None:
    table = parse_contestants(TABLE)
    assert table.kinds["otter"] == ContestantKind.SYSTEM
    assert table.automatic == {"otter": 41.5}
    assert table.automatic_by_problem == {"otter": {"x": 50}}
    assert table.people == (
        PersonScore("Person one", 71, {"x": 40, "y": 31}, "gold"),
        PersonScore("Person two", 30.5, {"x": 10, "y": 20.5}),
    )
    assert table.kinds["Person three"] == ContestantKind.PERSON
    assert table.thresholds == Thresholds(gold=70, honourable=35.3)
    assert parse_contestants(render_contestants(table)) == table


def test_thresholds_alone_will_do() -> None:
    table = parse_contestants("contestant,kind,total\nSilver,threshold,58.4\n")
    assert table == ContestantTable({}, thresholds=Thresholds(silver=58.4))


@pytest.mark.parametrize(
    ("rows", "where", "what"),
    [
        ("a,humn,1,", "line 2, column kind", "there is no kind 'humn'"),
        ("a,person,x,", "line 2, column total", "'x' is not a number"),
        ("a,person,-1,", "line 2, column total", "out of range"),
        ("a,person,1e9,", "line 2, column total", "out of range"),
        ("a,person,1,brass", "line 2, column medal", "there is no medal 'brass'"),
        ("a,person,1,\na,system,1,", "line 3, column contestant", "stands there twice"),
        (" ,person,1,", "line 2, column contestant", "a blank name"),
        ("gold,threshold,,", "line 2, column total", "the threshold has no points"),
        ("tin,threshold,3,", "line 2, column contestant", "there is no medal 'tin'"),
        ("a,person", "line 2", "the row has 2 cells"),
        ('a,person,"1', "line 2", "never closed"),
        ("", "line 1", "no rows"),
    ],
)
def test_bad_tables_of_contestants_are_refused(rows: str, where: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_contestants(f"contestant,kind,total,medal\n{rows}\n")
    assert where in caught.value.message
    assert what in caught.value.message


names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=6).filter(
    lambda name: name == name.strip() != ""
)
scores = st.integers(0, 200).map(lambda n: n / 2)


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(names, st.tuples(scores, scores, st.sampled_from(["", *MEDALS])), max_size=4),
    st.sets(names, max_size=3),
    st.lists(st.none() | scores, min_size=4, max_size=4),
)
def test_a_table_of_contestants_comes_back(people, systems, limits) -> None:
    people = {name: one for name, one in people.items() if name not in systems}
    taken = {*people, *systems}
    table = ContestantTable(
        kinds=dict.fromkeys(people, ContestantKind.PERSON)
        | dict.fromkeys(systems, ContestantKind.SYSTEM),
        people=tuple(
            PersonScore(name, a + b, {"x": a, "y": b}, medal)
            for name, (a, b, medal) in people.items()
        ),
        thresholds=Thresholds(*limits) if not taken & set(MEDALS) else Thresholds(),
        automatic=dict.fromkeys(systems, 50.5),
        automatic_by_problem={name: {"x": 10.0} for name in systems},
    )
    if not table.kinds and table.thresholds == Thresholds():
        return  # a table without rows is refused
    assert parse_contestants(render_contestants(table)) == table


# Marks.


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(names, names, names, names, scores, st.text(max_size=5)), min_size=1))
def test_a_table_of_marks_comes_back(cells) -> None:
    rows = tuple(
        MarkRow(a, b, c, d, kind, points, note.replace("\0", ""), "2026")
        for (a, b, c, d, points, note), kind in zip(
            cells, [str(MarkKind.OWN), "agreed", str(MarkKind.THIRD)] * len(cells), strict=False
        )
    )
    text = render_marks(rows)
    assert parse_marks(text) == rows
    assert render_marks(parse_marks(text)) == text


def test_marks_without_points_or_criterion_where_none_are_needed() -> None:
    text = (
        "contestant,problem,juror,criterion,points,kind\n"
        "s,x,a,c1,,\ns,x,a,,,handed_over\ns,x,a,c1,,escalated\ns,x,,c1,2,agreed\n"
    )
    rows = parse_marks(text)
    assert [(row.kind, row.points, row.row) for row in rows] == [
        ("own", None, 2),
        ("handed_over", None, 3),
        ("escalated", None, 4),
        ("agreed", 2, 5),
    ]


@pytest.mark.parametrize(
    ("row", "where", "what"),
    [
        ("s,x,a,c1,1,owned", "column kind", "there is no kind of mark 'owned'"),
        ("s,x,a,c1,many,", "column points", "is not a number"),
        ("s,x,a,c1,nan,", "column points", "is not a number"),
        ("s,x,a,c1,1001,", "column points", "out of range"),
        ("s,x,a,c1,,third", "column points", "has no points"),
        ("s,x,,c1,1,", "column juror", "the juror is blank"),
        ("s,x,a,,1,", "column criterion", "the criterion is blank"),
        (",x,a,c1,1,", "column contestant", "the contestant is blank"),
    ],
)
def test_bad_marks_are_refused(row: str, where: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_marks(f"contestant,problem,juror,criterion,points,kind\n{row}\n")
    assert f"line 2, {where}" in caught.value.message
    assert what in caught.value.message


# People's papers.

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 100, 200) + b"rest"


def folder_of(tmp_path: Path, files: dict[str, bytes]) -> Path:
    root = tmp_path / "papers"
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def test_text_and_pages_are_read(tmp_path: Path) -> None:
    root = folder_of(
        tmp_path,
        {
            "Ann/x.txt": "kitab — ëé".encode(),
            "Ann/y-10.png": PNG + b"10",
            "Ann/y-2.PNG": PNG + b"2",
            "Ann/y-1.jpg": b"\xff\xd8\xff\xe0",
            "Ben/x.pdf": b"%PDF-1.7 ...",
            "Ben/.hidden": b"?",
        },
    )
    papers = read_papers(root, ["x", "y"])
    assert [(one.id, one.contestant, one.problem) for one in papers] == [
        ("Ann/x", "Ann", "x"),
        ("Ann/y", "Ann", "y"),
        ("Ben/x", "Ben", "x"),
    ]
    assert papers[0].text == "kitab — ëé"
    assert [page.media_type for page in papers[1].pages] == ["image/jpeg", "image/png", "image/png"]
    assert [page.content[-2:] for page in papers[1].pages[1:]] == [b"t2", b"10"]
    assert papers[2].pages[0].content.startswith(b"%PDF")


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("x.txt", b"loose", "a file outside a contestant's folder"),
        ("Ann/x.docx", b"PK", "a file of the kind '.docx'"),
        ("Ann/z.txt", b"text", "'z' names no problem"),
        ("Ann/x-1.txt", b"text", "'x-1' names no problem"),
        ("Ann/x.png", b"%PDF-1.7", "this is not image/png"),
        ("Ann/x.pdf", b"<html>", "this is not application/pdf"),
        ("Ann/x.png", b"\x89PNG\r\n\x1a\n", "an image of more than"),
        (
            "Ann/x.png",
            b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 1 << 16, 1 << 16),
            "an image of more than",
        ),
        ("Ann/x.txt", b"", "is empty"),
        ("Ann/x.txt", b"\xff\xfea\0", "this is UTF-16"),
        ("Ann/x.txt", b"a\0b", "a NUL byte"),
        ("Ann/x.png", b"", "is empty"),
    ],
)
def test_bad_papers_are_refused(tmp_path: Path, name: str, data: bytes, what: str) -> None:
    root = folder_of(tmp_path, {"Ben/x.txt": b"fine", name: data})
    with pytest.raises(InputError) as caught:
        read_papers(root, ["x", "y"])
    assert what in caught.value.message
    assert name.split("/")[-1] in caught.value.message


def test_links_out_of_the_folder_and_repeated_pages_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    root = folder_of(tmp_path, {"Ann/y.txt": b"text"})
    (root / "Ann/x.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(InputError, match=r"x\.txt is no file of this folder"):
        read_papers(root, ["x", "y"])
    (root / "Ann/x.txt").unlink()
    (root / "Ann/y-1.png").write_bytes(PNG)
    (root / "Ann/y_01.png").write_bytes(PNG)
    with pytest.raises(FormatError, match="the same page of problem y a second time"):
        read_papers(root, ["x", "y"])


def test_a_folder_without_papers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Ann").mkdir()
    with pytest.raises(InputError, match="holds no papers"):
        read_papers(tmp_path, ["x"])
    with pytest.raises(InputError, match="cannot be read"):
        read_papers(tmp_path / "absent", ["x"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("points = nan", "points must be a finite number"),
        ("points = inf", "points must be a finite number"),
        ("points = 3\nsteps = [2]", "a TOML table is wanted here"),
        ("", "the TOML table lacks points"),
    ],
)
def test_a_fault_of_a_rubric_is_called_by_its_format(line: str, said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        parse_rubric(f'problem = "x"\n[[criterion]]\nid = "a"\nkind = "theory"\n{line}\n')
    assert "JSON" not in caught.value.message + caught.value.hint


def test_a_rule_may_name_the_task_that_asks_for_it() -> None:
    text = 'problem = "x"\n[[criterion]]\nid = "a"\nkind = "theory"\ntask = "x1"\npoints = 2\n'
    rubric = parse_rubric(text)
    assert rubric.criteria[0].task == "x1"
    assert parse_rubric(render_rubric(rubric)) == rubric
    with pytest.raises(FormatError, match="of kind task names its task"):
        parse_rubric(text.replace("theory", "task").replace('task = "x1"\n', ""))
