{{ config(
    materialized='streaming_query',
    query_options={'spark.sql.shuffle.partitions': 1},
    partition_by='customer_id') }}

select customer_id, item from stream {{ ref('cart') }} -- as they come
