SELECT month, origin, dest,
       count(*)       AS flights,
       avg(dep_delay) AS delay
FROM flights_by_month ASSUME PARTITIONED BY (month)
GROUP BY month, origin, dest
