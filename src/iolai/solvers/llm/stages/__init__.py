"""The recipe's stages by name: a stage is one file in this package plus one line here."""

from iolai.solvers.llm.stages.anchor import anchor
from iolai.solvers.llm.stages.base import Context, Stage
from iolai.solvers.llm.stages.explanation import explanation
from iolai.solvers.llm.stages.letter import letters
from iolai.solvers.llm.stages.repair import repair
from iolai.solvers.llm.stages.samples import samples

__all__ = ["STAGES", "Context", "Stage"]

#: In the order in which they are run; a configuration names those it wants.
STAGES: dict[str, Stage] = {
    "anchor": anchor,
    "letters": letters,
    "repair": repair,
    "samples": samples,
    "explanation": explanation,
}
