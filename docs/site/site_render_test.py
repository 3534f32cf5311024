#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of the manual in a browser, on a phone and a desktop, light and dark: nothing is wider than the screen, text stands out,
search finds. Usage: site_render_test.py SITE_DIR. Skipped where there is no Chromium."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SITE = None  # given on the command line
CHROMIUM = shutil.which("chromium")
PAGES = ("index.html", "spec/02-tiles.html", "spec/04-matrix.html", "instructions/et.mma.html", "instructions/lr.d.html", "opcode-map.html",
         "rule-tests.html", "guide/kernel-writer.html")
WIDTHS = {"phone": 390, "desktop": 1280}
SCHEMES = {"dark": 0, "light": 1}
LEAST_CONTRAST = 7  # of text on its background: WCAG 2 level AAA
# Measures each page in a frame of the width and writes the result as JSON into <pre id="measured">.
MEASURE = """<!DOCTYPE html><meta charset="utf-8"><pre id="measured"></pre><script>
const cases = CASES;
async function measure(one) {
  const frame = document.createElement("iframe");
  frame.style.width = one.width + "px";
  frame.style.height = "800px";
  frame.src = one.url;
  document.body.append(frame);
  await new Promise((done) => frame.onload = done);
  const page = frame.contentDocument, style = frame.contentWindow.getComputedStyle(page.body);
  const results = [...page.querySelectorAll(".results a")].map((a) => a.getAttribute("href"));
  const box = page.querySelector(".results").getBoundingClientRect();
  const measured = {...one, inner: page.documentElement.clientWidth, content: page.documentElement.scrollWidth, back: style.backgroundColor,
                    text: style.color, results, left: box.left, right: box.right, nav: page.querySelector("nav").getBoundingClientRect().left,
                    main: page.querySelector("main").getBoundingClientRect().left};
  frame.remove();
  return measured;
}
(async () => {
  const all = [];
  for (const one of cases) all.push(await measure(one));
  document.getElementById("measured").textContent = JSON.stringify(all);
})();
</script>"""


def luminance(colour):
    """Relative luminance (WCAG 2) of `rgb(r, g, b)`."""
    channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def measured(scheme):
    cases = [{"url": (SITE / page).as_uri() + query, "page": page, "width": width}
             for width in WIDTHS.values() for page, query in [(p, "") for p in PAGES] + [("index.html", "?q=et.mma")]]
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "measure.html"
        page.write_text(MEASURE.replace("CASES", json.dumps(cases)))
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--allow-file-access-from-files",
                               "--window-size=1400,900", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", "--virtual-time-budget=60000",
                               "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=200)
    found = re.search(r'<pre id="measured">(\[.*?)</pre>', done.stdout, re.DOTALL)
    assert found, f"Chromium measured nothing: {done.stderr[-2000:]}"
    return json.loads(html.unescape(found[1]))


class RenderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schemes = {scheme: measured(scheme) for scheme in SCHEMES}

    def test_no_page_is_wider_than_its_screen(self):
        for case in self.schemes["light"]:
            self.assertLessEqual(case["content"], case["inner"], f"{case['page']} at {case['width']}")

    def test_text_stands_out_and_dark_is_dark(self):
        for scheme, cases in self.schemes.items():
            for case in cases:
                back, text = luminance(case["back"]), luminance(case["text"])
                self.assertEqual(back < text, scheme == "dark", case)
                self.assertGreater((max(back, text) + 0.05) / (min(back, text) + 0.05), LEAST_CONTRAST, case)

    def test_contents_stand_beside_the_text_on_a_desktop_and_below_it_on_a_phone(self):
        for case in self.schemes["light"]:
            self.assertEqual(case["nav"] < case["main"], case["width"] == WIDTHS["desktop"], case)

    def test_search_finds_an_instruction_first_and_shows_it_on_the_screen(self):
        cases = [c for c in self.schemes["dark"] if "?q=" in c["url"]]
        self.assertEqual(len(cases), len(WIDTHS))
        for case in cases:
            self.assertEqual(case["results"][0], "instructions/et.mma.html")
            self.assertGreaterEqual(case["left"], 0)
            self.assertLessEqual(case["right"], case["width"])
            self.assertGreater(case["right"] - case["left"], 300)


if __name__ == "__main__":
    if CHROMIUM is None:
        print("no chromium: the manual is not looked at in a browser (apt-get install chromium)")
        sys.exit(77)
    SITE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
