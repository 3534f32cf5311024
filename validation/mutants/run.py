# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a woven build against each mutant: those that execute its place, quickest first, until one fails."""
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

from mutant import Refused

# A filter longer than this goes the other way round: the whole program is run (Linux allows 128 KiB an argument).
MOST_FILTER = 100_000
# Resident bytes at which a program is ended; a limit of its addresses would be met by sparse memories of the original.
MEMORY = 4 << 30


@dataclasses.dataclass
class Program:
    """A test program with what its trace said: {case: (seconds, numbers reached)}."""
    name: str
    path: pathlib.Path
    digest: str
    seconds: float
    cases: dict


def limits(cpu_seconds):
    def apply():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(10)
    return apply


def resident(pid):
    """Bytes in memory of a process; 0 once it has ended."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def execute(program, cpu_seconds, arguments=(), **variables):
    """(verdict, output): passed, failed, crashed, hung or grew. A program that waits has ten times its processor time."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ETALON_", "GTEST_"))} | variables
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        environment["TMPDIR"] = folder
        process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                   cwd=folder, env=environment, preexec_fn=limits(cpu_seconds), start_new_session=True)
        end = time.monotonic() + 10 * cpu_seconds + 20
        while True:
            try:
                output = process.communicate(timeout=0.2)[0]
                break
            except subprocess.TimeoutExpired:
                grown = resident(process.pid) > MEMORY
                if grown or time.monotonic() > end:
                    os.killpg(process.pid, signal.SIGKILL)
                    return "grew" if grown else "hung", process.communicate()[0]
    code = process.returncode
    if code == 0:
        return "passed", output
    if code in (-signal.SIGKILL, -signal.SIGXCPU):
        return "hung", output
    return ("crashed" if code < 0 else "failed"), output


def trace(program, cache):
    """The program's cases without a mutant; they must pass. Kept by the program's content."""
    digest = hashlib.sha256(program.read_bytes()).hexdigest()[:16]
    store = cache / f"{program.name}.{digest}"
    if not store.exists():
        start = time.monotonic()
        partial = store.with_suffix(".partial")
        verdict, output = execute(program, 600, ETALON_MUTANT_TRACE=str(partial))
        if verdict != "passed":
            raise Refused(f"{program.name} {verdict} without a mutant:\n{output[-3000:]}")
        lines = [line.split() for line in partial.read_text().splitlines()]
        cases = {words[0]: (float(words[1]), sorted(map(int, words[2:]))) for words in lines}
        store.write_text(json.dumps({"seconds": time.monotonic() - start, "cases": cases}))
        partial.unlink()
    data = json.loads(store.read_text())
    return Program(program.name, program, digest, data["seconds"], {c: (s, set(n)) for c, (s, n) in data["cases"].items()})


def trace_all(paths, cache, jobs):
    print(f"mutants: {len(paths)} test programs without a mutant", file=sys.stderr, flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda path: trace(path, cache), paths))


def attempts(number, mutant, programs, in_other_processes):
    """[(program, filter, seconds)]: the cases that reach the place, quickest program first.

    Where one case alone does, that may be because it computes something once for all; the other cases then come last."""
    first, rest = [], []
    for program in programs:
        reaching = [c for c, (_, numbers) in program.cases.items() if number in numbers]
        elsewhere = any(mutant.file.startswith(folder) and test == program.name for folder, test in in_other_processes.items())
        if not reaching and not elsewhere:
            continue
        names = ":".join(reaching)
        if not reaching or len(names) > MOST_FILTER:
            first.append((program, "*", program.seconds))
            continue
        seconds = sum(program.cases[c][0] for c in reaching)
        first.append((program, names, seconds))
        if len(reaching) == 1 < len(program.cases):
            rest.append((program, f"*-{names}", program.seconds - seconds))
    return sorted(first, key=lambda a: a[2]) + sorted(rest, key=lambda a: a[2])


def failing_case(output):
    """The case that failed, or the last that began."""
    named = re.findall(r"^\[ +(FAILED|RUN) +\] ([^\s,]+)", output, re.M)
    failed = [case for what, case in named if what == "FAILED"]
    return failed[0] if failed else named[-1][1] if named else ""


def judge(number, mutant, programs, in_other_processes):
    """{verdict: killed, survived or not reached; by, how, case, ran: {program: digest}, seconds}."""
    start, ran = time.monotonic(), {}
    plan = attempts(number, mutant, programs, in_other_processes)
    for program, chosen, seconds in plan:
        ran[program.name] = program.digest
        verdict, output = execute(program.path, int(5 * seconds) + 5,
                                  ("--gtest_fail_fast", f"--gtest_filter={chosen}"), ETALON_MUTANT=str(number))
        if verdict != "passed":
            return {"verdict": "killed", "by": program.name, "how": verdict, "case": failing_case(output), "ran": {program.name: program.digest},
                    "seconds": round(time.monotonic() - start, 2)}
    return {"verdict": "survived" if plan else "not reached", "ran": ran, "seconds": round(time.monotonic() - start, 2)}


class Results:
    """What is known of mutants, kept after each of them; a result holds while the programs that gave it are the same."""

    def __init__(self, store, programs):
        self.store = store
        self.known = json.loads(store.read_text()) if store.exists() else {}
        self.digests = {p.name: p.digest for p in programs}
        self.lock = threading.Lock()

    def get(self, number, mutant, programs, in_other_processes):
        kept = self.known.get(mutant.id)
        if not kept or any(self.digests.get(name) != digest for name, digest in kept["ran"].items()):
            return None
        if kept["verdict"] == "killed":
            return kept
        # It must have met every program that now reaches it.
        now = {program.name for program, _, _ in attempts(number, mutant, programs, in_other_processes)}
        return kept if now == set(kept["ran"]) else None

    def put(self, mutant, result):
        with self.lock:
            self.known[mutant.id] = result
            partial = self.store.with_suffix(".partial")
            partial.write_text(json.dumps(self.known, indent=1))
            partial.rename(self.store)


def run_all(numbers, programs, in_other_processes, store, jobs, fresh=()):
    """{id: result} of {number: mutant}. `fresh`: ids that are run although their result is known."""
    results = Results(store, programs)
    todo, found = {}, {}
    for number, mutant in sorted(numbers.items(), key=lambda item: (not item[1].seeded, item[1].id)):
        kept = None if mutant.id in fresh else results.get(number, mutant, programs, in_other_processes)
        if kept:
            found[mutant.id] = kept
        else:
            todo[number] = mutant
    print(f"mutants: {len(found)} results are known, {len(todo)} mutants to run", file=sys.stderr, flush=True)
    start, done = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(judge, n, m, programs, in_other_processes): m for n, m in todo.items()}
        for future in concurrent.futures.as_completed(futures):
            mutant, result = futures[future], future.result()
            results.put(mutant, result)
            found[mutant.id] = result
            done += 1
            left = (time.monotonic() - start) / done * (len(todo) - done)
            print(f"{done}/{len(todo)} {mutant.id} {result['verdict']} {result.get('by', '')} {result.get('case', '')} "
                  f"{result['seconds']} s; about {left / 60:.1f} min left", file=sys.stderr, flush=True)
    return found
