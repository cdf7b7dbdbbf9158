"""The words of the field as frozen dataclasses; a change returns a new record.

problem -> solver -> predictions -> reading -> scores -> board -> jury -> report
"""

from iolai.records.answer import Candidate, ItemAnswer, TaskAnswer
from iolai.records.archive import ArchivedEntry, BoardLine, PublishedTask, Records
from iolai.records.board import (
    Board,
    BoardRow,
    Difference,
    ExplanationUse,
    Resampling,
    SharedExplanation,
    SimilarPair,
    Summary,
    TaskLine,
)
from iolai.records.key import EVAL_TYPES, SPLITS, AnswerKey, Reference, TaskKey
from iolai.records.prediction import Prediction, PredictionSet
from iolai.records.problem import (
    TASK_TYPES,
    Item,
    Problem,
    ProblemSet,
    Task,
    canonical_id,
    group_tasks,
    problem_id,
    same_id,
)
from iolai.records.rubric import Criterion, Rubric, Step
from iolai.records.score import ItemScore, Rates, Score, Signature, SplitScore, TaskScore

__all__ = [
    "EVAL_TYPES",
    "SPLITS",
    "TASK_TYPES",
    "AnswerKey",
    "ArchivedEntry",
    "Board",
    "BoardLine",
    "BoardRow",
    "Candidate",
    "Criterion",
    "Difference",
    "ExplanationUse",
    "Item",
    "ItemAnswer",
    "ItemScore",
    "Prediction",
    "PredictionSet",
    "Problem",
    "ProblemSet",
    "PublishedTask",
    "Rates",
    "Records",
    "Reference",
    "Resampling",
    "Rubric",
    "Score",
    "SharedExplanation",
    "Signature",
    "SimilarPair",
    "SplitScore",
    "Step",
    "Summary",
    "Task",
    "TaskAnswer",
    "TaskKey",
    "TaskLine",
    "TaskScore",
    "canonical_id",
    "group_tasks",
    "problem_id",
    "same_id",
]
