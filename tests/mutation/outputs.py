"""What a compiler makes of records, by plain calls and none of the harness: `python outputs.py TREE RECORDS.json`.

Prints an object: `record backend mode` -> what came out. A record that hangs or ends the process is the last one.
"""

from __future__ import annotations

import hashlib
import json
import resource
import signal
import sys

sys.path.insert(0, sys.argv[1])
SECONDS = 3
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def main() -> None:
    with open(sys.argv[2], encoding="utf-8") as stream:
        records = json.load(stream)
    from core import process_replay

    def give_up(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    for digest, record in records.items():
        own = record["opts"]["backend"]
        ways = [(None, "pinned"), (None, "free")] + [
            (name, "free") for name in process_replay.backends() if name != own
        ]
        for backend, mode in ways:
            signal.alarm(SECONDS)
            try:
                found = process_replay.replay(record, backend, mode)
            except Exception as error:  # the compiler is broken on purpose
                found = {"status": "error", "type": type(error).__name__, "message": str(error)}
            signal.alarm(0)
            kept = [
                found.get(name) for name in ("status", "src", "global_size", "local_size", "type", "message", "field")
            ]
            said = hashlib.sha256(json.dumps(kept).encode()).hexdigest()
            print(json.dumps([f"{digest} {backend or own} {mode}", said]), flush=True)


main()
