"""What docs/faq.md says of Spark itself: when Spark behaves better, the page can go."""

from __future__ import annotations

from typing import Any

import pytest


def test_a_view_over_a_stream_is_made_twice(cursor: Any) -> None:
    from pyhive.exc import OperationalError

    cursor.execute("CREATE TABLE faq_ticks (price INT) USING parquet")
    with pytest.raises(OperationalError) as refused:
        cursor.execute("CREATE VIEW faq_prices AS SELECT price FROM STREAM faq_ticks")
    assert "[TABLE_OR_VIEW_ALREADY_EXISTS]" in refused.value.args[0].status.errorMessage
    cursor.execute("CREATE OR REPLACE VIEW faq_prices AS SELECT price FROM STREAM faq_ticks")
    cursor.execute("SHOW VIEWS LIKE 'faq_prices'")
    assert len(cursor.fetchall()) == 1
