#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots and page of a sweep: what they show is what the results say, twice the same bytes, on a phone and a desktop.
Usage: test_sweep_plots.py SOURCE_DIR. Skipped without matplotlib; the browser's part without Chromium."""
import html
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import jsonschema

SOURCE = pathlib.Path(sys.argv[1])
SCRIPT = SOURCE / "scripts/plots/sweep_plots.py"
CHROMIUM = shutil.which("chromium")
KINDS = ("heat", "lines", "pareto", "ledger", "tornado")


def time_of(size, channels, clock):
    """Microseconds of a made-up workload: bound by the clock or by memory, which a larger local memory spares."""
    return max(1e6 / clock, 32e3 / channels / (1 + size / 8))


def results(workloads=("one", "two")):
    sizes, channels, clocks = [1, 2, 4, 8], [8, 16, 64], [800, 1000]
    rows = []
    for workload, (i, j, k) in itertools.product(workloads, itertools.product(range(4), range(3), range(2))):
        status = "failed" if (workload, i) == ("one", 0) else "excluded" if (i, j) == (3, 2) else "ok"
        time = time_of(sizes[i], channels[j], clocks[k])
        values = {"local_bytes": f"{sizes[i]} MiB", "memory.channels": str(channels[j]), "clock_mhz": str(clocks[k])}
        ok = status == "ok"
        rows.append({"workload": workload, "steps": [i, j, k], "values": values, "machine": "base", "status": status,
                     "reason": None if ok else "<too> small", "metrics": {"time": time if ok else None, "sram": sizes[i] << 20 if ok else None},
                     "ledgers": {"matrix": {"busy": 700, "memory": time - 700, "never": 0} if ok else None}, "command": "etalon run x.c"})
    axes = [("local_bytes", "Local memory", "", [f"{s} MiB" for s in sizes], [s << 20 for s in sizes], 2),
            ("memory.channels", "Channels", "", list(map(str, channels)), channels, 1),
            ("clock_mhz", "Clock", "MHz", list(map(str, clocks)), clocks, 1)]
    return {"study": "made-up", "title": "A made-up <study>", "version": "1", "device": "npu", "machine": "base", "combine": "product",
            "axes": [{"keys": [key], "title": title, "unit": unit, "steps": [[s] for s in steps], "numbers": numbers, "base": base}
                     for key, title, unit, steps, numbers, base in axes],
            "constraints": ["local_bytes < 8 MiB"], "workloads": [{"name": name, "program": "x.c"} for name in workloads],
            "metrics": [{"name": "time", "value": "cycles", "unit": "us", "better": "less"},
                        {"name": "sram", "value": "machine.local_bytes", "unit": "B", "better": "less"}],
            "ledgers": [{"name": "matrix", "path": "x", "unit": "cycles", "parts": ["busy", "memory", "never"]}],
            "plots": [{"kind": "heat", "x": "local_bytes", "y": "memory.channels", "metric": "time", "at": {"clock_mhz": 800}},
                      {"kind": "lines", "x": "local_bytes", "by": "memory.channels", "metric": "time"}, {"kind": "pareto", "x": "time", "y": "sram"},
                      {"kind": "ledger", "x": "memory.channels", "ledger": "matrix"}, {"kind": "tornado", "metric": "time"}],
            "rows": rows}


