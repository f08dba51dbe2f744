"""Tests of the clients that users have, against a real server; run by `make test-interop`."""
