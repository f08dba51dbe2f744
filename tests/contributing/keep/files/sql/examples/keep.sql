-- The two cheapest items.
CREATE TEMPORARY VIEW items AS SELECT * FROM VALUES ('cup', 3), ('pot', 9), ('jar', 5) AS t(item, price);

SELECT item FROM items ORDER BY price KEEP FIRST 2;
