"""Process replay: capture every kernel a compiler makes, and show what a change of the compiler does to them.

The parts, in the order in which a record flows through them: `capture` (the sink inside the captured program), `record`
(wire format and identity), `store` (SQLite), `corpus` (what a command reads), `revision` (a git revision as a folder),
`worker` and `executor` (one process, one revision), `memo`, `compare`, `diff`, `report`. The compiler itself is reached
through `adapters` only.
"""
