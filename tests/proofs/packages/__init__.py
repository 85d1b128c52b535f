"""The packages that zarrscope needs: known vulnerabilities, the lowest versions; and rules for its own code."""
