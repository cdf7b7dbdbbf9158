"""What a form has to express: the units of a gloss's tokens.

A unit is a name. Stems are their own names; features, agreement of the verb with its subject and
object, and the case of a noun are units of their own, so that each may have a morph of its own or
none. Two units that a language may fuse (tense and subject) stand together as one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from iolai.solvers.induction.english import Token

__all__ = ["Unit", "slot_of", "token_class", "units_of"]

_CONTENT = ("n", "v", "adj", "pro")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of one gloss: its name, the token it belongs to, and whether it is the token's stem.

    ``slot`` groups the units that may stand for each other (tenses, subjects, number); ``group``
    those that may be expected in one place of a form (stems of a class, a feature of a class).
    """

    name: str
    token: int
    slot: str
    group: str = ""

    @property
    def is_stem(self) -> bool:
        """Whether the unit is a word's stem, which a form nearly always expresses."""
        return self.slot.startswith("stem")


def slot_of(token: Token) -> str:
    """Return the slot of a token's stem: stems of one slot may be exchanged."""
    return f"stem:{'link' if token.kind == 'x' else token.kind}"


def token_class(token: Token) -> str:
    """Return what kind of word a token is, with its role: the classes that have an order."""
    if token.kind in ("n", "pro"):
        return f"n.{token.role}"
    if token.kind == "adj":
        return f"adj.{token.role}"
    return token.stem if token.kind == "x" else token.kind


def units_of(tokens: Sequence[Token]) -> tuple[Unit, ...]:
    """Return the units of a gloss, each name once a token."""
    found: list[Unit] = []
    for place, token in enumerate(with_heads(tokens)):
        found.extend(_of_token(tokens, place, token))
    if tokens and tokens[-1].after.startswith("?"):
        found.append(Unit("Q", len(tokens) - 1, "Q"))
    return tuple(replace(unit, group=_group(unit, tokens)) for unit in found)


def with_heads(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Give what a determiner before an adjective says to the noun that the adjective belongs to."""
    out = list(tokens)
    for place, token in enumerate(tokens):
        said = token.feats & {"DEF", "INDEF"}
        head = next((i for i in range(place + 1, len(out)) if out[i].kind != "adj"), None)
        if token.kind == "adj" and said and head is not None and out[head].kind == "n":
            out[place] = replace(token, feats=token.feats - said)
            out[head] = replace(out[head], feats=out[head].feats | said)
    return tuple(out)


def _group(unit: Unit, tokens: Sequence[Token]) -> str:
    group = token_class(tokens[unit.token])
    return group if unit.is_stem else f"{unit.slot}/{group}"


def _of_token(tokens: Sequence[Token], place: int, token: Token) -> list[Unit]:
    if token.kind == "pro":
        owner = [Unit(f"P:{token.stem}", place, "P")] if token.role == "P" else []
        return [Unit(f"@{token.stem}", place, "stem:pro"), *owner]
    if token.kind == "aux":
        return [Unit(f"T:{'+'.join(sorted(token.feats))}", place, "T")]
    stem = Unit(token.stem, place, slot_of(token))
    if token.kind == "v":
        return [stem, *_of_verb(tokens, place, token)]
    if token.kind in ("n", "adj"):
        return [stem, *_of_noun(place, token)]
    return [stem]


def _of_noun(place: int, token: Token) -> list[Unit]:
    """Return the features of a noun or an adjective."""
    slots = (("PL", "N"), ("DEF", "D"), ("INDEF", "D"))
    out = [Unit(feat, place, slot) for feat, slot in slots if feat in token.feats]
    if token.kind != "n":
        return out
    if "PL" not in token.feats:
        out.append(Unit("SG", place, "N"))
    out.append(Unit(f"{token.role or 'S'}-case", place, "case"))
    if token.role == "P":
        out.append(Unit(f"P:{'3pl' if 'PL' in token.feats else '3sg'}", place, "P"))
    return out


def _of_verb(tokens: Sequence[Token], place: int, token: Token) -> list[Unit]:
    out: list[Unit] = []
    feats = set(token.feats)
    fronted = next((t for t in tokens[:place][::-1] if t.kind == "aux"), None)
    if fronted is not None and not feats & {"PAST", "PRES", "FUT"}:
        feats |= fronted.feats
    tense = "+".join(sorted(feats - {"NEG", "PASS"}))
    subject, object_ = _argument(tokens, place, "S"), _argument(tokens, place, "O")
    if tense and fronted is None:
        out.append(Unit(f"T:{tense}", place, "T"))
    if "NEG" in feats:
        out.append(Unit("NEG", place, "NEG"))
    if "PASS" in feats:
        out.append(Unit("PASS", place, "PASS"))
    if subject:
        out.append(Unit(f"S:{subject}", place, "S"))
        if tense:
            out.append(Unit(f"T:{tense}&S:{subject}", place, "T&S"))
    if object_:
        out.append(Unit(f"O:{object_}", place, "O"))
        if subject:
            out.append(Unit(f"S:{subject}&O:{object_}", place, "S&O"))
    elif subject:
        out.append(Unit("O:none", place, "O"))
    return out


def _argument(tokens: Sequence[Token], place: int, role: str) -> str:
    """Return the person and number of a verb's subject or object, ``""`` where it has none."""
    order = range(place)[::-1] if role == "S" else range(place + 1, len(tokens))
    for i in order:
        token = tokens[i]
        if token.kind == "v" and role == "O":
            return ""
        if token.kind not in ("n", "pro") or token.role != role:
            continue
        if token.kind == "pro":
            return token.stem.split(".")[0] if token.stem[:1] == "3" else token.stem
        return "3pl" if "PL" in token.feats else "3sg"
    return ""
