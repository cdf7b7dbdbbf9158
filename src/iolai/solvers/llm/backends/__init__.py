"""The language models that can be asked, one file each; see ``base`` for the interface."""
