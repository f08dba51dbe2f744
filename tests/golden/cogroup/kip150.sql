-- The example of KIP-150. Its wiki text lost customer 1's wish list.

-- statement
CREATE TEMPORARY VIEW cart AS
SELECT * FROM VALUES (1, 1), (2, 2), (1, 3), (1, 4), (2, 5) AS t(customer_id, item)

-- statement
CREATE TEMPORARY VIEW purchases AS
SELECT * FROM VALUES (2, 6), (1, 7), (1, 8), (2, 9), (2, 10) AS t(buyer, item)

-- statement
CREATE TEMPORARY VIEW wishlist AS
SELECT * FROM VALUES (1, 11), (2, 12), (2, 13), (2, 14), (2, 15) AS t(customer_id, item)

-- query
COGROUP cart BY customer_id, purchases BY buyer, wishlist BY customer_id
AGGREGATE sort_array(collect_list(cart.item))      AS cart,
          sort_array(collect_list(purchases.item)) AS purchases,
          sort_array(collect_list(wishlist.item))  AS wishlist
-- result
1	[1, 3, 4]	[7, 8]	[11]
2	[2, 5]	[6, 9, 10]	[12, 13, 14, 15]
