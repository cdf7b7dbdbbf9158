"""What ``check`` may find: every kind, what it means, and what to do about it.

An addition is one entry in ``KINDS`` and one row in ``docs/findings.md`` (a test keeps both equal).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KINDS", "WRITING", "Cost", "Finding", "Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of finding means, and the hint that goes with it."""

    meaning: str
    hint: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What a task loses by a finding: exact match and chrF of the task, each in [0, 1].

    For how a prediction is written that is the lenient reading's score less the official one's;
    for what an item says it is what a right answer there would add.
    """

    exact_match: float
    chrf: float


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at in a prediction.

    ``item`` is the label of the item concerned (``""`` where it is the whole task), ``text`` what
    was found, shortened. ``cost`` is None where there is no key to tell. ``row`` is the line of
    the predictions file, 0 where there is none.
    """

    kind: str
    item: str
    text: str
    hint: str
    cost: Cost | None = None
    row: int = 0


#: The kinds of how a prediction is written that share one cost: the lenient reading's score less
#: the official one's.
WRITING = frozenset(
    {
        *("fenced-json", "json-object", "python-literal", "nested-list", "labels-in-list"),
        *(
            "labels-kept",
            "number-as-label",
            "item-repeated",
            "lead-in",
            "bullets",
            "emphasis",
            "latex",
            "tags",
        ),
        "escapes",
        *("markdown-table", "option-text", "separators", "preamble", "thinking", "truncated"),
        *("squeezed", "curly-quotes"),
    }
)

