"""The grammar of the clauses, `sql/grammar` and `sql/keywords.toml`, for what is made from it.

`eddyline.lexer`, the linter of sqlfluff and what editors read are; the lowering is not.
"""
