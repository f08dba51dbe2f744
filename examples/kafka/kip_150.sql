-- KIP-150: the items of three topics become one row a customer.
CREATE TABLE cart USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'cart', startingOffsets 'earliest');
CREATE TABLE purchases USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'purchases', startingOffsets 'earliest');
CREATE TABLE wishlist USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'wishlist', startingOffsets 'earliest');
CREATE TABLE customers USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'customers');

START STREAMING QUERY kip_150 TRIGGER AVAILABLE NOW
AS INSERT INTO customers (key, value)
COGROUP STREAM cart      BY string(key) AS key,
        STREAM purchases BY string(key),
        STREAM wishlist  BY string(key)
AGGREGATE to_json(struct(
  sort_array(collect_list(int(string(cart.value))))      AS cart,
  sort_array(collect_list(int(string(purchases.value)))) AS purchases,
  sort_array(collect_list(int(string(wishlist.value))))  AS wishlist)) AS value
EMIT ON CHANGE;