#: Every kind of finding. The order is that of the documentation.
KINDS: dict[str, Kind] = {
    # How the prediction is written.
    "fenced-json": Kind(
        "the answers stand inside a Markdown fence, which becomes an item of its own",
        "Write the bare JSON list, without the ``` lines.",
    ),
    "json-object": Kind(
        "a JSON object, or a list of objects, instead of a list of texts: read as one item",
        'Write only the list of answers: ["first", "second"].',
    ),
    "python-literal": Kind(
        "a list that is not JSON (single quotes, a tuple, a trailing comma): read as one item",
        "Write it with json.dumps(answers, ensure_ascii=False).",
    ),
    "nested-list": Kind(
        "a list inside the list: the official reading takes its brackets as text",
        "Give one text for each item; alternatives are not accepted in a prediction.",
    ),
    "labels-in-list": Kind(
        "the elements of the list begin with the items' labels, which are not taken off there",
        "Leave the labels out: the order of the list says which item is meant.",
    ),
    "labels-kept": Kind(
        "the lines begin with labels of a form that the official rule does not take off",
        "Write a JSON list without labels; only digits with . or ) at a line's start go.",
    ),
    "number-as-label": Kind(
        "an answer that is a number with a period (12.) alone on its line is taken for a label",
        "Write a JSON list, or the number without its period.",
    ),
    "item-repeated": Kind(
        "the item's own form stands beside the answer (katon = houses) and counts as part of it",
        "Write the answer alone: its place in the list says which item is meant.",
    ),
    "lead-in": Kind(
        "the same words before the answers (The answer is, Translation:) count as part of them",
        "Write the answers alone.",
    ),
    "bullets": Kind(
        "the answers begin with bullets or quote marks (>), which count as part of them",
        "Write a JSON list instead of bullets.",
    ),
    "emphasis": Kind(
        "Markdown emphasis around an answer counts as part of it",
        "Leave out **, ~~ and `.",
    ),
    "latex": Kind(
        "LaTeX around an answer counts as part of it",
        "Leave out \\boxed{}, \\text{} and $.",
    ),
    "tags": Kind(
        "tags around an answer, or around all of them, count as part of it",
        "Leave out <answer>, <b> and their like.",
    ),
    "escapes": Kind(
        "an escape is left as text (\\u02bc, &amp;) where a letter is meant",
        "Write the letter itself; encode the list as JSON only once.",
    ),
    "markdown-table": Kind(
        "a Markdown table: each row, with its bars, is read as one item",
        "Write a JSON list of the answers alone.",
    ),
    "option-text": Kind(
        "more than the letter of an option in a matching task",
        "Give the letter alone.",
    ),
    "separators": Kind(
        "the answers end in commas or semicolons that count as part of them",
        "Write a JSON list, or one answer a line with nothing after it.",
    ),
    "preamble": Kind(
        "text around the answers shifts every item by a line",
        "Write the answers and nothing else.",
    ),
    "thinking": Kind(
        "a thinking block is read as if it were answers",
        "Cut the text after </think> before writing the file.",
    ),
    "truncated": Kind(
        "the text ends in the middle: the thinking is never closed, or the list is cut off",
        "Allow more tokens, or less thinking; write placeholders for what is missing.",
    ),
    "squeezed": Kind(
        "several answers in one slot",
        "Give each item a slot of its own, in the order of the query.",
    ),
    "curly-quotes": Kind(
        "curly quotes around an answer stay part of it; straight ones are taken off",
        "Leave the quotes out.",
    ),
    "ambiguous": Kind(
        "more than one reading is possible, so none but the official one is shown",
        "Write a JSON list with one text for each item.",
    ),
    "unreadable": Kind(
        "no answers can be made out",
        "Write a JSON list with one text for each item.",
    ),
    "raw-model-text": Kind(
        "raw text of a model in the cell (control characters, its special tokens, line breaks "
        "inside an answer, pages of prose): it can break readers of the file",
        "Write only the answers into the file; keep the model's text in a log.",
    ),
    # How many.
    "empty": Kind(
        "no answer at all, or none for an item: a blank never scores",
        "Any guess scores at least as much as a blank: give one.",
    ),
    "wrong-count": Kind(
        "another number of answers than items: missing ones are empty, surplus ones are cut",
        "Give exactly one answer for each item.",
    ),
    "range-count": Kind(
        "as many answers as the number of the last label, though the labels do not begin at 1",
        "Count the labels: 16-19 are four items, not nineteen.",
    ),
    # What they say.
    "placeholder": Kind(
        "a placeholder (?, ..., -, n/a, 1 2 3 4) that never scores",
        "Give a guess; a wrong answer costs nothing.",
    ),
    "echo-of-query": Kind(
        "the answer repeats what the query says",
        "Give the translation or the form asked for; is this a fallback of your program?",
    ),
    "repeated-answer": Kind(
        "one answer in several slots that hardly can have the same",
        "Look whether your program repeats its last answer, or a fallback.",
    ),
    "prose": Kind(
        "a sentence about the answer where the answer alone is asked for",
        "Take the answer out of the sentence.",
    ),
    "extra-text": Kind(
        "more than the answer: a remark, a bracket or a second answer beside it",
        "Give the answer alone: what stands beside it counts as part of it.",
    ),
    "unseen-character": Kind(
        "a character without width (a zero-width space, a soft hyphen) that the score sees",
        "Take it out; it mostly comes with text copied from a page.",
    ),
    "letter-outside-options": Kind(
        "no option of this matching task has that letter",
        "Use the letters of the options as the sheet writes them.",
    ),
    "duplicate-letter": Kind(
        "a letter used twice in a matching task that has enough letters for all items",
        "A matching is one-to-one: one of the two is wrong.",
    ),
    # Almost right.
    "near-miss-apostrophe": Kind(
        "right but for the apostrophe: ' ’ ʼ and their like are different letters to the score",
        "Copy the apostrophe from the problem.",
    ),
    "near-miss-colon": Kind(
        "right but for the mark of length: ː and : are different letters to the score",
        "Copy the mark from the problem.",
    ),
    "near-miss-diacritics": Kind(
        "right but for accents or other marks on letters",
        "Copy the letters from the problem, with their marks.",
    ),
    "near-miss-lookalike": Kind(
        "right but for a letter of another script that looks the same",
        "Copy the letters from the problem.",
    ),
    "near-miss-punctuation": Kind(
        "right but for punctuation or brackets; only periods at the end are forgiven",
        "Write the punctuation as the problem does.",
    ),
    "near-miss-spacing": Kind(
        "right but for spaces or hyphens",
        "Write words together or apart as the problem does.",
    ),
    "near-miss": Kind(
        "right but for several small differences of these kinds together",
        "Copy letters, marks and punctuation from the problem.",
    ),
    "not-nfc": Kind(
        "letters and marks are not composed as in the problem (not NFC): the official score does "
        "not mind, scripts that compare raw text do",
        'Write unicodedata.normalize("NFC", text).',
    ),
    # Rows and ids.
    "missing-row": Kind(
        "the file has no row for this task: it counts as blank",
        "Write a row for every task, first of all with placeholders.",
    ),
    "unknown-id": Kind(
        "a row whose id no task has: it is never read",
        "Copy the ids from the problems, as text.",
    ),
    "duplicate-id": Kind(
        "several rows for one task: only the last one counts",
        "Write one row for each task.",
    ),
    "id-lost-zeros": Kind(
        "the id has lost its leading zeros: forgiven, but other tools may not forgive it",
        "Read and write ids as text, not as numbers.",
    ),
    "id-differs": Kind(
        "the id has blanks around it, or more zeros in front: forgiven, but other tools may not "
        "forgive it",
        "Copy the ids from the problems, as text.",
    ),
    "id-decimal": Kind(
        "the id has become a decimal number: the row is never read",
        "Read and write ids as text (with pandas: dtype=str).",
    ),
}
