"""JSON with clear errors: where it breaks off, how deep it may nest, names that stand twice.

No lone surrogate comes of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.formats.source import storable

__all__ = ["MAX_DEPTH", "json_elements", "parse_json", "parse_json_file"]

#: How deep lists and objects may nest; the challenge's files nest three deep.
MAX_DEPTH = 50

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_WHITE_SPACE = re.compile(r"[ \t\n\r]*")


def parse_json(text: str, place: Place) -> object:
    """Read JSON that stands in one line or cell; raises FormatError at ``place``.

    An object that names a field twice is refused: readers differ in which of the two they take.
    Escapes that make lone surrogates give U+FFFD, so that whatever was read can be written.
    """
    decoder, repeated = _decoder()
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        what = f"not JSON: {_reason(error)} at character {error.pos + 1}"
        raise FormatError(what, place=place, hint=_hint(text, error.pos, error.msg)) from error
    except (RecursionError, ValueError) as error:
        raise _unreadable(error, place) from error
    _refuse_repeated(repeated, place)
    return _sound(value, text, place)


def _decoder() -> tuple[json.JSONDecoder, list[str]]:
    """Return a decoder, and the list to which it adds each name that an object has twice."""
    repeated: list[str] = []

    def object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            times = Counter(name for name, _ in pairs)
            repeated.extend(name for name, n in times.items() if n > 1)
        return fields

    return json.JSONDecoder(object_pairs_hook=object_of), repeated


def _refuse_repeated(repeated: list[str], place: Place) -> None:
    if repeated:
        raise FormatError(
            f"the JSON object has the field {repeated[0][:40]!r} twice",
            place=place,
            hint="Leave one of the two.",
        )


def _reason(error: json.JSONDecodeError) -> str:
    """Return the parser's reason; some of its messages end in an "at" that wants a place."""
    return error.msg.removesuffix(" at")


def parse_json_file(text: str, path: Path | str) -> object:
    """Read a file that is one JSON document; raises FormatError naming line and column."""
    start = _WHITE_SPACE.match(text)
    decoder, repeated = _decoder()
    value, end = _decode(decoder, text, start.end() if start else 0, path)
    _require_end(text, end, path)
    _refuse_repeated(repeated, Place(path))
    return _sound(value, text, Place(path))


def json_elements(
    text: str, path: Path | str, on_repeated: Callable[[str, int], None] | None = None
) -> Iterator[tuple[int, object]]:
    """Yield the elements of a file that is one JSON list, each with the line where it starts.

    ``on_repeated`` is told each name that an object has twice, of which the last counts, and the
    line of its element; without it such an object is refused.
    """
    decoder, repeated = _decoder()
    position, line = _skip(text, 0), 1
    if text[position : position + 1] != "[":
        raise FormatError("not a JSON list", place=Place(path, 1), hint="The file starts with `[`.")
    counted = 0
    position = _skip(text, position + 1)
    closing = text[position : position + 1] == "]"
    while not closing:
        line += text.count("\n", counted, position)
        counted = position
        value, position = _decode(decoder, text, position, path)
        if on_repeated is None:
            _refuse_repeated(repeated, Place(path, line))
        else:
            while repeated:
                on_repeated(repeated.pop(0), line)
        yield line, _sound(value, text[counted:position], Place(path, line))
        position = _skip(text, position)
        closing = text[position : position + 1] == "]"
        if not closing:
            _require_comma(text, position, path)
            position = _skip(text, position + 1)
    _require_end(text, position + 1, path)


def _skip(text: str, position: int) -> int:
    found = _WHITE_SPACE.match(text, position)
    return found.end() if found else position


def _decode(
    decoder: json.JSONDecoder, text: str, position: int, path: Path | str
) -> tuple[object, int]:
    try:
        return decoder.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not JSON: {_reason(error)}",
            place=Place(path, error.lineno, str(error.colno)),
            hint=_hint(text, error.pos, error.msg),
        ) from error
    except (RecursionError, ValueError) as error:
        raise _unreadable(error, Place(path, text.count("\n", 0, position) + 1)) from error


def _require_comma(text: str, position: int, path: Path | str) -> None:
    if text[position : position + 1] != ",":
        raise _broken("not JSON: a comma or `]` is missing", text, position, path)


def _require_end(text: str, position: int, path: Path | str) -> None:
    position = _skip(text, position)
    if position < len(text):
        raise _broken("not JSON: more text after its end", text, position, path)


def _broken(what: str, text: str, position: int, path: Path | str) -> FormatError:
    row = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return FormatError(what, place=Place(path, row, str(column)), hint=_hint(text, position))


def _hint(text: str, position: int, message: str = "") -> str:
    rest = text[position : position + 100].strip()
    cut_word = any(word.startswith(rest) for word in ("true", "false", "null"))
    cut_escape = message.startswith("Invalid \\u") and len(text) - position <= len("\\u1234")
    if cut_word or cut_escape or message.startswith("Unterminated"):
        return "The JSON is cut off; write the file again completely."
    return "Mend the JSON there; a JSON library writes it without such slips."


def _unreadable(error: Exception, place: Place) -> FormatError:
    if isinstance(error, RecursionError):
        return _too_deep(place)
    return FormatError(
        "not JSON that can be read: a number with too many digits",
        place=place,
        hint="Write such a number as a text, in quotes.",
    )


def _too_deep(place: Place) -> FormatError:
    return FormatError(
        f"the JSON nests more than {MAX_DEPTH} deep",
        place=place,
        hint="The challenge's files nest three deep; check which file this is.",
    )


def _sound(value: object, text: str, place: Place) -> object:
    """Refuse what nests too deep, and replace lone surrogates where the text can have made any."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            break
    else:
        raise _too_deep(place)
    return _storable(value) if _SURROGATE_ESCAPE.search(text) else value


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _storable(value: object) -> object:
    if isinstance(value, str):
        # NUL stays: JSON can write it, and only files that cannot replace it when writing.
        return value if value.isascii() else "\0".join(map(storable, value.split("\0")))
    if isinstance(value, dict):
        return {_storable(name): _storable(child) for name, child in value.items()}
    return [_storable(child) for child in value] if isinstance(value, list) else value
