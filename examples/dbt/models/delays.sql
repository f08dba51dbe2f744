{{ config(materialized='table') }}

-- no shuffle: a month is a folder
select month, origin, count(*) as flights, avg(dep_delay) as delay
from {{ ref('departures') }} assume partitioned by (month)
group by month, origin
