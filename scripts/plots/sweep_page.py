# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a sweep: one file, nothing is fetched; light and dark, for a phone too."""
import base64
import html

from sweep_data import short

STYLE = """
:root { color-scheme: light dark; --back: #ffffff; --text: #1c2024; --faint: #5d646d; --line: #e3e6ea; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --back: #15181c; --text: #e4e7eb; --faint: #9aa1aa; --line: #343a42; --bad: #ff8a80; } }
body { background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
p, figcaption { color: var(--faint); margin: 0.25rem 0; }
figcaption { font-size: 0.9rem; overflow-wrap: anywhere; }
figure { margin: 0; }
img { height: auto; max-width: 100%; }
dl { display: grid; gap: 0.1rem 1rem; grid-template-columns: max-content 1fr; margin: 0.5rem 0; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; white-space: nowrap; }
th { cursor: pointer; }
td.number, th.number { text-align: right; }
td.reason { color: var(--bad); min-width: 18rem; white-space: normal; }
code { font-size: 0.9rem; overflow-wrap: anywhere; }
"""
# Sorts the table by a column that is clicked, again the other way round.
SCRIPT = """
for (const head of document.querySelectorAll("th")) head.addEventListener("click", () => {
  const body = head.closest("table").tBodies[0], column = head.cellIndex, up = head.dataset.up !== "1";
  head.dataset.up = up ? "1" : "0";
  const key = row => { const text = row.cells[column].dataset.value ?? row.cells[column].textContent; return isNaN(text) || text === "" ? text : +text; };
  const order = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) * order(key(a), key(b))));
});
"""


def escape(value):
    return html.escape(str(value))


def embedded(path):
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()


def figure(title, caption, paths):
    picture = "<p>Not drawn.</p>"
    if paths:
        light, dark = map(embedded, paths)
        picture = (f'<picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
                   f'<img src="{light}" alt="{escape(title)}"></picture>')
    return f"<h2>{escape(title)}</h2>\n<figure>{picture}<figcaption>{escape(caption or '')}</figcaption></figure>\n"


def facts(sweep):
    results = sweep.results
    counts = {status: sum(row["status"] == status for row in sweep.rows) for status in ("ok", "failed", "excluded")}
    pairs = [("runs", ", ".join(f"{count} {status}" for status, count in counts.items() if count)),
             ("machine", results["machine"]), ("device", results["device"])]
    pairs += [("axis", f"{axis['title']}: " + "; ".join(", ".join(step) for step in axis["steps"])) for axis in sweep.axes]
    pairs += [("constraint", text) for text in results["constraints"]]
    pairs += [("workload", f"{workload['name']}: {workload['program']}") for workload in results["workloads"]]
    pairs += [("metric", f"{sweep.metric_label(metric['name'])} = {metric['value']}") for metric in sweep.metrics]
    pairs.append(("etalon", results["version"]))
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in pairs) + "</dl>\n"


def cell(value, unit):
    if value is None:
        return "<td class=number></td>"
    return f'<td class=number data-value="{value}">{short(value, unit)}</td>'


def table(sweep):
    keys = [key for axis in sweep.axes for key in axis["keys"]]
    head = "".join(f"<th>{escape(name)}</th>" for name in ["workload", *keys])
    head += "".join(f"<th class=number>{escape(sweep.metric_label(metric['name']))}</th>" for metric in sweep.metrics)
    numbers = {(axis["keys"][0], step[0]): number for axis in sweep.axes for step, number in zip(axis["steps"], axis["numbers"])}
    lines = []
    for row in sweep.rows:
        line = f"<td>{escape(row['workload'])}</td>"
        for key in keys:
            value = row["values"][key]
            number = numbers.get((key, value))
            line += f'<td data-value="{escape(value if number is None else number)}">{escape(value)}</td>'
        line += "".join(cell(row["metrics"][metric["name"]], metric["unit"]) for metric in sweep.metrics)
        line += f"<td class=reason>{escape(row['reason'] or '')}</td>"
        lines.append(f"<tr>{line}</tr>")
    return (f"<h2>All runs</h2>\n<div class=wide><table><thead><tr>{head}<th>why not</th></tr></thead>\n<tbody>\n" + "\n".join(lines) +
            "\n</tbody></table></div>\n")


def page(sweep, figures):
    example = next((row for row in sweep.rows if row["status"] == "ok"), sweep.rows[0])
    return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
            f"<title>{escape(sweep.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(sweep.title)}</h1>\n" + facts(sweep) +
            "".join(figure(*one) for one in figures) + table(sweep) +
            f"<h2>Run one again</h2>\n<p>In the study's folder; results.json has the command of every run.</p>\n<code>{escape(example['command'])}</code>\n"
            f"<script>{SCRIPT}</script>\n</body>\n</html>\n")
