"""Other engines beside eddyline: jobs, and processes that do them."""
