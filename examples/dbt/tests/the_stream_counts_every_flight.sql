select total, counted
from (select count(*) as total from {{ ref('departures') }})
cross join (select sum(flights) as counted from {{ ref('airline_totals') }})
where total is distinct from counted
