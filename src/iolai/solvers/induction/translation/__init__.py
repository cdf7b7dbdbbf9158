"""Translation both ways: alignment of morphs with units, then substitution into examples."""
