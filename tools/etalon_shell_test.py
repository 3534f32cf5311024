#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Completion in real shells, and manual pages as troff reads them. Arguments: SOURCE_DIR ETALON."""
import re
import shutil
import subprocess
import sys
import unittest

from etalon_case import ETALON, Case

COMMANDS = ["run", "sweep", "asm", "dis", "diff", "isa", "machines", "devices", "completion", "man"]
# Sets the words as readline would, calls the function, prints what it offers.
DRIVER = """source "$1"; shift; COMP_CWORD=$1; shift; COMP_WORDS=("$@"); _etalon; printf '%s\\n' "${COMPREPLY[@]}" """


def options_of(help_text):
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_text, re.MULTILINE))


class Completion(Case):
    def setUp(self):
        super().setUp()
        self.script = self.folder / "etalon.bash"
        self.script.write_text(self.etalon("completion", "bash").stdout)
        (self.folder / "a file.elf").write_text("")
        (self.folder / "model.so").write_text("")

    def offers(self, *words):
        """What bash completes the last word to."""
        done = subprocess.run(["bash", "-c", DRIVER, "bash", self.script, str(len(words)), "etalon", *words], capture_output=True, text=True,
                              cwd=self.folder, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\n")[:-1] if done.stdout != "\n" else []

    def test_every_command_and_option_that_help_shows_is_offered(self):
        self.assertEqual(self.offers(""), COMMANDS)
        self.assertEqual(self.offers("m"), ["machines", "man"])
        for command in ([], *([name] for name in COMMANDS), ["machines", "show"]):
            shown = options_of(self.etalon(*command, "--help").stdout)
            self.assertIn("--help", shown)
            self.assertLessEqual(shown, set(self.offers(*command, "-")), command)

    def test_values_are_offered_where_they_are_known(self):
        self.assertEqual(self.offers("run", "--permit", ""), ["uninitialised", "races", "order-dependent"])
        self.assertEqual(self.offers("run", "--device", "npu"), ["npu", "npu-functional"])
        self.assertEqual(self.offers("run", "--device", "=", "npu"), ["npu", "npu-functional"])
        self.assertEqual(self.offers("isa", "et.barr"), ["et.barrier"])
        self.assertEqual(self.offers("isa", "--group", "synch"), ["synchronisation"])
        self.assertEqual(self.offers("isa", "--unit", "ma"), ["matrix"])
        self.assertEqual(self.offers("machines", "show", "b"), ["base"])
        self.assertEqual(self.offers("machines", "--json", "sh"), ["show"])
        self.assertEqual(self.offers("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.offers("run", "--cores", ""), [])

    def test_files_are_offered_where_files_go_with_blanks_in_their_names(self):
        self.assertEqual(self.offers("run", "a"), ["a file.elf"])
        self.assertEqual(self.offers("run", "--cores", "1", "a"), ["a file.elf"])
        self.assertEqual(self.offers("run", "--in", "A", "=", "mod"), ["model.so"])
        self.assertEqual(self.offers("run", "--in", "A", "="), ["a file.elf", "etalon.bash", "model.so"])
        self.assertEqual(self.offers("run", "--device", "plugin", ":", "mod"), ["model.so"])
        self.assertEqual(self.offers("asm", "-o", "mod"), ["model.so"])
        self.assertEqual(self.offers("isa", "mod"), [])

    def test_bash_finds_the_function_for_the_program(self):
        done = subprocess.run(["bash", "-c", f"source {self.script}; complete -p etalon"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "complete -F _etalon etalon\n")

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_takes_its_script(self):
        script = self.folder / "_etalon"
        script.write_text(self.etalon("completion", "zsh").stdout)
        done = subprocess.run(["zsh", "-f", "-c", "autoload -U compinit; compinit -u -D; source $1; print $_comps[etalon]", "zsh", script],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("_etalon\n", ""))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_offers_the_same(self):
        script = self.folder / "etalon.fish"
        script.write_text(self.etalon("completion", "fish").stdout)
        for line, expected in (("etalon m", ["machines", "man"]), ("etalon run --permit ra", ["races"]), ("etalon isa et.barr", ["et.barrier"])):
            done = subprocess.run(["fish", "-N", "-c", f"source {script}; complete -C '{line}'"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stderr, "")
            self.assertEqual([offer.split("\t")[0] for offer in done.stdout.splitlines()], expected, line)

    def test_another_shell_is_refused(self):
        self.refused("completion", "tcsh", says="there is no script for 'tcsh'; there is one for bash, zsh, fish")


class ManPages(Case):
    def test_there_is_a_page_for_every_command_with_all_its_options(self):
        self.etalon("man", "--output", self.folder)
        pages = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(pages, sorted(["etalon.1", *(f"etalon-machines-{name}.1" for name in ("diff", "keys", "list", "schema", "show"))] + [f"etalon-{name}.1" for name in COMMANDS]))
        for name in COMMANDS:
            page = (self.folder / f"etalon-{name}.1").read_text()
            self.assertEqual(page, self.etalon("man", name).stdout)
            for option in options_of(self.etalon(name, "--help").stdout):
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", page)
        self.assertIn(".BR etalon\\-run (1)", (self.folder / "etalon.1").read_text())

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_troff_reads_every_page_without_a_warning(self):
        self.etalon("man", "--output", self.folder)
        for path in sorted(self.folder.iterdir()):
            done = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-cbou", path], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stderr, "", path.name)
            self.assertIn("EXIT STATUS", done.stdout)
        self.assertRegex(subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", self.folder / "etalon-run.1"], capture_output=True, text=True,
                                        timeout=60).stdout, r"--permit uninitialised\|races\|order-dependent\n +Do not fail for this finding")

    def test_a_command_that_is_none_is_refused(self):
        self.refused("man", "walk", says="`etalon` has no subcommand 'walk'; it has run, sweep")
        self.refused("man", "machines", "hide", says="`etalon machines` has no subcommand 'hide'; it has list, show, diff, keys, schema")
        self.refused("man", "run", "fast", says="`etalon run` has no subcommands")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
