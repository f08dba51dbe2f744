{{ config(materialized='view') }}

-- the newest row of each airline that the stream has written
select name, max_by(flights, batch) as flights from {{ ref('airline_flights') }} group by name
