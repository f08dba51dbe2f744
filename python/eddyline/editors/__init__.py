"""What editors and notebooks know of the language, made from its keywords and its grammar.

`python -m eddyline.editors FOLDER` writes what lies in `editors/`; `lexer` is for Pygments.
"""
