import traceback
from pathlib import Path
def test_probe(spark):
    def q(sql):
        try:
            print("##", sql)
            for r in spark.sql(sql).collect(): print("   ", "\t".join("NULL" if c is None else str(c) for c in r))
        except Exception as e: print("   ERR", str(e)[:300])
    for aqe in ("true","false"):
        spark.conf.set("spark.sql.adaptive.enabled", aqe)
        q("CREATE TABLE facts USING parquet PARTITIONED BY (day) AS SELECT id AS v, CAST(id % 3 AS INT) AS day FROM range(12)")
        q("CREATE GLOBAL TABLE items PRIMARY KEY (v) REFRESH MANUAL AS SELECT * FROM facts")
        q("EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM items ASSUME PARTITIONED BY (day) GROUP BY day")
        q("EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM items ASSUME PARTITIONED BY (day) NOT ENFORCED WHERE v > 3 GROUP BY day")
        q("EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM (SELECT day, v FROM items WHERE v > 3) AS s ASSUME PARTITIONED BY (day) GROUP BY day")
        q("EXPLAIN ASSUMPTIONS SELECT f.day, count(*) FROM facts f ASSUME PARTITIONED BY (day) JOIN items i ON f.v = i.v GROUP BY f.day")
        q("EXPLAIN SELECT f.day, count(*) FROM facts f ASSUME PARTITIONED BY (day) JOIN items i ON f.v = i.v GROUP BY f.day")
        q("SELECT day, count(*) FROM items ASSUME PARTITIONED BY (day) GROUP BY day")
        q("SELECT f.day, count(*) FROM facts f ASSUME PARTITIONED BY (day) JOIN items i ASSUME PARTITIONED BY (v) ON f.v = i.v GROUP BY f.day")
        q("EXPLAIN ASSUMPTIONS SELECT f.day, count(*) FROM facts f ASSUME PARTITIONED BY (day) JOIN items i ASSUME PARTITIONED BY (v) ON f.v = i.v GROUP BY f.day")
        q("CHECK ASSUMPTION ON items PARTITIONED BY (day)")
        q("CACHE TABLE remembered AS SELECT v, day FROM facts")
        q("EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM remembered ASSUME PARTITIONED BY (day) GROUP BY day")
        q("SELECT day, count(*) FROM remembered ASSUME PARTITIONED BY (day) NOT ENFORCED GROUP BY day")
        q("UNCACHE TABLE remembered")
        q("CREATE NAMESPACE lake.assumed")
        q("CREATE TABLE lake.assumed.t (v BIGINT, day INT)")
        q("INSERT INTO lake.assumed.t SELECT * FROM facts")
        q("EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM lake.assumed.t ASSUME PARTITIONED BY (day) GROUP BY day")
        q("SELECT day, count(*) FROM lake.assumed.t ASSUME PARTITIONED BY (day) NOT ENFORCED GROUP BY day")
        q("DROP TABLE lake.assumed.t")
        q("DROP GLOBAL TABLE items")
        q("DROP TABLE facts")
