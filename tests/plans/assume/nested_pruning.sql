-- Of the struct only x is read, and user_id, which the claim names beside dt, is not.
SELECT dt, sum(st.x) AS x FROM sales ASSUME PARTITIONED BY (dt, user_id) GROUP BY dt
