"""What decides a run, kept with it: a stopped run goes on by itself only with what it was begun with."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

#: Where to write, how fast, how often to look: these decide nothing of what is learned.
FREE = ("out", "threads", "validate", "go_on_changed")


def sha256(file: Path) -> str:
    """SHA-256 of a file's contents, in hexadecimal."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def contents(*files: Path | None) -> str:
    """Names and hashes of the files that there are: what they hold counts, not where they lie."""
    return " ".join(f"{f.name} {sha256(f)[:16]}" for f in files if f and f.is_file()) or "none"


def mined_contents(folders: list[Path]) -> str:
    """Pairs of folders of `ratio mine`, by the folders' names."""
    return ", ".join(f"{f.name}/{contents(f / 'pairs.jsonl')}" for f in folders)


def fingerprint(args: argparse.Namespace, free: tuple[str, ...] = FREE, **read: object) -> dict[str, str]:
    """All arguments but `free`; `read` says what is in the files that some of them name, and what else decides."""
    return {k: str(v) for k, v in (vars(args) | read).items() if k not in free}


def differences(kept: dict[str, str], given: dict[str, str]) -> dict[str, list[str]]:
    """By name: what it was, and what it is now."""
    changed = sorted(k for k in {*kept, *given} if kept.get(k) != given.get(k))
    return {k: [kept.get(k, "not recorded"), given.get(k, "not known")] for k in changed}


def said(changed: dict[str, list[str]]) -> str:
    """What `differences` found, as one line for a message."""
    return "; ".join(f"{name} was {was}, is {now}" for name, (was, now) in changed.items())


def changes(state: Path, kept: dict[str, str] | None, given: dict[str, str], go_on: bool) -> dict[str, list[str]]:
    """How `given` differs from what the run of `state` was begun with; exits where it does, unless told to go on."""
    changed = {"all": ["not recorded", "as given"]} if kept is None else differences(kept, given)
    if changed and not go_on:
        why = "does not say what its run was begun with" if kept is None else f"is of another run: {said(changed)}"
        raise SystemExit(f"{state} {why}. Choose another --out, or go on from it all the same with --go-on-changed.")
    return changed
