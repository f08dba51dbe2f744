{{ config(materialized='ephemeral') }}
select * from values (1, 5), (1, 2), (3, 9) as t(buyer, price)
