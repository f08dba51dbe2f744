{{ config(materialized='table') }}

-- two files, and no item in both
select /*+ repartition(2, item) */ item, price from {{ ref('offers') }}