def make(folder, content):
    (folder / "results.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return subprocess.run([SCRIPT, folder], capture_output=True, text=True, timeout=200)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.first = pathlib.Path(temporary.name)
        done = make(cls.first, results())
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def made(self, content):
        done = make(self.folder, content)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return (self.folder / "index.html").read_text()

    def test_a_page_has_every_plot_of_every_workload_light_and_dark_and_fetches_nothing(self):
        given = results()
        jsonschema.Draft202012Validator(json.loads((SOURCE / "isa/schema/sweep_result.schema.json").read_text())).validate(given)
        page = (self.first / "index.html").read_text()
        plots = sorted(path.name for path in (self.first / "plots").iterdir())
        self.assertEqual(plots, sorted(f"{n:02}-{kind}-{workload}-{theme}.svg" for n, kind in enumerate(KINDS, 1) for workload in ("one", "two")
                                       for theme in ("light", "dark")))
        for path in (self.first / "plots").iterdir():
            xml.etree.ElementTree.parse(path)
        self.assertEqual(page.count("<picture>"), 10)
        self.assertEqual(set(re.findall(r'(?:src|srcset|href)="([a-z]+:)', page)), {"data:"})
        self.assertNotRegex(page, r'(?:src|href)="(?!data:)')
        self.assertEqual(page.count("<tr>"), 1 + 48)
        self.assertIn("A made-up &lt;study&gt;", page)
        self.assertEqual(page.count("&lt;too&gt; small"), 6 + 4)

    def test_the_same_results_give_the_same_bytes(self):
        self.assertEqual(self.made(results()), (self.first / "index.html").read_text())

    def test_a_study_without_plots_gets_some(self):
        for change, kinds in (({}, {"heat", "pareto", "ledger"}), ({"combine": "one_at_a_time"}, {"tornado", "pareto", "ledger"})):
            self.made(results(["two"]) | {"plots": []} | change)
            self.assertEqual({path.name.split("-")[1] for path in (self.folder / "plots").iterdir()}, kinds)

    def test_where_nothing_has_a_value_the_page_says_so(self):
        given = results()
        for row in given["rows"]:
            row |= {"status": "failed", "metrics": {"time": None, "sram": None}, "ledgers": {"matrix": None}}
        page = self.made(given)
        self.assertEqual(page.count("Not drawn."), 10)
        self.assertEqual(list((self.folder / "plots").iterdir()), [])

    def test_what_is_no_result_is_refused(self):
        for content in ("", "{}", "[]"):
            done = make(self.folder, content)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("it is made by `etalon sweep`", done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        done = subprocess.run([SCRIPT, self.folder / "none"], capture_output=True, text=True, timeout=200)
        self.assertIn("it is made by `etalon sweep`", done.stderr)

    @unittest.skipUnless(CHROMIUM, "Chromium is not installed")
    def test_nothing_is_wider_than_a_phone_or_a_desktop_and_every_plot_shows(self):
        measure = self.first / "measure.html"
        measure.write_text("""<!DOCTYPE html><meta charset="utf-8"><pre id="measured"></pre><script>
(async () => { const all = [];
  for (const width of [390, 1280]) {
    const frame = document.createElement("iframe");
    frame.style.width = width + "px"; frame.style.height = "800px"; frame.src = "index.html"; document.body.append(frame);
    await new Promise(done => frame.onload = done);
    const page = frame.contentDocument, images = [...page.images];
    page.querySelectorAll("th")[4].click();
    all.push({inner: page.documentElement.clientWidth, content: page.documentElement.scrollWidth, back: getComputedStyle(page.body).backgroundColor,
              dark: images.every(i => i.currentSrc === i.previousElementSibling.srcset), shown: images.filter(i => i.naturalWidth > 100).length,
              first: page.querySelector("tbody tr").cells[4].textContent}); }
  document.getElementById("measured").textContent = JSON.stringify(all); })();
</script>""")
        least = min(row["metrics"]["time"] for row in results()["rows"] if row["status"] == "ok")
        for scheme, dark in ((0, True), (1, False)):
            done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.first}/profile",
                                   "--allow-file-access-from-files", f"--blink-settings=preferredColorScheme={scheme}", "--virtual-time-budget=60000",
                                   "--dump-dom", measure.as_uri()], capture_output=True, text=True, timeout=200)
            found = re.search(r'<pre id="measured">(\[.*?)</pre>', done.stdout, re.DOTALL)
            self.assertTrue(found, done.stderr[-2000:])
            for one in json.loads(html.unescape(found[1])):
                self.assertLessEqual(one["content"], one["inner"])
                self.assertEqual((one["shown"], one["dark"]), (10, dark))
                self.assertEqual(one["back"], "rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)")
                self.assertEqual(float(one["first"]), float(f"{least:.0f}"))  # sorted by time


