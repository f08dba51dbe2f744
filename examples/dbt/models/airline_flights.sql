{{ config(materialized='streaming_query', trigger='available now', batch_id='batch') }}

select airline.name, count(*) as flights
from stream {{ ref('departures') }} as departures
join {{ ref('airline') }} as airline on airline.carrier = departures.carrier
group by airline.name
emit on change
