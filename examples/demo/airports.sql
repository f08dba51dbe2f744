COGROUP flights AS departures BY (origin AS airport, day),
        flights AS arrivals   BY (dest, day),
        weather               BY (origin, day)
AGGREGATE count(departures.*)            AS departed,
          avg(departures.dep_delay)      AS departure_delay,
          count(arrivals.*)              AS arrived,
          avg(arrivals.arr_delay)        AS arrival_delay,
          max(weather.wind_speed)        AS wind,
          sum(weather.precip)            AS rain
