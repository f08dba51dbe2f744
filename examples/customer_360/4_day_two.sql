-- late rows for the hours of the first day, which their customers have changed by now
INSERT INTO clicks VALUES
  (1, 'help', TIMESTAMP '2026-03-01 09:59:00'), (2, 'help', TIMESTAMP '2026-03-01 09:55:00'),
  (3, 'pens', TIMESTAMP '2026-03-01 10:40:00'), (1, 'home', TIMESTAMP '2026-03-02 08:00:00');
INSERT INTO orders VALUES
  (2, 5.00, TIMESTAMP '2026-03-02 08:30:00'), (1, 7.25, TIMESTAMP '2026-03-02 08:31:00');
INSERT INTO tickets VALUES (3, 2, TIMESTAMP '2026-03-02 08:45:00');
