{{ config(materialized='table') }}

-- one row for each airport and day, with one shuffle
cogroup {{ ref('departures') }} as departures by (origin as airport, date),
        {{ ref('departures') }} as arrivals by (dest, date)
aggregate count(departures.*)       as departed,
          avg(departures.dep_delay) as departure_delay,
          count(arrivals.*)         as arrived,
          avg(arrivals.arr_delay)   as arrival_delay