class Drawings(unittest.TestCase):
    """What the functions put into a figure, read back from it."""

    def setUp(self):
        self.sweep = sweep_data.Sweep(results())
        self.look = draw.THEMES["light"]
        self.addCleanup(draw.pyplot.close, "all")

    def figure(self, number, workload="two"):
        plot = self.sweep.plots[number]
        return getattr(draw, plot["kind"])(self.sweep, plot, workload, self.look)

    def test_heat_has_the_value_of_each_cell_and_frames_the_best(self):
        figure, caption = self.figure(0)
        texts = {(text.get_position()[0] - 0.5, text.get_position()[1] - 0.5): text.get_text() for text in figure.axes[0].texts}
        self.assertEqual(len(texts), 11)  # one of 12 is excluded
        for (i, j), text in texts.items():
            self.assertEqual(text, sweep_data.short(time_of([1, 2, 4, 8][int(i)], [8, 16, 64][int(j)], 800)))
        self.assertEqual(caption, "at clock_mhz = 800; the framed point is best; striped: a constraint excludes it")
        self.assertIn("crossed: failed", self.figure(0, "one")[1])
        frame = [patch.get_xy() for patch in figure.axes[0].patches if patch.get_linewidth() > 1]
        best = min((time_of(s, c, 800), (i, j)) for i, s in enumerate([1, 2, 4, 8]) for j, c in enumerate([8, 16, 64]) if (i, j) != (3, 2))
        self.assertEqual(frame, [best[1]])

    def test_lines_leave_out_what_has_no_value(self):
        figure, caption = self.figure(1, "one")
        drawn = [(line.get_label(), list(line.get_xdata()), list(line.get_ydata())) for line in figure.axes[0].lines]
        self.assertEqual([label for label, _, _ in drawn], ["8", "16", "64"])
        self.assertEqual(drawn[0][1:], ([2 << 20, 4 << 20, 8 << 20], [time_of(s, 8, 1000) for s in (2, 4, 8)]))
        self.assertEqual(len(drawn[2][1]), 2)
        self.assertEqual(caption, "at clock_mhz = 1000; 4 points have no value")

    def test_a_ledger_stacks_its_parts_in_order(self):
        figure, _ = self.figure(3)
        bars = [(bar.get_y(), bar.get_height()) for bar in figure.axes[0].patches]
        times = [time_of(4, c, 1000) for c in (8, 16, 64)]
        self.assertEqual(bars, [(0, 700)] * 3 + [(700, time - 700) for time in times])
        self.assertEqual([text.get_text() for text in figure.axes[0].get_legend().get_texts()], ["memory", "busy"])

    def test_a_tornado_s_bars_end_where_an_axis_alone_leads(self):
        figure, caption = self.figure(4)
        base = time_of(4, 16, 1000)
        expected = {}
        for place, values in enumerate(sorted(([time_of(s, 16, 1000) for s in (1, 2, 4, 8)], [time_of(4, c, 1000) for c in (8, 16, 64)],
                                               [time_of(4, 16, c) for c in (800, 1000)]), key=lambda v: max(v) - min(v))):
            expected[place] = (min(values), max(values))
        ends = {}
        for bar in figure.axes[0].patches:
            ends.setdefault(round(bar.get_y() + 0.3), []).append(base + bar.get_width())
        self.assertEqual(set(ends), set(expected))
        for place, (low, high) in expected.items():
            self.assertAlmostEqual(min(ends[place]), low)
            self.assertAlmostEqual(max(ends[place]), high)
        self.assertIn(f"which gives {sweep_data.short(base)}", caption)

    def test_the_frontier_is_of_those_that_no_other_beats(self):
        chance = random.Random(1)
        for less_x, less_y in itertools.product((True, False), repeat=2):
            for _ in range(50):
                points = [(chance.randrange(12), chance.randrange(12), number) for number in range(chance.randrange(1, 30))]
                beats = lambda a, b: ((a[0] <= b[0] if less_x else a[0] >= b[0]) and (a[1] <= b[1] if less_y else a[1] >= b[1])
                                      and a[:2] != b[:2])
                best = {p[:2] for p in points if not any(beats(q, p) for q in points)}
                kept = draw.frontier(points, less_x, less_y)
                self.assertEqual({p[:2] for p in kept}, best)
                self.assertEqual(len(kept), len(best))

    def test_numbers_are_short_and_bytes_binary(self):
        for value, unit, text in ((None, "", "-"), (0, "", "0"), (1.23456, "", "1.23"), (123.4, "", "123"), (9999, "", "9999"), (10000, "", "10k"),
                                  (123456, "us", "123k"), (999600, "", "1000k"), (1e6, "", "1M"), (2.5e9, "", "2.5G"), (3e13, "", "30T"), (-5e6, "", "-5M"),
                                  (1 << 20, "B", "1 MiB"), (3 << 19, "B", "1.5 MiB"), (100, "B", "100 B"), (5 << 30, "B", "5 GiB")):
            self.assertEqual(sweep_data.short(value, unit), text)


if __name__ == "__main__":
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("skipped 1: matplotlib is not installed")
        sys.exit(77)
    sys.path.insert(0, str(SCRIPT.parent))
    import draw
    import sweep_data
    unittest.main(argv=sys.argv[:1])
