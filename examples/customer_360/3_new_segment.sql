-- Ann becomes a gold customer. No stream is restarted.
INSERT OVERWRITE crm VALUES (1, 'Ann', 'gold'), (2, 'Bob', 'new'), (3, 'Cem', 'gold');
REFRESH GLOBAL TABLE customer;
