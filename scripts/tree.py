# SPDX-License-Identifier: Apache-2.0
"""The files of the project that the checks look at."""
import pathlib
import subprocess


def files(root):
    """Paths relative to root, sorted: what git tracks and what it would (new files, not ignored ones).

    Raises subprocess.CalledProcessError if root is not a git checkout.
    """
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    paths = sorted(pathlib.PurePosixPath(p) for p in set(listed.split("\0")) if p)
    return [p for p in paths if (root / p).is_file()]


def report(problems, warnings=()):
    """Prints the findings, one a line; the exit status."""
    for line in warnings:
        print(f"warning: {line}")
    for line in problems:
        print(line)
    return 1 if problems else 0
