"""A small invented problem set, its key and predictions: what many tests work on."""

from __future__ import annotations

from iolai.records import (
    AnswerKey,
    Prediction,
    PredictionSet,
    ProblemSet,
    Reference,
    Task,
    TaskKey,
    group_tasks,
)

CONTEXT = (
    "Words of Ulan and their meanings:\nkati – house\nkatin – houses\npelo – dog\npelon – dogs"
)

TASKS = (
    Task(
        id="10000010100",
        context=CONTEXT,
        query="Translate into English:\n1. katin\n2. pelo",
        task_type="translation",
        eval_type="multi",
        work_lang="eng_Latn",
        task_lang=("art_Latn",),
    ),
    Task(
        id="10000010200",
        context=CONTEXT,
        query="Translate into Ulan:\n3. dogs",
        task_type="translation",
        eval_type="single",
        work_lang="eng_Latn",
        task_lang=("art_Latn",),
    ),
    Task(
        id="10000020100",
        context="1. sa\n2. sasa\n3. ri\n\nA. two\nB. one\nC. three",
        query="Match the numerals with their meanings.",
        task_type="match_letters",
        eval_type="single",
        work_lang="eng_Latn",
        task_lang=("art_Latn",),
    ),
)
PROBLEMS = ProblemSet(group_tasks(TASKS), "sample")
KEY = AnswerKey(
    (
        TaskKey(
            TASKS[0].id,
            (Reference(("houses",), as_list=True), Reference(("dog", "a dog"), as_list=True)),
            split="public",
            points=2,
            task_type="translation",
            eval_type="multi",
        ),
        TaskKey(
            TASKS[1].id,
            (Reference(("pelon",)),),
            split="private",
            points=1,
            task_type="translation",
        ),
        TaskKey(
            TASKS[2].id,
            (Reference(("B",)), Reference(("A",)), Reference(("C",))),
            split="public",
            points=1,
            task_type="match_letters",
        ),
    ),
    "sample",
)
PERFECT = PredictionSet(
    tuple(
        Prediction.of_items(task.id, [reference.alternatives[0] for reference in task.references])
        for task in KEY
    )
)
