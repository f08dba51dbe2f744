{#- A folder for each month, and only months that have not arrived yet: a stream reads this table. -#}
{{ config(materialized='incremental', incremental_strategy='append', partition_by='month') }}

select carrier, flight, tailnum, origin, dest, dep_delay, arr_delay,
       make_date(year, month, day) as date, month
from {{ source('raw', 'raw_flights') }}
where month <= {{ var('months') }}
{% if is_incremental() %}
  and month > (select coalesce(max(month), 0) from {{ this }})
{% endif %}
