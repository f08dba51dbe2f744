-- KIP-150's example: three inputs of one customer become one row.
CREATE TEMPORARY VIEW cart AS
SELECT * FROM VALUES (1, 1), (2, 2), (1, 3), (1, 4), (2, 5) AS cart(customer_id, item);

CREATE TEMPORARY VIEW purchases AS
SELECT * FROM VALUES (2, 6), (1, 7), (1, 8), (2, 9), (2, 10) AS purchases(buyer, item);

CREATE TEMPORARY VIEW wishlist AS
SELECT * FROM VALUES (1, 11), (2, 12), (2, 13), (2, 14), (2, 15) AS wishlist(customer_id, item);

COGROUP cart      BY customer_id,
        purchases BY buyer,
        wishlist  BY customer_id
AGGREGATE sort_array(collect_list(cart.item))      AS cart,
          sort_array(collect_list(purchases.item)) AS purchases,
          sort_array(collect_list(wishlist.item))  AS wishlist
ORDER BY customer_id;
