"""COGROUP against an independent engine, and against what Kafka Streams itself computes."""
