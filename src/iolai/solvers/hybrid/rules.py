"""A model's rules against the sheet: the morphs that they name must be there.

A rule is a line of an explanation. What it names is what stands in quotes, or has a hyphen at one
end, as linguists write morphs; what it claims of a morph is checked where it says that the morph
means a word of the translations: some example must have both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iolai.solvers.induction.reader import Sheet
from iolai.solvers.induction.translation.corpus import bare_form
from iolai.solvers.induction.translation.pairs import example_pairs

__all__ = ["failing_rules", "without_failing"]

_AFFIX = re.compile(r"(?<![\w-])(?:-([^\W\d_]{1,12})-?|([^\W\d_]{1,12})-)(?![\w-])")
_MEANS = re.compile(
    r"[“\"‘'*_]?-?([^\W\d_]{1,20})-?[”\"’'*_]?\s*(?:means|=|:)\s*[“\"‘']([^”\"’']{2,40})[”\"’']"
)


def failing_rules(rules: str, sheet: Sheet) -> tuple[str, ...]:
    """Return what is wrong with rules, a sentence each; nothing where no example is understood."""
    pairs = [(bare_form(form), gloss.lower()) for form, gloss in example_pairs(sheet)]
    forms = [form for form, _ in pairs]
    for table in sheet.tables:
        for k in table.places("form"):
            forms += [bare_form(row.cells[k].text) for row in table.rows if row.cells[k].text]
    if not forms:
        return ()
    found = []
    for line in rules.splitlines():
        found += _failures(line, forms, pairs)
    return tuple(dict.fromkeys(found))


def without_failing(rules: str, sheet: Sheet) -> str:
    """Return rules without the lines in which something is wrong."""
    kept = [line for line in rules.splitlines() if not failing_rules(line, sheet)]
    return "\n".join(kept).strip()


def _failures(line: str, forms: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[str]:
    named = [one or other for one, other in _AFFIX.findall(line)]
    absent = [m for m in named if not any(m.lower() in form for form in forms)]
    found = [f"“{morph}” stands in no form of the data" for morph in absent]
    for morph, meaning in _MEANS.findall(line):
        having = [gloss for form, gloss in pairs if morph.lower() in form]
        wanted = meaning.lower().strip()
        is_said = any(wanted in gloss for _, gloss in pairs)
        if having and is_said and not any(wanted in gloss for gloss in having):
            found.append(f"no example with “{morph}” is translated with “{meaning}”")
    return found
