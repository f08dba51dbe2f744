SELECT origin,
       dest,
       CASE WHEN avg(dep_delay) >= 20 THEN 'delayed'
            WHEN avg(dep_delay) >= 10 THEN 'slow'
            ELSE 'on time'
       END AS status
FROM flights
WHERE dep_delay IS NOT NULL
GROUP BY origin, dest
EMIT ON CHANGE
