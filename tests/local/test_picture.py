"""The picture of a plan: places without overlaps, marks, counts, and the files of the CLI."""

from __future__ import annotations

import itertools
import os
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from eddyline import EddylineError, why
from eddyline.report import Why
from eddyline.report.layout import boxes_of
from eddyline.report.picture import draw
from eddyline.report.plan import PlanNode

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SVG = "{http://www.w3.org/2000/svg}"
KINDS = ("OPERATOR", "EXCHANGE", "SAVED", "REUSED", "REPLICA", "STATE")


def tree(size: int, seed: int = 0) -> list[PlanNode]:
    """Returns a random plan, the same for a size and seed; operators have up to three children."""
    drawn = random.Random(f"{size} {seed}")
    nodes = [PlanNode(0, None, "OPERATOR", "Project", "[a, b < c]")]
    room = {0: 2}
    for number in range(1, size):
        parent = drawn.choice([node for node, left in room.items() if left])
        room[parent] -= 1
        room[number] = drawn.choice([1, 1, 1, 2, 3])
        text, kind = "x" * drawn.randrange(120), drawn.choice(KINDS)
        nodes.append(
            PlanNode(number, parent, kind, f"N{number}", text, "by X", number, 9 << number)
        )
    return nodes


def groups(svg: str) -> list[ElementTree.Element]:
    """Returns the operators of a picture."""
    root = ElementTree.fromstring(svg)
    return [g for g in root.iter(f"{SVG}g") if "legend" not in (g.get("class") or "")]


def named(svg: str, kind: str) -> list[list[str]]:
    """Returns the lines of the operators of a kind."""
    return [
        [text.text or "" for text in g.findall(f"{SVG}text")]
        for g in groups(svg)
        if g.get("class") == kind
    ]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("size", [1, 3, 60])
def test_boxes_do_not_overlap_and_stand_below_their_readers(size: int, seed: int) -> None:
    boxes = boxes_of(tree(size, seed), 0, 0)
    assert len(boxes) == size
    for a, b in itertools.combinations(boxes, 2):
        beside = a.x + a.width <= b.x or b.x + b.width <= a.x
        assert beside or a.y + a.height <= b.y or b.y + b.height <= a.y, (a, b)
    at = {box.node.id: box for box in boxes}
    for box in boxes:
        if box.node.parent is not None:
            assert at[box.node.parent].y + at[box.node.parent].height < box.y


@pytest.mark.parametrize("size", [3, 60])
def test_the_text_stays_in_its_box(size: int) -> None:
    svg = draw([("with eddyline", tree(size)), ("a < b", tree(3))])
    assert svg == draw([("with eddyline", tree(size)), ("a < b", tree(3))]), "always the same"
    root = ElementTree.fromstring(svg)
    assert root.get("aria-label") == "Physical plan: with eddyline, a < b"
    assert "prefers-color-scheme: dark" in svg
    whole = float(root.get("width", ""))
    assert len(groups(svg)) == size + 3
    for group in groups(svg):
        box = group.find(f"{SVG}rect")
        assert box is not None
        left = float(box.get("x", ""))
        right = left + float(box.get("width", ""))
        assert 0 < left < right < whole
        assert group.find(f"{SVG}title") is not None
        for text in group.findall(f"{SVG}text"):
            start = float(text.get("x", ""))
            assert left < start
            assert start + len(text.text or "") * 7.23 < right, "7.23 px a character"


def test_long_texts_are_cut_and_titles_are_whole() -> None:
    long = "keys=[" + ", ".join(f"column_{i}" for i in range(40)) + "]"
    svg = draw([("p", [PlanNode(0, None, "OPERATOR", "HashAggregate", long)])])
    ((_, *lines),) = named(svg, "operator")
    assert len(lines) == 2
    assert lines[-1].endswith("…")
    (group,) = groups(svg)
    assert long in (group.findtext(f"{SVG}title") or "")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bigtree", None)
    with pytest.raises(EddylineError, match=r"\[picture\]'") as error:
        draw([("p", tree(1))])
    assert error.value.condition == "EDDYLINE_ENVIRONMENT.LAYOUT_MISSING"


def test_records_alone_have_no_plan() -> None:
    with pytest.raises(EddylineError) as error:
        Why([]).svg()
    assert error.value.condition == "EDDYLINE_REPORT.NO_PLAN"


