{{ config(materialized='table') }}

-- whether the files of the seed keep to the claim or not, the rows are these
select customer_id, count(*) as items
from {{ ref('cart') }} as cart assume partitioned by (customer_id)
group by customer_id
