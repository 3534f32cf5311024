# SPDX-License-Identifier: Apache-2.0
"""A page whose commands and edits a test makes as its reader would: commands are indented by four blanks, edits are a sentence
`In FILE, before|after|instead of the line that begins with TEXT:` and the block of code that follows."""
import re
import subprocess

STEP = re.compile(r"In\s+`([^`]+)`,\s+(before|after|instead\s+of)\s+the\s+line\s+that\s+begins\s+with\s+`([^`]+)`:\n\n```\w+\n(.*?)```\n",
                  re.DOTALL)
COMMAND = re.compile(r"^    (\S.*)$", re.MULTILINE)


class Page:
    def __init__(self, path, environment):
        """`environment` is what the page's `export` lines would set."""
        self.text = path.read_text()
        self.environment = environment

    def actions(self):
        """(position, kind, content) of each command and edit, in the order of the page; `export` lines are left out."""
        # Code blocks hold indented lines that are no commands.
        blank = re.sub(r"```.*?```", lambda m: re.sub(r"[^\n]", "x", m[0]), self.text, flags=re.DOTALL)
        found = [(m.start(), "command", m[1]) for m in COMMAND.finditer(blank) if not m[1].startswith("export ")]
        found += [(m.start(), "edit", m.groups()) for m in STEP.finditer(self.text)]
        return [action[1:] for action in sorted(found)]

    def commands(self):
        return [content for kind, content in self.actions() if kind == "command"]

    def run(self, command, folder, expect=0):
        done = subprocess.run(command, shell=True, cwd=folder, env=self.environment, capture_output=True, text=True, timeout=240)
        assert done.returncode == expect, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def follow(self, folder):
        """Does what the page says; what the last command printed."""
        printed = ""
        for kind, content in self.actions():
            if kind == "command":
                printed = self.run(content, folder)
            else:
                edit(folder, *content)
        return printed


def edit(folder, name, where, anchor, block):
    path = folder / name
    lines = path.read_text().splitlines(keepends=True)
    found = [n for n, line in enumerate(lines) if line.startswith(anchor)]
    assert len(found) == 1, f"{name}: {len(found)} lines begin with '{anchor}'"
    if where == "before":
        lines.insert(found[0], block)
    elif where == "after":
        lines.insert(found[0] + 1, block)
    else:
        lines[found[0]] = block
    path.write_text("".join(lines))
