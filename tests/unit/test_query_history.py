"""The model of statements at the same time finds what no order of them explains."""

from __future__ import annotations

import pytest

from faults.query_history import ALREADY_EXISTS, NOT_FOUND, Answer, History, State, Statement

CREATE = Statement(1, "CREATE")
REPLACE = Statement(2, "CREATE OR REPLACE")
STOP = Statement(3, "STOP")
PURGE = Statement(4, "DROP PURGE")


def history(*moments: Statement | tuple[Statement, Answer]) -> History:
    """Returns the history of statements that begin and, with an answer, end."""
    found = History()
    for moment in moments:
        if isinstance(moment, Statement):
            found.begin(moment)
        else:
            found.end(*moment)
    return found


def one_after_another(*answers: tuple[Statement, Answer]) -> set[State]:
    return history(*(moment for answer in answers for moment in (answer[0], answer))).ends()


def test_one_after_another() -> None:
    ok = Answer()
    assert one_after_another((CREATE, ok), (STOP, ok)) == {(1, False)}
    assert one_after_another((CREATE, ok), (REPLACE, ok)) == {(2, True)}
    assert one_after_another((CREATE, ok), (PURGE, ok), (STOP, Answer(NOT_FOUND))) == {None}


@pytest.mark.parametrize(
    "last",
    [
        (STOP, Answer(NOT_FOUND)),
        (Statement(5, "SHOW"), Answer(exists=False)),
        (Statement(5, "CREATE"), Answer()),
        (REPLACE, Answer(ALREADY_EXISTS)),
        (STOP, Answer("DIVIDE_BY_ZERO")),
    ],
)
def test_what_no_order_explains(last: tuple[Statement, Answer]) -> None:
    with pytest.raises(AssertionError, match="no order explains"):
        one_after_another((CREATE, Answer()), last)


def test_at_the_same_time() -> None:
    ok = Answer()
    found = history(CREATE, (CREATE, ok), REPLACE, STOP, (STOP, ok), (REPLACE, ok))
    assert found.ends() == {(2, False), (2, True)}
    found = history(CREATE, STOP, (STOP, Answer(NOT_FOUND)), (CREATE, ok))
    assert found.ends() == {(1, True)}


def test_what_is_interrupted_is_done_or_not() -> None:
    created = (CREATE, Answer())
    killed = Answer(interrupted=True)
    assert one_after_another(created, (REPLACE, killed)) == {(1, True), (2, True)}
    assert one_after_another(created, (PURGE, killed)) == {(1, True), None}
