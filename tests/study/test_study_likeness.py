"""Likeness: renamed and reformatted copies are found, unrelated scripts are not; outputs too."""

from __future__ import annotations

import ast
import itertools
import json
import random
from importlib import resources
from pathlib import Path

import pytest

from iolai.records import Prediction, PredictionSet
from iolai.study.likeness import (
    MIN_PRINTS,
    THRESHOLD,
    containment,
    fingerprints,
    likeness_tables,
    script_tokens,
)
from iolai.study.material import Material, StudyEntry
from iolai.study.tagging import TECHNIQUES, propose_techniques

SCRIPT = '''
"""Answer the tasks of a challenge."""
import csv, json, re
import torch
from collections import Counter

LIMIT = 1700  # seconds

def read_rows(path):
    """Read the test file."""
    with open(path, encoding="utf-8") as stream:
        return list(csv.DictReader(stream))

def split_items(query):
    found = re.findall(r"^(\\d+)[.)]", query, re.MULTILINE)
    return len(found) or 1

def vote(samples, anchor):
    result = []
    for place, best in enumerate(anchor):
        votes = Counter(sample[place] for sample in samples if place < len(sample))
        form, count = votes.most_common(1)[0]
        result.append(form if count >= 2 and count > votes[best] else best)
    return result

def main(rows, model, tokenizer):
    answers = {}
    for row in rows:
        prompt = "Solve step by step:\\n" + row["context"] + row["query"]
        inputs = tokenizer(prompt, return_tensors="pt").to(model.device)
        with torch.no_grad():
            drafts = model.generate(**inputs, num_return_sequences=4, do_sample=True)
        texts = [tokenizer.decode(draft, skip_special_tokens=True) for draft in drafts]
        items = [text.split("\\n")[: split_items(row["query"])] for text in texts]
        answers[row["id"]] = vote(items[1:], items[0])
    with open("submission.csv", "w") as stream:
        json.dump(answers, stream, ensure_ascii=False)
'''


class Renamer(ast.NodeTransformer):
    """Gives other names to the script's own variables, arguments and functions."""

    names: dict[str, str]

    def __init__(self) -> None:
        words = "samples anchor result place best votes form count rows model tokenizer answers row"
        words += " prompt inputs drafts texts items found query path stream vote read_rows"
        words += " split_items LIMIT draft text sample"
        self.names = {word: f"zz_{number}" for number, word in enumerate(words.split())}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        self.generic_visit(node)
        return node


def disguised(script: str) -> str:
    """Return the same program with other names, layout, texts, and its functions shuffled."""
    tree = Renamer().visit(ast.parse(script))
    tree.body = [node for node in tree.body if not isinstance(node, ast.Expr)]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    random.Random(1).shuffle(functions)  # noqa: S311
    tree.body = [*others, *functions]
    text = ast.unparse(tree).replace("Solve step by step", "Answer all of it")
    return text.replace(", ", ",   ").replace("1700", "900") + "\n# all my own work\n"


def unrelated_scripts() -> list[str]:
    """Return modules of the standard library of a script's length, by various hands."""
    folder = Path(str(resources.files("json"))).parent
    names = (
        *("csv", "shelve", "sched", "queue", "fnmatch", "bisect", "graphlib", "getopt", "cmd"),
        *("colorsys", "textwrap", "shlex", "netrc", "calendar", "difflib", "statistics", "gzip"),
        *("wave", "timeit", "zipapp", "trace", "tabnanny", "rlcompleter", "reprlib", "quopri"),
    )
    return [(folder / f"{name}.py").read_text(encoding="utf-8") for name in names]


def test_renaming_and_reformatting_change_no_token() -> None:
    renamed = ast.unparse(Renamer().visit(ast.parse(SCRIPT)))
    assert renamed != SCRIPT
    assert script_tokens(renamed) == script_tokens(ast.unparse(ast.parse(SCRIPT)))
    longer = SCRIPT.replace("(path, encoding", "(\n        path,\n        encoding")
    longer = longer.replace('"utf-8")', '"utf-8",\n    )').replace('"submission.csv"', '"a" "b"')
    assert script_tokens(longer) == script_tokens(SCRIPT)


def test_what_is_called_of_libraries_counts() -> None:
    assert script_tokens("import torch\ntorch.load(x)") != script_tokens(
        "import json\njson.dump(x)"
    )
    assert script_tokens("total = 1\nprint(total)") == script_tokens("n = 22\nprint(n)")
    assert script_tokens("def broken(:") is None
    assert fingerprints("def broken(:") == frozenset()


