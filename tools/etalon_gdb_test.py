#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`etalon run --gdb`: the wire, and a real gdb-multiarch on the other end of it. Arguments: SOURCE_DIR ETALON."""
import json
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

from etalon_case import DATA, ETALON, LLVM, Case

GDB = shutil.which("gdb-multiarch")
IDLE = "jal x0, 0"


class Debugged(Case):
    def start(self, program, *options):
        """A run that waits for a debugger, and the port it named."""
        run = subprocess.Popen([ETALON, "run", str(program), *map(str, options), "--gdb", "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        said = run.stderr.readline()
        port = re.search(r"waiting for a debugger: \(gdb\) target remote :(\d+)$", said)
        self.assertIsNotNone(port, said + run.stderr.read() if run.poll() is not None else said)
        return run, int(port[1])

    def ends(self, run, status):
        out, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, status, out + errors)
        return out, errors


class Wire(Debugged):
    def connect(self, port):
        wire = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.addCleanup(wire.close)
        return wire

    @staticmethod
    def frame(data):
        return b"$" + data + b"#%02x" % (sum(data) & 255)

    def ask(self, wire, data):
        """The answer to a packet, which is acknowledged."""
        wire.sendall(self.frame(data))
        got = b""
        while not re.fullmatch(rb"\+\$[^#]*#..", got):
            more = wire.recv(65536)
            self.assertTrue(more, got)
            got += more
        wire.sendall(b"+")
        return got[2:-3]

    def test_a_port_that_is_taken_is_an_error(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        port = taken.getsockname()[1]
        self.refused("run", self.image("et.halt"), "--gdb", port,
                     says=f"--gdb {port}: cannot listen on this port of this host (Address already in use); 0 takes a free one")

    def test_a_port_that_is_none_is_an_error(self):
        self.refused("run", self.image("et.halt"), "--gdb", 65536, says="--gdb 65536: a port is 0 to 65535")
        self.refused("run", self.image("et.halt"), "--gdb", "here", says="--gdb: 'here'")

    def test_ctrl_c_ends_the_waiting(self):
        run, _ = self.start(self.image(IDLE))
        run.send_signal(signal.SIGINT)
        self.assertIn("interrupted", self.ends(run, 130)[1])

    def test_ctrl_c_of_the_tool_ends_a_run_under_a_debugger(self):
        for running in (False, True):
            run, port = self.start(self.image(IDLE), "--cores", 1, "--limit", 0)
            wire = self.connect(port)
            self.assertEqual(self.ask(wire, b"?"), b"T05thread:1;")
            if running:
                wire.sendall(self.frame(b"vCont;c"))
                time.sleep(0.2)
            run.send_signal(signal.SIGINT)
            self.assertIn("interrupted", self.ends(run, 130)[1])

    def test_a_debugger_that_does_not_read_cannot_hold_the_tool(self):
        run, port = self.start(self.image(IDLE), "--cores", 1)
        wire = self.connect(port)
        wire.settimeout(2)
        try:
            while True:
                wire.sendall(self.frame(b"m80000000,1ff0") * 100)
        except TimeoutError:
            pass
        run.send_signal(signal.SIGINT)
        self.ends(run, 130)

    def test_a_debugger_that_goes_away_ends_the_run(self):
        for last in (b"", b"?", b"vCont;c"):
            run, port = self.start(self.image(IDLE), "--cores", 1, "--limit", 0)
            wire = self.connect(port)
            if last:
                wire.sendall(self.frame(last))
            wire.close()
            self.assertIn("the debugger is gone; the run is interrupted", self.ends(run, 130)[1])

    def test_a_second_debugger_is_refused(self):
        run, port = self.start(self.image(IDLE), "--cores", 1)
        wire = self.connect(port)
        self.ask(wire, b"?")
        with self.assertRaises(ConnectionRefusedError):
            self.connect(port)
        wire.sendall(self.frame(b"k"))
        self.ends(run, 130)

    def test_a_detached_run_goes_on_to_its_end_and_is_reported(self):
        run, port = self.start(self.image("addi x1, x0, 1", "et.halt"), "--cores", 2, "--json")
        wire = self.connect(port)
        self.assertEqual(self.ask(wire, b"vCont;s:1"), b"T05thread:1;")
        self.assertEqual(self.ask(wire, b"D"), b"OK")
        result = json.loads(self.ends(run, 0)[0])
        self.assertEqual((result["status"], result["instructions"]), ("exited", 4))

    def test_whatever_comes_over_the_wire_the_tool_neither_crashes_nor_hangs(self):
        chance = random.Random(21)
        for seed in range(12):
            run, port = self.start(self.image("addi x1, x1, 1", "jal x0, -4"), "--cores", 2, "--limit", 0)
            wire = self.connect(port)
            wire.settimeout(0.01)
            for _ in range(60):
                junk = chance.choice([
                    chance.randbytes(chance.randrange(400)),
                    self.frame(chance.randbytes(chance.randrange(40))),
                    self.frame(chance.choice([b"g", b"vCont;c", b"vCont;s:2;c", b"m80000000,4000", b"Z0,80000000,4", b"qRcmd,68"])),
                    b"$" * chance.randrange(3000), b"\x03" * chance.randrange(30), b"$m" + b"f" * chance.randrange(40000)])
                try:
                    wire.sendall(junk)
                    wire.recv(65536)
                except TimeoutError:
                    pass
                except ConnectionError:  # a packet that kills was among them
                    break
            wire.close()
            self.assertIn(run.wait(timeout=60), (0, 130), f"seed {seed}")
            run.communicate()


@unittest.skipIf(GDB is None, "no gdb-multiarch on this host")
class Gdb(Debugged):
    def debug(self, program, *commands, options=(), status):
        """What gdb prints under these commands, typed after it has attached, and what the run prints."""
        run, port = self.start(program, *options)
        lines = ["set pagination off", "set confirm off", "set width 0", f"target remote :{port}", *commands]
        script = self.folder / "script"
        script.write_text("".join(line + "\n" for line in lines))
        done = subprocess.run([GDB, "-nx", "-batch", "-x", script, program], capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)
        self.assertNotIn("rror", done.stderr)
        return done.stdout + done.stderr, self.ends(run, status)[0]

    def test_breaks_steps_and_shows_registers(self):
        program = self.image("addi x5, x0, 7", "addi x6, x5, 1", "csrrs x7, mhartid, x0", "et.halt")
        text, report = self.debug(
            program, "info registers pc", "stepi", "print $t0", "break *0x80000008", "continue", "print $t1", "print $mhartid",
            "set var $t1 = 40", "stepi", "print $t1", "x/2xw 0x80000000", "print $etstatus", "continue",
            options=["--cores", 1], status=0)
        self.assertRegex(text, r"pc +0x80000000")
        self.assertIn("$1 = 7\n", text)
        self.assertIn("Breakpoint 1, 0x0000000080000008", text)
        self.assertIn("$2 = 8\n$3 = 0\n", text)
        self.assertIn("$4 = 40\n", text)
        self.assertIn("0x00700293\t0x00128313", text)
        self.assertIn("$5 = 0\n", text)
        self.assertIn("exited normally", text)
        self.assertIn("exited 0, 4 instructions", report)

    def test_shows_cores_as_threads(self):
        program = self.image("csrrs x5, mhartid, x0", "bne x5, x0, 8", IDLE, "addi x6, x0, -1", "et.barrier x6, x6", "et.halt")
        text, _ = self.debug(
            program, "break *0x80000010 thread 2", "continue", "info threads", "print $t0", "delete", "thread 3",
            "stepi", "print $t0", "info threads", "kill", options=["--cores", 3], status=130)
        self.assertRegex(text, r"Thread 2 .*hit Breakpoint 1|Thread 2 .*Breakpoint 1")
        self.assertRegex(text, r'\* 2 +Thread 2 "core 1" \(runs\)')
        self.assertIn("$1 = 1\n", text)
        self.assertIn("$2 = 2\n", text)
        self.assertRegex(text, r'2 +Thread 2 "core 1" \(waits at a barrier of cores 0x7 for ')

    def test_watches_memory_and_reports_a_fault_with_its_diagnostic(self):
        program = self.image("auipc x6, 1", "addi x5, x0, 3", "sw x5, 512(x6)", "lw x7, 512(x6)", "ld x5, 0(x0)")
        text, report = self.debug(
            program, "watch *(int*)0x80001200", "continue", "info registers pc", "continue", "continue",
            options=["--cores", 1], status=1)
        self.assertIn("Hardware watchpoint 1", text)
        self.assertIn("New value = 3", text)
        self.assertRegex(text, r"pc +0x8000000c")
        self.assertIn("fault on core 0: load_access", text)
        self.assertIn("SIGSEGV", text)
        self.assertIn("fault on core 0: load_access", report)

    def test_interrupts_a_run_that_does_not_end(self):
        run, port = self.start(self.image("addi x5, x5, 1", "jal x0, -4"), "--cores", 2, "--limit", 0)
        gdb = subprocess.Popen([GDB, "-nx", "-q", "-ex", "set pagination off", "-ex", f"target remote :{port}", "-ex", "continue"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(gdb.kill)
        while "Continuing" not in (line := gdb.stdout.readline()):
            self.assertTrue(line)
        time.sleep(0.3)
        gdb.send_signal(signal.SIGINT)
        text, _ = gdb.communicate("print $t0 > 0\nkill\ny\nquit\n", timeout=60)
        self.assertIn("SIGINT", text)
        self.assertIn("$1 = 1", text)
        self.ends(run, 130)

    @unittest.skipUnless(LLVM, "this build of etalon compiles no C")
    def test_shows_source_lines_and_tiles_of_a_kernel_in_c(self):
        program = self.folder / "debugged.elf"
        source = DATA / "debugged.c"
        self.etalon("asm", source, "-o", program)
        place = [n for n, line in enumerate(source.read_text().splitlines(), 1) if "et_st(4" in line][0]
        text, _ = self.debug(
            program, f"break debugged.c:{place}", "continue", "print sizeof(struct args)", "monitor tile tr4", "monitor view vr1", "monitor chain ch0",
            "monitor sem", "monitor findings", "monitor tile tr40", "monitor nonsense", "monitor help", "delete", "continue",
            options=["--cores", 1, "--in", "x=iota[3]"], status=0)
        self.assertRegex(text, rf"Breakpoint 1, main \(.*\) at .*debugged\.c:{place}")
        self.assertIn("$1 = 24\n", text)
        self.assertRegex(text, r"core 0\n  f32 .*\n +0 +2 +4\n")
        self.assertRegex(text, r"vr1 .*f32")
        self.assertIn("all semaphores are 0\n", text)
        self.assertIn("nothing so far\n", text)
        self.assertIn("tile:tr is numbered 0 to 31", text)
        self.assertIn("there is no command 'nonsense'; there are:\nmonitor tile tr4", text)
        self.assertIn("exited normally", text)


if __name__ == "__main__":
    passed = unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()
    if passed and GDB is None:
        print("skipped: all that needs gdb: no gdb-multiarch on this host (see scripts/packages.txt)")
    sys.exit(1 if not passed else 77 if GDB is None else 0)
