"""Makes what editors and notebooks know of the language from its keywords and its grammar."""
