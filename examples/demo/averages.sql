SELECT origin,
       dest,
       avg(dep_delay) AS delay
FROM flights
WHERE dep_delay IS NOT NULL
GROUP BY origin, dest
EMIT ON CHANGE TOLERANCE 2
