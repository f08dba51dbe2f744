"""The grammar of the clauses as data, for what is made from it.

`ebnf` reads `sql/grammar`, `steps` tells what may follow each word, and `regions` where a word of
`sql/keywords.toml` is a keyword. The Pygments lexer and what `integrations/` has for sqlfluff and
editors are made from these; the lowering reads clauses by itself.
"""
