"""Techniques proposed from a script: rules on its names, calls and texts. It is never executed.

A rule is a line of the table below: names and attributes that are used (in the tree of the
script), or patterns in its texts. Comments and names nobody uses prove nothing and are not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["TECHNIQUES", "Proposal", "Rule", "propose_techniques"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What shows a technique: ``names`` match used names, attributes, keywords and modules.

    ``texts`` match within string literals. Both are regular expressions without regard to case;
    "" matches nothing.
    """

    technique: str
    names: str = ""
    texts: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A technique, and the line (from 1) and the name or text that suggests it."""

    technique: str
    line: int
    because: str


#: One line a technique.
TECHNIQUES: tuple[Rule, ...] = (
    Rule("vote", r"(majority_?|self_?)?vot(e|es|ing|ed)|most_common|self_consistency"),
    Rule("samples", r"num_return_sequences|n_samples|num_samples|best_of"),
    Rule("few-shot", r"few_?shots?(_\w+)?|shots|exemplars?|demonstrations?", r"few-shot"),
    Rule("chain of thought", r"chain_of_thought|cot(_prompt)?", r"step[ -]by[ -]step|<think>"),
    Rule("fine-tuning", r"trainer|sfttrainer|trainingarguments|get_peft_model|backward"),
    Rule("adapter", r"peft(model)?|lora\w*|load_adapter"),
    Rule(
        "quantised weights",
        r"bitsandbytesconfig|load_in_[48]bit|awq|autoawq\w*|gptq\w*|bitsandbytes",
        r"\bawq\b|\bgptq\b|\.gguf|\bint4\b",
    ),
    Rule("llama.cpp", r"llama_cpp|xllamacpp|llama", r"\.gguf"),
    Rule("vllm", r"vllm"),
    Rule("grammar or schema", r"guided_\w+|json_schema|gbnf|llamagrammar|logits_?processor\w*"),
    Rule("retries", r"retr(y|ies)(_\w+)?|max_retries|n_tries|attempts?"),
    Rule("repair of the count", r"repair\w*|fix_count|pad_answers|force_count"),
    Rule("rules", r"induction|transducer|edit_distance|levenshtein|alignment"),
    Rule("retrieval", r"retriev\w+|faiss|bm25\w*|embed(ding)?s?"),
    Rule("one-to-one matching", r"linear_sum_assignment|hungarian|assignment"),
    Rule("explanation", r"explanations?|explain\w*", r"\bexplain\b"),
)


def propose_techniques(script: str) -> tuple[Proposal, ...]:
    """Return the techniques that a script shows, each once, at its first line, in file order.

    A script that is no Python gives none: there is nothing to be sure of.
    """
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    shown = sorted(_shown(tree))
    found: dict[str, Proposal] = {}
    for line, kind, value in shown:
        for rule in TECHNIQUES:
            because = _because(rule, kind, value)
            if because and rule.technique not in found:
                found[rule.technique] = Proposal(rule.technique, line, because)
    return tuple(sorted(found.values(), key=lambda proposal: proposal.line))


def _because(rule: Rule, kind: str, value: str) -> str:
    if kind == "name":
        whole = rule.names and re.fullmatch(rule.names, value, re.IGNORECASE)
        return value if whole else ""
    part = re.search(rule.texts, value, re.IGNORECASE) if rule.texts else None
    return f"“{part[0]}”" if part else ""


def _shown(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield (line, ``name`` or ``text``, value) of what the script uses."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield line, "name", node.id
        elif isinstance(node, ast.Attribute):
            yield line, "name", node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.value.lineno, "name", node.arg
        elif isinstance(node, ast.Import):
            yield from ((line, "name", part) for a in node.names for part in a.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            yield from ((line, "name", part) for part in (node.module or "").split("."))
            yield from ((line, "name", alias.name) for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield line, "text", node.value
