"""Blinding: taking out of a typed text what its writer would not have written by hand.

Taken out are names on a list, chat phrases, statements of being a model, role labels and tags of
models, the prompt's own lines, Markdown's marks (never what they mark), and pictographs. Nothing
else changes: no spelling, no form, no number, no table. A mark that a linguist also writes stays
unless it stands in a pair as only Markdown has it: ``*kitabs`` is an unattested form, ``k`a`` an
ejective, ``<b>`` a letter, ``[k]`` a sound. What stands in the problem itself is never taken out.

Each removal is kept, so that an organiser can look at the difference. The texts are strangers':
every pattern looks at a run of any kind of characters once, so that the time grows with the length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from iolai.records import Blinded, Removal
from iolai.text import squeeze

__all__ = ["NAME_STANDS_FOR", "blind"]

#: What stands where a name stood.
NAME_STANDS_FOR = "[…]"

#: A line of the prompt counts as an echo from this many words on: shorter ones anyone writes.
_N_ECHO_WORDS = 5

_START, _END = r"(?:^|(?<=[\s(\[{\"'“‘:;,.–—>|/-]))", r"(?=$|[\s)\]}\"'”’:;,.!?–—<|/-])"
_TAGS = "think|thinking|thought|thoughts|reasoning|analysis|answer|answers|explanation|final|output"
_TAGS += "|response|scratchpad|reflection|tool_call|tool_response"

_RULES: tuple[tuple[str, str, str], ...] = (
    ("tag", rf"</?(?:{_TAGS})>[ \t]*\n?", ""),
    ("tag", r"<\|[A-Za-z_]{2,30}\|>|\[/?INST\]|<</?SYS>>", ""),
    ("role", r"^[ \t]*(?:\*\*)?(?:assistant|user)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*", ""),
    ("fence", r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*(?:\n|\Z)", ""),
    ("rule", r"^[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*(?:\n|\Z)", ""),
    ("table", r"^[ \t]*+\|?(?:[ \t]*+:?-{3,}:?[ \t]*+\|)+(?:[ \t]*:?-{3,}:?)?[ \t]*(?:\n|\Z)", ""),
    ("header", r"^[ \t]{0,3}#{1,6}[ \t]+", ""),
    ("quote", r"^>[ \t]+", ""),
    ("link", r"\]\(https?://[^\s)]{0,500}\)", "]"),
    ("arrow", r"\$\\(?:rightarrow|to|Rightarrow|longrightarrow)\$|\\(?:rightarrow|to)\b", "→"),
    ("pictograph", "[\U0001f300-\U0001faff✅❌\ufe0f]+ ?", ""),
)

#: A pair of marks, on one line: how the first is found and how the second.
_ENCLOSING: tuple[tuple[str, str], ...] = (
    (r"(?<![*\d])\*\*\*(?=[^\s*])", r"(?<=[^\s*])\*\*\*(?!\*)"),
    (r"(?<![*\d])\*\*(?=[^\s*])", r"(?<=[^\s*])\*\*(?!\*)"),
)
#: A pair of marks and what they may hold between them, on one line; never the mark itself, so that
#: a first mark without a second costs no more than the way to the next one.
_PAIRS: tuple[tuple[str, str], ...] = (
    ("emphasis", rf"{_START}(?<!\*)(\*)(?=[^\s*])[^\n*]*?(?<=[^\s*])(\*){_END}"),
    ("code", rf"{_START}(?<!`)(`{{1,2}})(?=[^\s`])[^\n`]*?(?<=[^\s`])(\1){_END}"),
)

_SENTENCE = r"[^.!?\n]*"
_OPENING = (
    r"sure(?: thing)?|certainly|absolutely|of course|great question|good question|okay|ok|alright"
    r"|got it|happy to help|i'd be happy to help|i would be happy to help"
    r"|thank you for[^.!?\n]{0,200}"
)
_CHAT: tuple[tuple[str, str], ...] = (
    ("opener", rf"\A\s*(?:{_OPENING})[!.][ \t]*\n*"),
    (
        "opener",
        rf"\A\s*(?:{_OPENING}),?(?<!\s)\s+(?:here(?:'s|’s| is| are)|let me|let's|let’s"
        r"|i will|i'll|i’ll)\b"
        r"[^.!?:\n]*(?:[.!:]|\n)[ \t]*\n*",
    ),
    (
        "closer",
        rf"(?:^|(?<=[.!?\n])[ \t]*)(?:i hope (?:this|that)\b|hope this helps|let me know\b"
        rf"|feel free to\b|if you (?:have|need|want|would like) (?:any|more|further)\b"
        rf"|is there anything else\b){_SENTENCE}+[.!?]?+\s*+\Z",
    ),
    (
        "model",
        rf"(?:^|(?<=[.!?\n])){_SENTENCE}(?:\bas an? (?:ai|artificial intelligence"
        rf"|(?:large )?language model)\b|\bi(?:'m| am) an? (?:ai|(?:large )?language model)\b"
        rf"|\bmy training data\b|\bmy knowledge cutoff\b){_SENTENCE}[.!?]?[ \t]*\n?",
    ),
)


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    kind: str
    by: str = ""


def blind(text: str, names: Iterable[str] = (), *, prompt: str = "", problem: str = "") -> Blinded:
    """Take out what gives the writer away; see above.

    ``names`` are those of teams, people, models and their makers, found as whole words in any
    case, hyphen, space and underline being one. ``prompt`` is what a model was asked, ``problem``
    the text of the problem's sheet: a name or mark that stands in it stays, and such names are
    listed in ``kept``.
    """
    kept, found = _names(text, names, problem)
    spans = [*found, *_echoes(text, prompt, problem), *_giveaways(text, problem)]
    removals: list[Removal] = []
    parts: list[str] = []
    place = 0
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if span.start < place:
            continue  # inside what is taken out already
        parts += (text[place : span.start], span.by)
        removals.append(Removal(span.kind, span.start, text[span.start : span.end], span.by))
        place = span.end
    parts.append(text[place:])
    return Blinded("".join(parts), tuple(removals), kept)


def _names(text: str, names: Iterable[str], problem: str) -> tuple[tuple[str, ...], list[_Span]]:
    """Return the names that stay, the problem having them, and where the others stand."""
    kept: list[str] = []
    spans: list[_Span] = []
    for name in sorted({squeeze(one) for one in names}, key=lambda one: (-len(one), one)):
        if len(name) < 2:
            continue
        parts = [re.escape(part) for part in re.split(r"[-_ ]+", name) if part]
        if not parts:
            continue
        pattern = re.compile(rf"(?<!\w){'[-_ ]?'.join(parts)}(?!\w)", re.IGNORECASE)
        found = list(pattern.finditer(text))
        if found and pattern.search(problem):
            kept.append(name)
            continue
        spans += (_Span(one.start(), one.end(), "name", NAME_STANDS_FOR) for one in found)
    return tuple(kept), spans


def _echoes(text: str, prompt: str, problem: str) -> Iterator[_Span]:
    """Yield where whole lines of the prompt stand that are no part of the problem."""
    sheet = squeeze(problem)
    for line in dict.fromkeys(squeeze(line) for line in prompt.splitlines()):
        words = line.split(" ")
        if len(words) < _N_ECHO_WORDS or line in sheet:
            continue
        pattern = re.compile(r"\s+".join(map(re.escape, words)) + r"[ \t]*\n?", re.IGNORECASE)
        for found in pattern.finditer(text):
            yield _Span(found.start(), found.end(), "echo")


def _giveaways(text: str, problem: str) -> Iterator[_Span]:
    for kind, pattern in _CHAT:
        for found in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE):
            if found[0].strip():
                yield _Span(found.start(), found.end(), kind)
    for kind, pattern, by in _RULES:
        flags = re.MULTILINE | (re.IGNORECASE if kind in ("tag", "role") else 0)
        if re.search(pattern, problem, flags):
            continue  # the sheet itself writes so
        for found in re.finditer(pattern, text, flags):
            yield _Span(found.start(), found.end(), kind, by)
    yield from _marked(text, problem)


def _marked(text: str, problem: str) -> Iterator[_Span]:
    for kind, pattern in _PAIRS:
        if ("`" if kind == "code" else "*") in problem:
            continue
        for found in re.finditer(pattern, text, re.MULTILINE):
            yield _Span(found.start(1), found.end(1), kind)
            yield _Span(found.start(2), found.end(2), kind)
    if "*" not in problem:
        for first, second in _ENCLOSING:
            yield from _enclosing(text, re.compile(first), re.compile(second))


def _enclosing(text: str, first: re.Pattern[str], second: re.Pattern[str]) -> Iterator[_Span]:
    """Yield pairs of marks, each with something between them, looking at each mark once."""
    place = 0
    for line in text.split("\n"):
        end = place + len(line)
        closers = second.finditer(text, place, end)
        closer, free = next(closers, None), place
        for opener in first.finditer(text, place, end):
            while closer is not None and closer.start() <= opener.end():
                closer = next(closers, None)
            if closer is None:
                break
            if opener.start() >= free:
                free = closer.end()
                yield _Span(opener.start(), opener.end(), "emphasis")
                yield _Span(closer.start(), closer.end(), "emphasis")
        place = end + 1
