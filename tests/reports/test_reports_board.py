"""The board as a page, as rows, as CSV and in the terminal, with hostile names throughout."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console

from iolai.board import BoardEntry, make_board
from iolai.metrics import score_predictions, summarise
from iolai.records import (
    AnswerKey,
    Board,
    BoardLine,
    Difference,
    Prediction,
    PredictionSet,
    Reference,
    TaskKey,
)
from iolai.reports.board_html import board_files, render_board, render_board_table
from iolai.reports.board_rows import board_csv, board_rows
from iolai.reports.board_text import board_table, difference_lines, verdict
from iolai.reports.figures import count, hundredfold, interval_text, problem_label, time_text
from iolai.stats import Interval

HOSTILE = (
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "=HYPERLINK(\"http://evil.example\")",
    "[bold red]not markup[/]",
    "back\u202ewards\x1b[31m\x00",
    "a" * 200,
)  # fmt: skip
KEY = AnswerKey(
    (
        TaskKey("12026010100", tuple(Reference((x,)) for x in "ABC"), "public", 1, "match_letters"),
        TaskKey("12026020100", (Reference(("ama",)),), "private", 2, "translation"),
        TaskKey("12026020200", (Reference(("why",)),), "private", 0, "fill_blanks"),
    )
)


def _entry(team: str, letters: str, word: str, explanation: str = "") -> BoardEntry:
    rows = PredictionSet(
        (
            Prediction.of_items("12026010100", letters, explanation),
            Prediction.of_items("12026020100", [word], explanation),
        )
    )
    return BoardEntry(team, score=score_predictions(rows, KEY), predictions=rows)


@pytest.fixture
def board() -> Board:
    """Seven hostile teams, one of each state."""
    line = BoardLine(4, HOSTILE[2], "organizer", 0.2, 0.1, 0.4, "2026-07-26 15:40:43", 100.0)
    unequal = (Difference("<b>score</b>", 0.5, 0.25), Difference("n_read", 3, None))
    entries = [
        replace(
            _entry(HOSTILE[0], "ABC", "ama", "<i>It</i> ends in"),
            differences=(),
            published=replace(line, rank=1),
        ),
        replace(
            _entry(HOSTILE[1], "ABC", "amo", "<i>It</i> ends in"),
            differences=unequal,
            published=replace(line, rank=7),
        ),
        BoardEntry(HOSTILE[2], published=line, account_type="organizer", model="</td>"),
        _entry(HOSTILE[3], "ACB", "amo"),
        _entry(HOSTILE[4], "BCA", "o"),
        BoardEntry(HOSTILE[5]),
        _entry(HOSTILE[6], "CAB", ""),
    ]
    return make_board(entries, KEY, summarise, name="test", n_resamples=200)


def test_a_baseline_is_marked_in_every_form() -> None:
    entries = [
        replace(_entry("Reference", "ABC", "ama"), account_type="baseline"),
        _entry("A team", "ACB", "amo"),
    ]
    board = make_board(entries, KEY, summarise, n_resamples=20)
    page = " ".join(_Page(render_board(board, title="Board")).text)
    assert "1 entry and 1 baseline" in page
    assert "nobody loses a place by them" in page
    text = render_board_table(board)
    assert '<bdi>Reference</bdi> <span class="tag">baseline</span>' in text
    assert 'data-of="rank" data-sort="0.5"></td>' in text
    assert text.count('class="tag"') == 1
    rows = board_rows(board)
    assert [(row["rank"], row["account_type"]) for row in rows] == [(None, "baseline"), (1, "")]
    assert [line.split(",")[:3] for line in board_csv(board).splitlines()[1:]] == [
        ["", "Reference", "baseline"],
        ["1", "A team", ""],
    ]
    console = Console(width=100, file=io.StringIO(), force_terminal=False)
    console.print(board_table(board, 100))
    shown = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert shown[1].split()[0] == "Reference"
    assert shown[1].split()[-1] == "baseline"


@pytest.fixture
def page(board: Board) -> str:
    return render_board(board, title="Board & <co>")


class _Page(HTMLParser):
    """Checks that tags nest, and collects what a test asks about."""

    VOID = ("meta", "input", "line", "circle", "br")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "script"}:
            self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_page_is_well_formed_with_unique_ids(page: str) -> None:
    parsed = _Page(page)
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert len(parsed.ids) == len(set(parsed.ids))
    labels = {tag.get("for") for tag in parsed.named("label")}
    assert labels == {tag["id"] for tag in parsed.named("input")}
    targets = {(tag["href"] or "").removeprefix("#") for tag in parsed.named("a")}
    assert targets <= set(parsed.ids)
    described = {tag["aria-labelledby"] for _, tag in parsed.tags if "aria-labelledby" in tag}
    assert described <= set(parsed.ids)


def test_page_asks_for_nothing_from_elsewhere(page: str) -> None:
    parsed = _Page(page)
    for tag, attributes in parsed.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form", "image"}
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in page
    assert "@import" not in page
    # The one address in the page is a hostile team's name, and it is text.
    assert re.findall(r"\w+://[^&\"<]*", page.replace("http://evil.example", "")) == []


def test_policy_allows_the_one_script_and_no_request(page: str) -> None:
    import base64
    import hashlib

    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = [tag["content"] or "" for tag in _Page(page).named("meta") if "http-equiv" in tag]
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_hostile_names_are_text(page: str, board: Board) -> None:
    parsed = _Page(page)
    text = "".join(parsed.text)
    for name in (*HOSTILE[:5], HOSTILE[6], "Board & <co>", "<b>score</b>", "<i>It</i> ends in"):
        assert name in text
    assert len(parsed.named("script")) == 1
    assert not parsed.named("img")
    assert not parsed.named("i")
    assert not any(name.startswith("on") for _, tag in parsed.tags for name in tag)
    assert "back�wards�[31m�" in text
    assert not set(page) & {"\u202e", "\x1b", "\x00"}


def test_every_row_and_column_has_its_head(page: str, board: Board) -> None:
    parsed = _Page(page)
    scopes = [tag.get("scope") for tag in parsed.named("th")]
    assert None not in scopes
    assert len(parsed.named("caption")) == len(parsed.named("table"))
    assert scopes.count("row") >= len(board.rows)
    regions = [tag for tag in parsed.named("div") if tag.get("role") == "region"]
    assert len(regions) == len(parsed.named("table"))
    assert all(tag["tabindex"] == "0" and tag["aria-labelledby"] for tag in regions)


def test_rows_have_as_many_cells_as_the_head(page: str) -> None:
    (table,) = re.findall(r'<table class="board.*?</table>', page, re.S)
    head, body = table.split("<tbody>")
    spans = sum(int(n) for n in re.findall(r'scope="colgroup" colspan="(\d+)"', head))
    n_columns = len(re.findall(r'scope="col"', head))
    assert spans == len(re.findall(r'scope="col" class="[^"]*group-(?:types|problems|rates)', head))
    for row in re.findall(r"<tr.*?</tr>", body, re.S):
        assert len(re.findall(r"<t[dh]\b", row)) == n_columns


def test_states_are_said_in_words(page: str) -> None:
    text = "".join(_Page(page).text)
    for words in ("published only", "differs", "not scored", "recomputed", "scored"):
        assert words in text
    assert "1 of 2 came out as published" in text
    assert "There is no record to score again" in text


def test_figures_are_hundredfold_with_two_decimals(page: str, board: Board) -> None:
    text = "".join(_Page(page).text)
    for row in board.rows:
        assert hundredfold(row.score) in text
        assert interval_text(row.interval) in text
    assert re.search(r"90%\s*interval", text)
    assert "seed 0" in text
    assert board.signature in text


def test_drawn_intervals_lie_on_their_scale(page: str, board: Board) -> None:
    (table,) = re.findall(r'<table class="board.*?</table>', page, re.S)
    ticks = {
        float(label) / 100: float(x)
        for x, label in re.findall(r'<text x="([\d.]+)%"[^>]*>(\d+)</text>', table)
    }
    left, right, top = ticks[0.0], max(ticks.values()), max(ticks)
    assert 0 < left < right < 100  # a point at either end is drawn whole
    first = board.rows[0]
    assert first.interval is not None
    low, high = re.findall(r'class="range" x1="([\d.]+)%" x2="([\d.]+)%"', table)[0]
    for drawn, value in ((low, first.interval.low), (high, first.interval.high)):
        assert float(drawn) == pytest.approx(left + value / top * (right - left), abs=0.02)
    assert top >= max(row.interval.high for row in board.rows if row.interval)


def test_differences_have_a_section_only_where_there_are_any(page: str, board: Board) -> None:
    assert 'id="differences"' in page
    calm = replace(board, rows=tuple(replace(row, differences=(), published_rank=None)
                                     for row in board.rows))  # fmt: skip
    assert 'id="differences"' not in render_board(calm, title="x")


def test_page_of_a_board_with_nothing_published() -> None:
    entries = [_entry("induction", "ABC", "ama"), _entry("echo", "BBB", "x")]
    board = make_board(entries, KEY, summarise, n_resamples=50)
    page = render_board(
        board, title="Demo", intro="Two solvers.", problem_titles={"1202601": "One"}
    )
    text = "".join(_Page(page).text)
    assert "Two solvers." in text
    assert "published" not in text
    assert 'id="view-about"' not in page
    assert "One" in text


@pytest.mark.parametrize("n_entries", [0, 1])
def test_page_of_hardly_anything(n_entries: int) -> None:
    key = AnswerKey((TaskKey("1", (Reference(("a",)),), points=0.0),))
    rows = PredictionSet((Prediction("1", "a"),))
    entries = [BoardEntry("only", score=score_predictions(rows, key), predictions=rows)]
    board = make_board(entries[:n_entries], key, summarise)
    text = "".join(_Page(render_board(board, title="Empty")).text)
    assert "no intervals and no bands" in text
    assert board_csv(board).startswith("rank,team,")
    Console(file=io.StringIO()).print(board_table(board))


def test_json_rows_keep_the_contract(board: Board) -> None:
    rows = board_rows(board)
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    for row in rows:
        assert list(row)[:7] == [
            "rank", "team", "score", "exact_match", "chrf", "interval", "band",
        ]  # fmt: skip
        assert "equal" not in row
    first = rows[0]
    assert first["team"] == HOSTILE[0]
    interval = board.rows[0].interval
    assert interval is not None
    assert first["interval"] == [round(interval.low, 4), round(interval.high, 4)]
    assert first["exact_match_above_chance"] == round(1 - 1 / 9, 4)
    assert first["by_problem"]["1202601"]["score"] == pytest.approx(1.0)


def test_json_rows_of_a_verification(board: Board) -> None:
    by_team = {row["team"]: row for row in board_rows(board, verify=True)}
    assert by_team[HOSTILE[0]]["equal"] is True
    assert by_team[HOSTILE[1]]["equal"] is False
    assert by_team[HOSTILE[1]]["differs"][0] == {
        "field": "<b>score</b>", "published": 0.5, "computed": 0.25,
    }  # fmt: skip
    assert by_team[HOSTILE[2]]["equal"] is None
    assert by_team[HOSTILE[2]]["differs"] == []


def test_csv_is_read_back(board: Board) -> None:
    rows = list(csv.DictReader(io.StringIO(board_csv(board))))
    assert len(rows) == len(board.rows)
    assert rows[0]["score"] == hundredfold(board.rows[0].score)
    assert rows[0]["team"] == HOSTILE[0]
    assert rows[0]["score_problem_1202602"] == "100.00"
    by_state = {row["state"]: row for row in rows}
    assert by_state["unscored"]["rank"] == ""
    assert by_state["published"]["interval_low"] == ""
    assert by_state["published"]["explanation_rate_pct"] == "100.00"
    # A spreadsheet would run this one.
    assert f"'{HOSTILE[3]}" in [row["team"] for row in rows]


def test_terminal_table_shows_names_as_they_are(board: Board) -> None:
    target = io.StringIO()
    Console(file=target, width=300).print(board_table(board, width=300))
    shown = target.getvalue()
    for name in (*HOSTILE[:5], HOSTILE[6]):
        assert name in shown
    assert "\x1b" not in shown
    assert "published only" in shown


def test_terminal_table_fits_80_columns_and_keeps_its_figures(board: Board) -> None:
    target = io.StringIO()
    Console(file=target, width=80).print(board_table(board))
    lines = target.getvalue().splitlines()
    assert len(lines) == len(board.rows) + 1
    assert max(map(len, lines)) <= 80
    assert interval_text(board.rows[0].interval) in lines[1]
    assert hundredfold(board.rows[0].chrf) in lines[1]


def test_verdict_in_words(board: Board) -> None:
    assert verdict(board) == (
        "1 of 2 equal to their published figures; 1 rank of 7 other than published; "
        "1 row without a record not recomputed."
    )
    equal = replace(
        board,
        rows=board.rows[:1],
        summary=replace(board.summary, n_equal=23, n_differ=0, n_published_only=0),
    )
    assert verdict(equal) == "23 of 23 equal to their published figures; all ranks as published."
    nothing = replace(board, summary=replace(board.summary, n_equal=0, n_differ=0))
    assert "Nothing was published" in verdict(nothing)


def test_each_difference_has_a_line(board: Board) -> None:
    lines = difference_lines(board)
    assert [line.removeprefix(HOSTILE[1]) for line in lines] == [
        ": <b>score</b>: published 0.5, computed 0.25",
        ": n_read: published 3, computed None",
        ": rank: published 7, computed 2",
    ]


def test_many_differences_are_counted(board: Board) -> None:
    row = replace(
        board.rows[1],
        published_rank=None,
        differences=tuple(Difference(f"figure {n}", n, None) for n in range(12)),
    )
    lines = difference_lines(replace(board, rows=(row,)))
    assert len(lines) == 9
    assert "figure 7" in lines[7]
    assert "4 more figures" in lines[8]


@pytest.mark.parametrize(
    ("problem", "label"),
    [("1202605", "5"), ("01202611", "11"), ("1000107", "7"), ("my-task", "my-task"), ("7", "7")],
)
def test_problem_label(problem: str, label: str) -> None:
    assert problem_label(problem) == label


def test_figures() -> None:
    assert hundredfold(0.197873) == "19.79"
    assert hundredfold(None) == "–"
    assert interval_text(Interval(0.12118, 0.26319)) == "12.12–26.32"
    assert (count(1, "entry", "entries"), count(2, "entry", "entries")) == ("1 entry", "2 entries")


@pytest.mark.parametrize(("n_problems", "printed"), [(8, True), (9, False)])
def test_many_problems_are_left_out_of_print(n_problems: int, printed: bool) -> None:
    key = AnswerKey(
        tuple(TaskKey(f"120260{n}0100", (Reference(("a",)),)) for n in range(1, n_problems + 1))
    )
    rows = PredictionSet(())
    entry = BoardEntry("x", score=score_predictions(rows, key), predictions=rows)
    page = render_board(make_board([entry], key, summarise, n_resamples=10), title="x")
    assert ('class="board many"' not in page) is printed


def test_the_table_alone_is_a_section_with_links_that_are_escaped(board: Board) -> None:
    table = render_board_table(board, links={HOSTILE[0]: '/x?a="b"', HOSTILE[5]: "/y"})
    assert table.strip().startswith("<section")
    assert table.count("<section") == table.count("</section>") == 1
    assert table.count("<a ") == 2
    assert '<a href="/x?a=&#34;b&#34;"><bdi>&lt;script' in table
    assert "<script" not in table
    assert "style=" not in table  # a page's policy may forbid it
    assert set(board_files()) == {"board.css", "board.js"}


def test_times_are_written_as_the_challenge_wrote_them() -> None:
    assert time_text("2026-07-06T08:36:00.000000Z") == "2026-07-06 08:36:00"
    for other in ("2026-07-25 14:08:29", "", "yesterday", "2026-07-06T08:36:00+02:00"):
        assert time_text(other) == other


def test_a_board_without_news_of_states_has_no_column_for_them() -> None:
    plain = make_board([_entry("A", "ABC", "ama")], KEY, summarise, n_resamples=20)
    assert "State" not in render_board_table(plain)
