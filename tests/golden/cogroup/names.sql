-- Columns without AS are called as typed, in Spark's way; nothing of the plan has a name to type.

-- statement
CREATE TEMPORARY VIEW cart AS
SELECT * FROM VALUES (1, 'cup', 4.0), (2, 'pot', 20.0), (1, 'jar', 6.0) AS t(customer_id, item, price)

-- statement
CREATE TEMPORARY VIEW purchases AS
SELECT * FROM VALUES (2, 30), (1, 10), (1, 20), (3, 5) AS t(buyer, price)

-- query equals
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE customer_id + 1, count(cart.*), sum(customer_id), customer_id,
          count(cart.*) FILTER (WHERE cart.price > 5), count(cart.*) + sum(purchases.price),
          sum(10 / coalesce(purchases.price, 1)), count(*)
-- to
SELECT * FROM VALUES
  (1, 2, 2L, 4L, 1, 1L, 32L, 1.5D, 4L), (2, 3, 1L, 4L, 2, 1L, 31L, 1 / 3D, 2L), (3, 4, 0L, 3L, 3, 0L, 5L, 2D, 1L)
  AS t(customer_id, `(customer_id + 1)`, `count(cart.*)`, `sum(customer_id)`, customer_id,
       `count(cart.*) FILTER (WHERE (price > 5))`, `(count(cart.*) + sum(price))`,
       `sum((10 / coalesce(price, 1)))`, `count(1)`)

-- query
-- names that a user may have: they are the user's own
COGROUP (SELECT 1 AS k, 'mine' AS branch) AS a BY k, (SELECT 1 AS k, 7 AS `a.*`) AS b BY k
AGGREGATE max(branch) AS branch, max(`a.*`) AS star, count(a.*) AS n HAVING EVERY BRANCH AND branch = 'mine'
-- result
1	mine	7	1

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
  COGROUP cart BY customer_id, purchases BY buyer AGGREGATE max(branch) AS n
--                                                              ^^^^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
  COGROUP cart BY customer_id, purchases BY buyer AGGREGATE max(__eddyline_branch) AS n
--                                                              ^^^^^^^^^^^^^^^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
  COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(`cart.*`) AS n
--                                                                ^^^^^^^^

-- query
-- the column of a branch that has the key's name, with its branch
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE max(cart.customer_id) AS c, max(purchases.buyer) AS b
HAVING coalesce(max(cart.customer_id), 5) > 1 ORDER BY customer_id DESC
-- result ordered
3	NULL	3
2	2	2

-- query
-- the star of a branch has its columns in their order
COGROUP (SELECT price, customer_id FROM cart) AS c BY customer_id, purchases BY buyer
AGGREGATE max(struct(c.*)) AS s, max(array(c.*)) AS a
-- result
1	{price: 6.0, customer_id: 1}	[6.0, 1.0]
2	{price: 20.0, customer_id: 2}	[20.0, 2.0]
3	NULL	NULL

-- query
-- without one of them, too
COGROUP (SELECT price, item, customer_id FROM cart) AS c BY customer_id, purchases BY buyer
AGGREGATE max(struct(c.* EXCEPT (item))) AS s
-- result
1	{price: 6.0, customer_id: 1}
2	{price: 20.0, customer_id: 2}
3	NULL

-- query
-- the fields of a column come before a branch of its name, and its star is no star of a branch
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE struct(-max(buyer) AS customer_id) AS cart, struct(max(purchases.price) AS price) AS most
HAVING cart.customer_id < -1 |> ORDER BY cart.customer_id |> SELECT struct(cart.*, most.*) AS s
-- result ordered
{customer_id: -3, price: 5}
{customer_id: -2, price: 30}

-- query
-- a column without fields hides no branch
COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(cart.*) AS cart
HAVING count(cart.*) > 1 OR max(cart.customer_id) > 1
-- result
1	2
2	1

-- query
-- nor does an array
COGROUP cart BY customer_id, purchases BY buyer AGGREGATE sort_array(collect_list(cart.price)) AS cart
HAVING max(struct(cart.*)).customer_id < 3
-- result
1	[4.0, 6.0]
2	[20.0]
