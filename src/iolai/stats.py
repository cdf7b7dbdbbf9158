"""Statistics: bootstrap intervals and bands of entries that cannot be told apart."""
