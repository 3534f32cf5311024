#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The report page in a browser, on a phone and a desktop, light and dark: nothing is wider than the screen, text stands out, bars and
plots are there. Usage: report_render_test.py SAMPLE_FILES [FOLDER]: with FOLDER also pictures to look at. Skipped where there is no Chromium."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None  # given on the command line
PICTURES = None
CHROMIUM = shutil.which("chromium")
WIDTHS = {"phone": 390, "desktop": 1280}
SCHEMES = {"dark": 0, "light": 1}
CORES = (4,)
LEAST_CONTRAST = 7  # of text on its background: WCAG 2 level AAA
LEAST_FAINT = 4.5   # of captions: level AA
# Measures each page in a frame of the width and writes the result as JSON into <pre id="measured">.
MEASURE = """<!DOCTYPE html><meta charset="utf-8"><pre id="measured"></pre><script>
const cases = CASES;
async function measure(one) {
  const frame = document.createElement("iframe");
  frame.style.width = one.width + "px";
  frame.style.height = "900px";
  frame.src = one.url;
  document.body.append(frame);
  await new Promise((done) => frame.onload = done);
  const page = frame.contentDocument, view = frame.contentWindow, all = (s) => [...page.querySelectorAll(s)];
  for (const closed of all("details")) closed.open = true;
  const box = (e) => e.getBoundingClientRect(), style = (e) => view.getComputedStyle(e);
  const measured = {...one, inner: page.documentElement.clientWidth, content: page.documentElement.scrollWidth,
    back: style(page.body).backgroundColor, text: style(page.body).color, faint: style(page.querySelector("figcaption")).color,
    bars: all(".unit .bar").map((b) => ({width: box(b).width, parts: [...b.children].map((i) => [box(i).width, style(i).backgroundColor])})),
    plots: all("svg").map((s) => ({width: box(s).width, height: box(s).height, painted: [...s.querySelectorAll("path, circle")].filter(
      (p) => box(p).width + box(p).height > 0 && style(p).fill + style(p).stroke != "nonenone").length})),
    cards: all(".card").map((c) => ({text: c.textContent, cut: c.scrollWidth > c.clientWidth})),
    rows: all("tr").length, tables: all(".scroll").map((s) => box(s).right)};
  frame.remove();
  return measured;
}
(async () => {
  const all = [];
  for (const one of cases) all.push(await measure(one));
  document.getElementById("measured").textContent = JSON.stringify(all);
})();
</script>"""


def contrast(one, other):
    """Of two colours `rgb(r, g, b)` (WCAG 2)."""
    def luminance(colour):
        channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def chromium(folder, scheme, *arguments):
    return subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--allow-file-access-from-files",
                           "--hide-scrollbars", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", *arguments],
                          capture_output=True, text=True, timeout=200)


def measured(folder, scheme):
    cases = [{"url": (folder / f"report{cores}.html").as_uri(), "cores": cores, "width": width} for cores in CORES for width in WIDTHS.values()]
    page = folder / "measure.html"
    page.write_text(MEASURE.replace("CASES", json.dumps(cases)))
    done = chromium(folder, scheme, "--window-size=1400,900", "--virtual-time-budget=60000", "--dump-dom", page.as_uri())
    found = re.search(r'<pre id="measured">(\[.*?)</pre>', done.stdout, re.DOTALL)
    assert found, f"Chromium measured nothing: {done.stderr[-2000:]}"
    return json.loads(html.unescape(found[1]))


class RenderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for cores in CORES:
                subprocess.run([PROGRAM, folder / f"report{cores}.html", folder / "timing.json", "3", str(cores), "300"], check=True, timeout=60)
            cls.schemes = {scheme: measured(folder, scheme) for scheme in SCHEMES}
            if PICTURES:
                for scheme in SCHEMES:
                    for width_name, width in WIDTHS.items():
                        chromium(folder, scheme, f"--window-size={width},{3600 if width < 500 else 3000}",
                                 f"--screenshot={PICTURES}/{scheme}-{width_name}.png", (folder / "report4.html").as_uri())

    def cases(self):
        return [case for cases in self.schemes.values() for case in cases]

    def test_nothing_is_wider_than_its_screen(self):
        for case in self.cases():
            self.assertLessEqual(case["content"], case["inner"], case["width"])
            self.assertLessEqual(max(case["tables"]), case["width"])

    def test_text_stands_out_and_dark_is_dark(self):
        for scheme, cases in self.schemes.items():
            for case in cases:
                self.assertGreater(contrast(case["text"], case["back"]), LEAST_CONTRAST)
                self.assertGreater(contrast(case["faint"], case["back"]), LEAST_FAINT)
                self.assertEqual(contrast(case["back"], "rgb(0, 0, 0)") < 2, scheme == "dark")

    def test_a_bar_for_each_unit_is_full_and_its_parts_have_colours(self):
        for case in self.cases():
            self.assertEqual(len(case["bars"]), 5)
            for bar in case["bars"]:
                self.assertGreater(bar["width"], 180)
                self.assertAlmostEqual(sum(width for width, _ in bar["parts"]), bar["width"], delta=1.5)
                colours = [colour for _, colour in bar["parts"]]
                self.assertEqual(len(set(colours)), len(colours))
                self.assertNotIn("rgba(0, 0, 0, 0)", colours)

    def test_timeline_and_roofline_are_painted(self):
        for case in self.cases():
            self.assertEqual(len(case["plots"]), 2)
            for plot in case["plots"]:
                self.assertGreater(plot["width"], 300)
                self.assertGreater(plot["height"], 50)
                self.assertGreater(plot["painted"], 8)

    def test_headline_figures_are_not_cut(self):
        for case in self.cases():
            self.assertGreaterEqual(len(case["cards"]), 4)
            for card in case["cards"]:
                self.assertFalse(card["cut"], card["text"])

    def test_all_tables_have_their_rows(self):
        for case in self.cases():
            self.assertGreater(case["rows"], 60)


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped 1: chromium is not installed")
        sys.exit(77)
    PROGRAM = sys.argv.pop(1)
    PICTURES = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
    unittest.main()
