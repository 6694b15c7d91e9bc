"""How each op is written."""

# The rules, by op.
TEMPLATES = {
    "ADD": "({} + {})",
    "MUL": "({} * {})",
    "NEG": "(-{})",
    "MAX": "max({}, {})",
}
UPCAST = 4
