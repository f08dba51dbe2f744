"""The linter of `eddyline lint`: rules about the clauses, each with a reason and a fix.

The clauses are those that the lowering finds, so no Spark is needed.
"""

from eddyline.linting.findings import Finding
from eddyline.linting.rules import RULES, Rule, lint_sql

__all__ = ["RULES", "Finding", "Rule", "lint_sql"]
