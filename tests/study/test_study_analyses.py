"""The analyses: on planted truth they find what was planted; without data they say why."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest

from iolai.metrics import score_predictions
from iolai.records import Cell, Condition, ItemScore, Outcome, Prediction, PredictionSet, Table
from iolai.study.comparing import corrected
from iolai.study.ensembles import BEST, MEASURED, ORACLE, VERIFIED, VOTED, ensemble_tables
from iolai.study.material import JuryFigure, Material, StudyEntry
from iolai.study.registry import ANALYSES
from iolai.study.robustness import CHOICES, normalise_without, rescored
from iolai.study.scores import model_order
from iolai.study.simulating import PlantedModel
from iolai.text import normalise_answer
from planted import KEY, MODELS, PLAIN, PROBLEMS, WORLD, builtin_outcomes, simulated_study


@cache
def planted_study() -> Material:
    """Made once, and not while tests are collected."""
    return simulated_study()


@cache
def planted_tables() -> dict[str, Table]:
    return {t.name: t for analysis in ANALYSES.values() for t in analysis(planted_study())}


def cells(table: Table) -> list[Cell]:
    return [cell for row in table.rows for cell in row]


def figure(name: str, row: str, column: str) -> Cell:
    return planted_tables()[name].row(row)[column]


def test_every_analysis_says_why_where_there_is_nothing() -> None:
    for analysis in ANALYSES.values():
        for table in analysis(Material()):
            assert table.rows == ()
            assert table.reason
            assert len({column.name for column in table.columns}) == len(table.columns)


def test_names_of_tables_are_their_own() -> None:
    names = [table.name for analysis in ANALYSES.values() for table in analysis(Material())]
    assert len(set(names)) == len(names)


def test_no_cell_is_empty_without_a_reason_and_figures_of_models_are_marked() -> None:
    for table in planted_tables().values():
        for cell in cells(table):
            assert cell.value is not None or cell.reason
            if cell.interval is not None:
                assert cell.synthetic, table.name


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_scores_lie_about_the_planted_ability(model: PlantedModel) -> None:
    cell = figure("models", model.name, "exact_match")
    assert isinstance(cell.value, float)
    assert cell.value == pytest.approx(model.expected(PLAIN, WORLD), abs=0.12)
    assert (cell.n, cell.n_seeds) == (24, 2)
    assert cell.interval is not None
    assert cell.interval.low < cell.value < cell.interval.high
    score, chrf = (figure("models", model.name, name).value for name in ("score", "chrf"))
    assert isinstance(score, float)
    assert isinstance(chrf, float)
    assert score == pytest.approx(math.sqrt(cell.value * chrf))


def test_models_stand_in_order_and_neighbours_differ() -> None:
    assert model_order(planted_study()) == ("strong", "middle", "weak")
    row = planted_tables()["model-differences"].row("strong")
    assert row["next"].value == "middle"
    one, other = (figure("models", m, "score").value for m in ("strong", "middle"))
    assert isinstance(one, float)
    assert isinstance(other, float)
    assert row["difference"].value == pytest.approx(one - other)
    p = row["p"].value
    assert isinstance(p, float)
    assert p < 0.01


def test_a_models_figures_by_type_are_of_those_tasks_alone() -> None:
    own = [
        o for o in planted_study().compared if o.model == "weak" and o.task_type == "fill_blanks"
    ]
    em = sum(o.exact_match for o in own) / len(own)
    chrf = sum(o.chrf for o in own) / len(own)
    assert figure("models-by-type", "weak", "fill_blanks").value == pytest.approx(
        math.sqrt(em * chrf)
    )
    problem = own[0].problem
    of_problem = [o for o in planted_study().compared if o.model == "weak" and o.problem == problem]
    em = sum(o.exact_match for o in of_problem) / len(of_problem)
    assert figure("models-by-problem", "weak", problem).value == pytest.approx(em)


def test_calls_that_failed_are_counted_by_state_and_score_nothing() -> None:
    first = planted_study().compared[0]
    blank = replace(first, state="timeout", text="", items=(ItemScore("", 0, 0),) * 3, task="late")
    material = replace(planted_study(), outcomes=(first, blank))
    tables = {table.name: table for table in ANALYSES["scores"](material)}
    states = tables["states"].row(first.model)
    assert [states[s].value for s in ("calls", "answered", "timeout", "error")] == [2, 1, 1, 0]
    assert tables["models"].row(first.model)["failed"].value == 1
    assert tables["models"].row(first.model)["exact_match"].value == first.exact_match / 2


def test_the_ablations_effect_is_found_where_it_was_planted() -> None:
    for model in MODELS:
        truth = model.expected(Condition(context="ablated"), WORLD) - model.expected(PLAIN, WORLD)
        cell = figure("ablation", model.name, "exact_match")
        assert cell.value == pytest.approx(truth, abs=0.09)
        assert cell.interval is not None
        assert cell.interval.level == 0.95
    p_values = {m.name: figure("ablation", m.name, "exact_match_p").value for m in MODELS}
    assert p_values["strong"] == pytest.approx(3 / 801, abs=0.006)  # the smallest, three times
    assert isinstance(p_values["weak"], float)
    assert p_values["weak"] > 0.05
    problems = planted_tables()["ablation-problems"]
    assert len(problems.rows) == 8
    mean = sum(float(row[2].value or 0) for row in problems.rows) / 8
    overall = sum(float(figure("ablation", m.name, "exact_match").value or 0) for m in MODELS) / 3
    assert mean == pytest.approx(overall)
    assert {row[2].n for row in problems.rows} == {6}  # three models, two seeds


def test_the_explanations_effect_is_paired_too() -> None:
    strong = figure("explanation", "strong", "exact_match")
    truth = MODELS[1].expected(Condition(explanation=True), WORLD)
    assert strong.value == pytest.approx(truth - MODELS[1].expected(PLAIN, WORLD), abs=0.08)
    assert planted_tables()["explanation"].row("weak")["difference"].n == 24


def test_each_model_may_be_compared_under_its_own_condition() -> None:
    json = Condition("json")
    mine = [
        replace(o, condition=replace(o.condition, prompt="json"))
        for o in planted_study().tasks
        if o.model == "weak"
    ]
    others = [o for o in planted_study().tasks if o.model != "weak"]
    material = replace(planted_study(), outcomes=(*others, *mine), bases={"weak": json})
    tables = {t.name: t for name in ("scores", "ablation") for t in ANALYSES[name](material)}
    for name, column in (("models", "score"), ("ablation", "difference")):
        for model in ("weak", "strong"):
            assert tables[name].row(model)[column].value == figure(name, model, column).value
    assert "weak: json" in tables["models"].notes[0]
    assert "json+ablated minus json" in tables["ablation"].notes[0]
    changes = [cell.value for cell in planted_tables()["ablation-problems"].column("difference")]
    again = [cell.value for cell in tables["ablation-problems"].column("difference")]
    assert again == pytest.approx(changes)


def test_corrections_leave_cells_without_a_test_alone() -> None:
    some = corrected([Cell(1.0, p=0.01), Cell(None, reason="x"), Cell(2.0, p=0.04)])
    assert [cell.p for cell in some] == [0.02, None, 0.04]


def test_the_oracle_is_a_ceiling_and_says_so() -> None:
    table = planted_tables()["ensembles"]
    oracle = table.row(ORACLE)
    best = table.row(f"{BEST}: strong")
    assert float(oracle["score"].value or 0) >= float(best["score"].value or 0)
    assert float(oracle["difference"].value or 0) > 0
    assert any("ceiling" in note for note in table.notes)
    shares = [
        float(cell.value or 0) for cell in planted_tables()["ensemble-shares"].column("oracle")
    ]
    assert sum(shares) == pytest.approx(1)
    assert "no model says" in table.row("confidence")["score"].reason
    assert "is known to have rules" in table.row(VERIFIED)["score"].reason
    assert "of no model alone" in table.row(MEASURED)["score"].reason


def answer(model: str, texts: str, right: str, **rest: object) -> Outcome:
    items = tuple(
        ItemScore(t, float(t == r), float(t == r))
        for t, r in zip(texts.split(), right.split(), strict=True)
    )
    made = Outcome(model, PLAIN, 0, "p", str(rest.pop("task", "t1")), items)
    return replace(made, **rest)  # type: ignore[arg-type]


def test_choices_among_answers() -> None:
    outcomes = [
        answer("a", "x y", "x z", consistency=0.2, confidence=(0.9, 0.9)),
        answer("b", "X w", "x z", consistency=1.0, confidence=(0.1, 0.1)),
        answer("c", "q w", "x z", confidence=(0.5, 0.4)),
        answer("a", "m", "m", task="t2"),
        answer("b", "n", "m", task="t2"),
        answer("c", "n", "m", task="t2"),
    ]
    tables = ensemble_tables(Material(tuple(outcomes), n_resamples=50))
    rows = {str(row[0].value): row for row in tables[0].rows}
    assert rows[ORACLE][2].value == 0.75  # a's first item and its whole second task
    assert rows["vote"][2].value == 0.25  # x twice (case does not count), w and n outvote
    assert rows["confidence"][2].value == 0.25  # a in the first task, the vote in the second
    assert rows[VERIFIED][2].value == 0.0  # b's X is not its reference
    assert [cell.value for cell in tables[1].column("oracle")] == [1.0, 0.0, 0.0, 0.0]
    decided = tables[0].row(VERIFIED)
    assert (decided["decided"].value, decided["decided"].n) == (0.5, 2)
    shares = {str(row[0].value): row for row in tables[1].rows}
    assert [shares[m][2].value for m in ("a", "b", VOTED)] == [0.0, 0.5, 0.5]
    assert shares["c"][2].reason == "its consistency is not measured"
    assert any("measured of: a, b" in n and "run: c." in n for n in tables[0].notes)


def test_a_weak_models_doubtful_rules_do_not_beat_models_that_were_not_measured() -> None:
    right = [f"w{n}" for n in range(12)]
    outcomes = []
    for place, word in enumerate(right):
        task = f"t{place}"
        share = 1.0 if place < 3 else 0.4  # whole rules are right, doubtful ones wrong
        given = word if share == 1.0 else "x"
        outcomes.append(answer("rules", given, word, task=task, consistency=share))
        wrong = place in (0, 5)  # where the others err, one of the tasks is one of whole rules
        said = "y" if wrong else word
        outcomes += [answer(name, said, word, task=task) for name in ("one", "two")]
    outcomes += [replace(o, model="other", consistency=0.3) for o in outcomes if o.model == "one"]
    table, shares = ensemble_tables(Material(tuple(outcomes), n_resamples=200))
    verified, vote = table.row(VERIFIED), table.row("vote")
    assert vote["exact_match"].value == pytest.approx(10 / 12)
    assert verified["exact_match"].value == pytest.approx(11 / 12)
    assert (verified["gain"].value, verified["gain"].n) == (pytest.approx(1 / 3), 3)
    assert verified["best"].value == "one"
    # Among the measured alone the doubtful rules do win, and are seen to be worse than the best.
    measured = table.row(MEASURED)
    assert measured["exact_match"].value == pytest.approx(3 / 12)
    assert measured["best"].value == "other"
    assert float(measured["difference"].value or 0) < 0
    assert [row[2].reason for row in shares.rows[1:3]] == ["its consistency is not measured"] * 2


def test_a_model_asked_with_one_seed_stands_beside_every_seed_of_the_others() -> None:
    outcomes = [answer("fixed", "x", "x", task=f"t{n}") for n in range(3)]
    outcomes += [
        replace(answer("drawn", "y", "x", task=f"t{n}"), seed=seed)
        for n in range(3)
        for seed in (0, 4)
    ]
    table, shares = ensemble_tables(Material(tuple(outcomes), n_resamples=50))
    assert (table.row(ORACLE)["score"].n, table.row(ORACLE)["score"].n_seeds) == (3, 2)
    assert shares.row("fixed")["oracle"].n == 6


def test_blank_answers_have_no_vote() -> None:
    outcomes = [
        replace(answer(name, "x", "x"), items=(ItemScore(text, float(text == "x"), 0.5),))
        for name, text in (("a", ""), ("b", " "), ("c", "x"))
    ]
    table = ensemble_tables(Material(tuple(outcomes), n_resamples=50))[0]
    assert table.row("vote")["exact_match"].value == 1


def test_the_official_way_is_taken_apart_completely() -> None:
    whole = normalise_without("")
    for text in (" 'Kati..' ", "e\u0301", "\u2018a  b\u2019", '"x', "KA\tti .", "'", "'a.'"):
        assert whole(text) == normalise_answer(text)
    for name, changed in (
        ("NFC", "e\u0301"),
        ("lower case", "Kati"),
        ("final periods off", "kati."),
        ("a pair of quotes off", "'kati'"),
        ("curly quotes made straight", "ka\u2019ti"),
        ("runs of white space one space", "ka  ti"),
    ):
        assert normalise_without(name)(changed) != normalise_answer(changed), name


def test_each_choice_of_reading_moves_what_it_should() -> None:
    key = KEY.tasks[0]
    right = [reference.alternatives[0] for reference in key.references]
    one = builtin_outcomes(MODELS[0])[0]
    moved = {choice.name: choice for choice in CHOICES}

    def em(text: str, name: str) -> float:
        return rescored(replace(one, text=text), key, moved[name]).exact_match

    labelled = "\n".join(f"{n}. {text}" for n, text in enumerate(right, start=1))
    official = "without: nothing"
    moved[official] = replace(CHOICES[0], read=moved["without: NFC"].read)
    assert em(labelled, official) == 1
    assert em(labelled, "reading: labels before lines are kept") == 0
    listed = Prediction.of_items(key.id, right).text
    assert em(listed, "reading: JSON lists are not understood") == 0
    assert em(labelled, "reading: JSON lists are not understood") == 1
    assert em(f"{labelled}\nextra", official) == 1
    assert em(f"{labelled}\nextra", "reading: a wrong count gives nothing") == 0
    assert em(f"preamble\n{labelled}", "reading: of too many the last count") == 1
    assert em(f"preamble\n{labelled}", official) == 0
    assert em(labelled.replace("1. ", "(1) "), "reading: lenient") == 1


def test_robustness_shows_official_and_lenient_beside_each_other() -> None:
    clean = builtin_outcomes(PlantedModel("clean", 0.5))
    messy = tuple(
        replace(o, model="messy", text=f"Answers: {'; '.join(i.predicted for i in o.items)}")
        for o in clean
    )
    outcomes = tuple(
        rescored(o, key, replace(CHOICES[0], read=CHOICES[-1].read))
        for o in (*clean, *messy)
        if (key := KEY.get(o.task)) is not None
    )
    material = Material(outcomes, PROBLEMS, KEY, n_resamples=200)
    reading, choices = ANALYSES["robustness"](material)
    row = reading.row("messy")
    assert float(row["lenient"].value or 0) > float(row["official"].value or 0) + 0.1
    assert reading.row("clean")["difference"].value == pytest.approx(0, abs=1e-9)
    assert row["rank"].value == 2
    assert choices.row("reading: lenient")["model"].value == "messy"
    assert choices.row("without: NFC")["mean"].value == 0
    predictions = PredictionSet(tuple(Prediction(o.task, o.text) for o in clean))
    part = replace(KEY, tasks=tuple(t for t in KEY if predictions.get(t.id)))
    score = score_predictions(predictions, part).overall.score
    assert reading.row("clean")["official"].value == pytest.approx(score)


def test_jury_and_automatic_stand_beside_each_other() -> None:
    figures = tuple(
        JuryFigure(name, problem, jury, automatic)
        for problem, jury, automatic in (("p1", 0.5, 0.2), ("p2", 0.4, 0.4))
        for name in ("a", "b", "c")
    )
    figures += (JuryFigure("person", "p1", 0.9, kind="people"),)
    figures += (JuryFigure("a", "p1", 0.0, 0.9, criterion="one line of the rubric"),)
    plain, by_problem = ANALYSES["jury"](Material(jury=figures, n_resamples=100))
    assert len(plain.rows) == 7
    assert plain.row("person")["automatic"].reason == "people have no automatic score"
    assert by_problem.row("p1")["difference"].value == pytest.approx(0.3)
    assert by_problem.row("p1")["difference"].n == 3
    assert by_problem.row("p2")["difference"].value == 0


def test_techniques_are_compared_within_teams() -> None:
    entries = []
    for number, team in enumerate(("north", "south", "west")):
        for run in range(6):
            tags = ("vote",) if run % 2 else ()
            private = 0.1 * number + 0.05 * bool(tags) + 0.001 * ((run * 7 + number) % 5)
            entries.append(StudyEntry(f"{team}{run}", team, private=private, techniques=tags))
    entries.append(StudyEntry("alone", "east", private=0.9, techniques=("vote", "rules")))
    effects, runs, _ = ANALYSES["techniques"](Material(entries=tuple(entries), n_resamples=500))
    vote = effects.row("vote")
    assert vote["effect"].value == pytest.approx(0.05, abs=0.002)
    assert (vote["effect"].n, vote["runs"].value, vote["teams"].value) == (18, 10, 3)
    interval = vote["effect"].interval
    assert interval is not None
    assert 0.04 < interval.low < 0.05 < interval.high < 0.06
    assert effects.row("rules")["effect"].reason == "no team has runs with it and without"
    assert len(runs.rows) == 19


def test_power_grows_with_the_difference_and_names_what_it_cannot_know() -> None:
    row = planted_tables()["power"].row("strong")
    needed = [float(row[f"tasks_{d}"].value or 0) for d in (5, 10, 20)]
    assert needed == sorted(needed, reverse=True)
    assert needed[1] == pytest.approx(float(row["normal_10"].value or 0), rel=0.45)
    twins = tuple(
        replace(o, model=name) for o in planted_study().compared[:8] for name in ("a", "b")
    )
    (table,) = ANALYSES["power"](Material(twins))
    assert table.row("a")["spread"].reason == "no task tells the two apart"
