"""The one-command machine: embedded PostgreSQL, supervisor and a channel layer without Redis."""
