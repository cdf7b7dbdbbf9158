"""Grammars as text: printed in a linguist's words, read back, and applied to regenerate examples.

What a section says of its own reach is found by reading its printed lines back and applying them,
so that whoever has only the text can check it.
"""

from iolai.solvers.induction.printed.section import Section, Theory, make_section, parse_sections

__all__ = ["Section", "Theory", "make_section", "parse_sections"]
