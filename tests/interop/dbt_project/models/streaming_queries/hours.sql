{{ config(materialized='streaming_query', trigger='available_now', batch_id='batch') }}

-- the items of each customer, again whenever they change
select customer_id, count(*) as items
from stream {{ ref('cart') }}
group by customer_id
emit on change
