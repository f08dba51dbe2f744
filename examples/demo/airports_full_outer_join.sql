SELECT coalesce(d.airport, a.airport, w.airport) AS airport,
       coalesce(d.day, a.day, w.day)             AS day,
       coalesce(departed, 0)                     AS departed,
       departure_delay,
       coalesce(arrived, 0)                      AS arrived,
       arrival_delay,
       wind,
       rain
FROM (SELECT origin AS airport, day, count(*) AS departed, avg(dep_delay) AS departure_delay
      FROM flights WHERE origin IS NOT NULL AND day IS NOT NULL GROUP BY origin, day) AS d
FULL OUTER JOIN
     (SELECT dest AS airport, day, count(*) AS arrived, avg(arr_delay) AS arrival_delay
      FROM flights WHERE dest IS NOT NULL AND day IS NOT NULL GROUP BY dest, day) AS a
  ON d.airport = a.airport AND d.day = a.day
FULL OUTER JOIN
     (SELECT origin AS airport, day, max(wind_speed) AS wind, sum(precip) AS rain
      FROM weather WHERE origin IS NOT NULL AND day IS NOT NULL GROUP BY origin, day) AS w
  ON coalesce(d.airport, a.airport) = w.airport AND coalesce(d.day, a.day) = w.day
