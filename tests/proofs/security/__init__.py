"""What malicious data, servers and other users of the machine must not reach: see core/docs/security.md."""
