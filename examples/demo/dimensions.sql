CREATE GLOBAL TABLE airlines (carrier STRING, name STRING, PRIMARY KEY (carrier))
USING csv OPTIONS (header true) LOCATION '<folder>/airlines';

CREATE GLOBAL TABLE planes (tailnum STRING, year INT, type STRING, manufacturer STRING, PRIMARY KEY (tailnum))
USING csv OPTIONS (header true, nullValue 'NA') LOCATION '<folder>/planes' REFRESH EVERY 1 HOUR;

CREATE GLOBAL TABLE airports (faa STRING, name STRING, PRIMARY KEY (faa))
USING csv OPTIONS (header true) LOCATION '<folder>/airports' REFRESH MANUAL;

SELECT f.day, f.flight, a.name AS airline, p.manufacturer, d.name AS destination
FROM flights AS f
JOIN airlines AS a ON a.carrier = f.carrier
LEFT JOIN planes AS p ON p.tailnum = f.tailnum
LEFT JOIN airports AS d ON d.faa = f.dest
