"""The language-model solver: the recipe that won the challenge, in stages, over any backend."""