@pytest.mark.usefixtures("adaptive")
def test_claims_and_lookups_are_marked(spark: SparkSession) -> None:
    for statement in (
        "CREATE TABLE d USING parquet PARTITIONED BY (day) AS SELECT id, id % 3 day FROM range(12)",
        "CREATE TABLE names USING parquet AS SELECT id AS day, 'x' AS name FROM range(3)",
        "CREATE GLOBAL TABLE g PRIMARY KEY (day) REFRESH MANUAL AS SELECT * FROM names",
    ):
        spark.sql(statement)
    frame = spark.sql(
        "SELECT name, sum(n) AS n FROM (SELECT day, count(*) AS n FROM d ASSUME PARTITIONED BY "
        "(day) GROUP BY day) JOIN g USING (day) GROUP BY name"
    )
    planned = why(frame).svg()
    assert {t.get("class") for t in ElementTree.fromstring(planned).iter(f"{SVG}text")}.isdisjoint(
        {"count"}
    ), "nothing has run"
    frame.collect()
    svg = why(frame).svg()
    saved = [lines[-1] for lines in named(svg, "saved")]
    assert sorted(saved) == ["saved by ASSUME", "saved by GLOBAL TABLE"]
    ((name, *_, label),) = named(svg, "replica")
    assert name == "GlobalLookup"
    assert "3 rows" in label
    counts = [
        t.text or ""
        for t in ElementTree.fromstring(svg).iter(f"{SVG}text")
        if t.get("class") == "count"
    ]
    assert "12 rows" in counts
    assert any(re.match(r"\d+ rows?, ", count) for count in counts), "an Exchange has bytes too"
    assert [lines[0] for lines in named(svg, "exchange")] == ["Exchange"], "for the name"
    both = named(why(frame).svg(stock=True), "exchange")
    assert len(both) > 2, "stock Spark also needs one for the day"
    page = why(frame).html()
    assert page.count("<svg") == 1
    assert "<td>SHUFFLE (day) for HashAggregate</td>" in page


def test_a_false_claim_is_not_struck_out(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE f USING parquet AS SELECT id % 4 AS k FROM range(20)")
    frame = spark.sql("SELECT k, count(*) FROM f ASSUME PARTITIONED BY (k) GROUP BY k")
    assert len(named(why(frame).svg(), "saved")) == 1
    assert len(frame.collect()) == 4
    svg = why(frame).svg()
    assert named(svg, "saved") == []
    (lines,) = named(svg, "exchange")
    assert any("the claim is false" in line for line in lines)


def test_a_stream_has_its_state(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE r (k INT, v INT) USING parquet")
    spark.sql("INSERT INTO r VALUES (1, 2), (2, 3)")
    frame = spark.sql("SELECT k, max(v) AS m FROM STREAM r GROUP BY k EMIT ON CHANGE")
    assert named(why(frame).svg(stock=True), "state"), "of its first micro-batch"
    writer = frame.writeStream.format("noop").trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(tmp_path)).start()
    query.awaitTermination()
    svg = why(query, spark).svg(stock=True)
    ours, *_ = named(svg, "state")
    assert ours[0] == "EmitOnChange"
    assert ours[-1].startswith("state store: 2 rows, ")
    assert any(lines[0] == "StateStoreSave" for lines in named(svg, "state")), "stock Spark"


@pytest.mark.usefixtures("newest_spark")
@pytest.mark.parametrize("name", ["claim", "lookup"])
def test_the_pictures_of_the_docs_are_fresh(spark: SparkSession, name: str) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", "4")
    for statement in (
        "CREATE TABLE sales USING parquet PARTITIONED BY (day) AS "
        "SELECT id, id % 3 AS day FROM range(12)",
        "CREATE TABLE labels USING parquet AS SELECT id AS day, 'x' AS name FROM range(3)",
        "CREATE GLOBAL TABLE day_names PRIMARY KEY (day) REFRESH MANUAL AS SELECT * FROM labels",
    ):
        spark.sql(statement)
    query = {
        "claim": "SELECT day, count(*) AS n FROM sales ASSUME PARTITIONED BY (day) GROUP BY day",
        "lookup": "SELECT name, id FROM sales JOIN day_names USING (day)",
    }[name]
    svg = why(spark.sql(query)).svg(stock=name == "claim")
    file = Path(__file__).resolve().parents[2] / f"docs/pictures/{name}.svg"
    if os.environ.get("UPDATE_DOCS"):
        file.write_text(svg, "utf-8")
    assert file.read_text("utf-8") == svg, "UPDATE_DOCS=1 writes it"


def test_the_command_writes_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    """The command's own session would stop the suite's, so it gets that of the test."""
    from contextlib import nullcontext

    from click.testing import CliRunner

    from eddyline.cli.commands import eddyline

    monkeypatch.setattr("eddyline.cli.why.open_session", lambda *_: nullcontext(spark))
    query = tmp_path / "query.sql"
    query.write_text(
        "CREATE TABLE w USING parquet AS SELECT id % 4 AS k FROM range(20);\n"
        "SELECT k, count(*) FROM w GROUP BY k;\n"
    )
    target = tmp_path / "plan.svg"
    drawn = ["why", "--svg", "--run", "-f", str(query), "-o", str(target)]
    result = CliRunner().invoke(eddyline, drawn)
    assert result.exit_code == 0, result.output
    assert named(target.read_text("utf-8"), "exchange")
    text = "SELECT k FROM w GROUP BY k"
    result = CliRunner().invoke(eddyline, ["why", "--html", "--stock", "-e", text])
    assert result.output.startswith("<!doctype html>")
    result = CliRunner().invoke(eddyline, ["why", "-e", text])
    assert "EXCHANGE SHUFFLE (k)" in result.output
    assert CliRunner().invoke(eddyline, ["why", "--stock", "-e", text]).exit_code == 2
