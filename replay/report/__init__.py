"""Renderings of a diff. Each makes text of a `replay.diff.Diff`; what comes from captures is escaped here."""
