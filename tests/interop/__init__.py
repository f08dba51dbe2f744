"""Every client a user may come with, against a real server; run by `make test-interop`."""
