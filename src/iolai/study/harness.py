"""The same tasks for lm-evaluation-harness: a folder of YAML and data, for its ``--include_path``.

One task file a condition, made from the same prompts and problems as inspect-ai's tasks. The
harness scores exact match of the whole reply itself; its figures are no official scores. Export
its samples (``--log_samples``) and score them with ``iolai score`` for those.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from iolai.files import write_whole
from iolai.records.study import Condition
from iolai.study.plan import make_plan
from iolai.study.study_file import BEST, Study, StudyModel
from iolai.version import __version__

__all__ = ["write_harness"]

_ASKED = StudyModel("the model", "any/model", sends=("seed",))


def write_harness(study: Study, folder: Path) -> tuple[str, ...]:
    """Write a task for each condition of a study, and a group of them all; return their names.

    The prompt ``best`` stands for ``lines`` here, since the harness does not look for formats.
    Raises OutputError where the folder cannot be written.
    """
    names = []
    done: set[Condition] = set()
    for condition in study.conditions:
        prompt = "lines" if condition.prompt == BEST else condition.prompt
        plain = Condition(prompt, condition.explanation, condition.context)
        if plain in done:
            continue
        done.add(plain)
        names.append(_write_task(study, plain, folder))
    group = {
        "group": "iolai",
        "task": names,
        "metadata": {"version": 1.0, "made_by": f"iolai {__version__}"},
    }
    write_whole(folder / "iolai.yaml", _yaml(group))
    return ("iolai", *names)


def _write_task(study: Study, condition: Condition, folder: Path) -> str:
    name = f"iolai_{condition.name.replace('+', '_').replace('-', '_')}"
    one = replace(study, conditions=(condition,), models=(_ASKED,), seeds=(0,), n_words=0)
    one = replace(one, formats=replace(one.formats, among=()))
    rows = [
        {
            "id": call.tasks[0].id,
            "problem": call.problem.id,
            "prompt": call.prompt,
            "reference": "\n".join(
                reference.alternatives[0] if reference.alternatives else ""
                for reference in call.keys[0].references
            ),
        }
        for call in make_plan(one).of_kind("task")
    ]
    data = folder / "data" / f"{name}.jsonl"
    write_whole(data, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    task = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data.resolve())}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "{{reference}}",
        "generation_kwargs": {
            "until": [],
            "do_sample": False,
            "temperature": 0.0,
            "repetition_penalty": 1.0,
            "max_gen_toks": study.spending.tokens,
        },
        "metric_list": [
            {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True},
            {"metric": "chrf", "aggregation": "chrf", "higher_is_better": True},
        ],
        "metadata": {"version": 1.0, "made_by": f"iolai {__version__}"},
    }
    write_whole(folder / f"{name}.yaml", _yaml(task))
    return name


def _yaml(table: Mapping[str, Any]) -> str:
    """Write YAML: every value is written as JSON, which YAML contains."""
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in table.items())
    return "\n".join(lines) + "\n"
