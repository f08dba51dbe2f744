"""A grammar of expressions over the rows and groups of the streams that emit_forms describes.

Each expression gives one result for the same rows, and none fails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

# The expressions by their kind: i, d, s, b and a are an integer, a double, a string, a
# condition and anything over a row; in capitals, over a group. {f} may be a FILTER, {q} is the
# branch that a column belongs to. At full depth only the first rules, the LEAVES, are used.
RULES: dict[str, tuple[str, ...]] = {
    "i": (
        "{q}v",
        "{q}v",
        "{q}k",
        "length({q}s)",
        "{i} + 1",
        "{i} % 2",
        "(-{i})",
        "coalesce({i}, {i})",
        "nullif({i}, {i})",
        "CASE WHEN {b} THEN {i} ELSE {i} END",
        "CASE {i} WHEN 1 THEN {i} WHEN 2 THEN 0 END",
        "least({i}, {i})",
        "{i} DIV nullif({i}, 0)",
    ),
    "d": (
        "{q}d",
        "{q}d",
        "{q}v / 2D",
        "0.5D",
        "{d} + {i}",
        "(-{d})",
        "coalesce({d}, 0D)",
        "nullif({d}, 0D)",
        "nanvl({d}, 1D)",
        "if({b}, {d}, -0D)",
    ),
    "s": (
        "{q}s",
        "{q}s",
        "{q}j",
        "CAST({q}k AS STRING)",
        "concat({s}, {s})",
        "concat_ws('-', {s}, {s})",
        "upper({s})",
        "coalesce({s}, '-')",
        "nullif({s}, '')",
        "CASE WHEN {b} THEN {s} ELSE 'z' END",
    ),
    "b": (
        "{q}v > 1",
        "{q}s IS NULL",
        "{q}d = 0",
        "{q}j <=> 'a'",
        "isnan({d})",
        "{i} <=> {i}",
        "{i} IN (0, 2)",
        "{s} > 'a'",
        "(NOT {b})",
        "({b} AND {b})",
        "({b} OR {b})",
    ),
    "f": ("", "", "", " FILTER (WHERE {b})"),
    "a": (
        "{i}",
        "{d}",
        "{s}",
        "{b}",
        "named_struct('i', {i}, 's', {s})",
        "array({d}, {d})",
        "if({b}, map('a', {i}, 'b', 2), map('b', 2, 'a', {i}))",
    ),
    "I": (
        "max({i}){f}",
        "min({i}){f}",
        "sum({i}){f}",
        "count({i}){f}",
        "count({s}, {d}){f}",
        "count(*){f}",
        "count_if({b})",
        "approx_count_distinct({i}){f}",
        "approx_count_distinct({s}){f}",
        "bit_xor({i}){f}",
        "mode() WITHIN GROUP (ORDER BY {i})",
        "approx_percentile({i}, 0.5)",
        "({I} + {I})",
        "{I} % 2",
        "coalesce({I}, {I})",
        "CASE WHEN {B} THEN {I} END",
        "CASE WHEN {B} THEN {I} ELSE {I} END",
        "greatest({I}, {I})",
        "size({A_list})",
        "length({S})",
    ),
    "D": (
        "avg({i}){f}",
        "avg({d}){f}",
        "sum({d}){f}",
        "median({i})",
        "percentile({i}, 0.25)",
        "sum(CAST({i} AS DECIMAL(9, 2))){f}",
        "{I} / nullif({I}, 0)",
        "coalesce({D}, 0)",
        "CASE WHEN {B} THEN {D} END",
    ),
    "S": (
        "max({s}){f}",
        "min({s}){f}",
        "array_join({A_list}, ',', '_')",
        "concat({S}, {S})",
        "coalesce({S}, 'none')",
        "CASE WHEN {B} THEN {S} ELSE {S} END",
    ),
    "B": (
        "{I} > 1",
        "{I} % 2 = 0",
        "{D} > 0.5",
        "{S} IS NULL",
        "bool_or({b}){f}",
        "every({b}){f}",
        "{I} <=> {I}",
        "(NOT {B})",
        "({B} AND {B})",
        "({B} OR {B})",
    ),
    "A_list": (
        "sort_array(collect_set({s}){f})",
        "sort_array(collect_list({s}))",
        "sort_array(collect_set(CAST({i} AS STRING)))",
    ),
    "A": (
        "{I}",
        "{I}",
        "{D}",
        "{S}",
        "{B}",
        "{A_list}",
        "named_struct('a', {I}, 'b', {S})",
        "array({D}, {D})",
        "map('n', {I}, 'm', {I})",
        "named_struct('map', map(1, array({S})))",
        "max(struct({i} AS i, {s} AS s)){f}",
        "sort_array(collect_set(struct({i} AS i, {s} AS s)){f})",
        "map_from_entries(collect_set(struct({q}v AS key, {q}v * 2 AS value))"
        " FILTER (WHERE {q}v IS NOT NULL))",
    ),
}
LEAVES = {"i": 4, "d": 4, "s": 4, "b": 4, "I": 6, "D": 4, "S": 2, "B": 6, "A": 5}
# Rules whose results depend on the order of a group's rows, as do ties of 0.0 and -0.0.
ORDERED = {
    "I": ("first({i}){f}", "last({i}, true){f}"),
    "D": ("max({d}){f}", "min({d}){f}", "stddev({d}){f}", "skewness({i})"),
    "S": ("max_by({s}, {i}){f}", "first({s}, true){f}", "any_value({s})", "min_by({s}, {d})"),
    "A": ("last(if({b}, map('a', {i}, 'b', 2), map('b', 2, 'a', {i})))", "collect_list({d}){f}"),
}


def expression(
    random: Random, kind: str, depth: int, branches: Sequence[str] = ("",), ordered: bool = False
) -> str:
    """Returns a random text by the rules; no aggregate takes columns of two branches."""
    rules = RULES[kind] if depth > 0 else RULES[kind][: LEAVES.get(kind)]
    rules += ORDERED.get(kind, ()) if ordered else ()
    rule = random.choice(rules)
    own = [random.choice(branches)] if re.search(r"\{[a-z]\}", rule) else branches
    return re.sub(
        r"\{(\w+)\}",
        lambda hole: (
            own[0] if hole[1] == "q" else expression(random, hole[1], depth - 1, own, ordered)
        ),
        rule,
    )