def test_a_disguised_copy_is_found_and_unrelated_scripts_are_not() -> None:
    copy = disguised(SCRIPT)
    assert containment(fingerprints(SCRIPT), fingerprints(copy)) > 0.6
    prints = [fingerprints(script) for script in unrelated_scripts()]
    assert all(len(one) >= MIN_PRINTS for one in prints)
    pairs = list(itertools.combinations(prints, 2))
    reached = sum(containment(one, other) >= THRESHOLD for one, other in pairs)
    assert reached / len(pairs) < 0.005
    assert not [o for o in prints if containment(fingerprints(SCRIPT), o) >= THRESHOLD]


def test_a_part_that_was_taken_over_is_found_in_a_longer_script() -> None:
    body = SCRIPT[SCRIPT.index("def split_items") :]
    longer = unrelated_scripts()[0] + "\n" + body
    assert containment(fingerprints(body), fingerprints(longer)) > 0.8


def test_the_table_lists_pairs_and_leaves_out_the_starting_point() -> None:
    starter = resources.files("iolai") / "entry" / "starters" / "baseline" / "script.py"
    same = starter.read_text(encoding="utf-8")
    entries = (
        StudyEntry("one", "north", script=SCRIPT),
        StudyEntry("two", "south", script=disguised(SCRIPT)),
        StudyEntry("three", "west", script=same),
        StudyEntry("four", "east", script=same),
        StudyEntry("five", "east", script=unrelated_scripts()[3]),
    )
    table = likeness_tables(Material(entries=entries))[0]
    assert [(row[0].value, row[1].value) for row in table.rows] == [("one", "two")]
    assert table.row("one")["teams"].value == "no"
    assert "2 are too short" in table.notes[0]


def predictions(answers: list[list[str]]) -> PredictionSet:
    return PredictionSet(tuple(Prediction.of_items(f"t{n}", own) for n, own in enumerate(answers)))


def test_outputs_that_agree_beyond_chance_are_found() -> None:
    draw = random.Random(0)  # noqa: S311
    entries = []
    for name in "abcdef":
        answers = [[draw.choice("xyzw") for _ in range(5)] for _ in range(10)]
        entries.append(StudyEntry(name, name, predictions=predictions(answers)))
    source = entries[0].predictions
    assert source is not None
    copied = predictions(
        [["x" if draw.random() < 0.1 else a for a in json.loads(row.text)] for row in source]
    )
    entries.append(StudyEntry("copy", "copy", predictions=copied))
    table = likeness_tables(Material(entries=tuple(entries), n_resamples=300))[1]
    first = table.rows[0]
    assert (first[0].value, first[1].value) == ("a", "copy")
    assert float(first[2].value or 0) > 0.85
    assert float(first[3].value or 0) == pytest.approx(0.25, abs=0.1)
    assert len(table.rows) <= 4  # at 90% a few of 20 unrelated pairs may stand above 0 by chance
    few = likeness_tables(Material(entries=tuple(entries[:3])))[1]
    assert few.reason == "fewer than four entries with predictions"


def test_what_is_expected_is_how_two_others_agree() -> None:
    rows = {"a": "xxxx", "b": "xxxx", "c": "xxyy", "d": "xyyz"}
    entries = tuple(
        StudyEntry(name, name, predictions=predictions([list(row)] * 5))
        for name, row in rows.items()
    )
    table = likeness_tables(Material(entries=entries, n_resamples=50))[1]
    first = table.row("a")
    assert first["second"].value == "b"
    assert (first["agreement"].value, first["expected"].value) == (1.0, 0.5)  # c and d: 2 of 4
    assert first["kappa"].value == 1.0


def test_techniques_are_proposed_from_what_a_script_uses() -> None:
    proposed = {p.technique: p for p in propose_techniques(SCRIPT)}
    assert set(proposed) == {"vote", "samples", "chain of thought"}
    assert SCRIPT.splitlines()[proposed["samples"].line - 1].count("num_return_sequences")
    assert proposed["chain of thought"].because == "“step by step”"
    assert [p.line for p in propose_techniques(SCRIPT)] == sorted(p.line for p in proposed.values())


def test_a_script_is_never_executed_and_comments_prove_nothing() -> None:
    assert propose_techniques("raise SystemExit(1)\n# vote few_shot vllm\n") == ()
    assert propose_techniques("def broken(:") == ()
    assert propose_techniques("devoted = 1\nprint(devoted, pivot.retrying)\n") == ()
    found = propose_techniques("from vllm import LLM\nllm = LLM('x.gguf', load_in_4bit=True)\n")
    assert [p.technique for p in found] == ["vllm", "quantised weights", "llama.cpp"]
    assert len({rule.technique for rule in TECHNIQUES}) == len(TECHNIQUES)
