#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots and one HTML page of the results of `etalon sweep`.

usage: sweep_plots.py FOLDER    reads FOLDER/results.json, writes FOLDER/index.html and FOLDER/plots/*.svg, light and dark
       sweep_plots.py --check   says whether it could
"""
import json
import pathlib
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    sys.exit("needs matplotlib for this Python: apt-get install python3-matplotlib")

import draw
import sweep_page
from sweep_data import Sweep


def default_plots(sweep):
    """What a study that names no plots gets: its first metric over the first axes, and what two goals cost each other."""
    metric = sweep.metrics[0]["name"]
    first = [axis["keys"][0] for axis in sweep.axes if len(axis["steps"]) > 1] or [sweep.axes[0]["keys"][0]]
    if sweep.one_at_a_time:
        plots = [{"kind": "tornado", "metric": metric}]
    elif len(first) == 1:
        plots = [{"kind": "lines", "metric": metric, "x": first[0]}]
    else:
        plots = [{"kind": "heat", "metric": metric, "x": first[0], "y": first[1]}]
    goals = [m["name"] for m in sweep.metrics if m["better"]]
    if len(goals) > 1:
        plots.append({"kind": "pareto", "x": goals[0], "y": goals[1]})
    plots += [{"kind": "ledger", "ledger": ledger["name"], "x": first[0]} for ledger in sweep.ledgers]
    return plots


def figures_of(sweep, folder):
    """(title, caption, path of the light and of the dark plot), workload by workload."""
    figures = []
    for number, plot in enumerate(sweep.plots or default_plots(sweep), 1):
        for workload in sweep.workloads:
            name = f"{number:02}-{plot['kind']}" + (f"-{workload}" if len(sweep.workloads) > 1 else "")
            paths, caption = [], None
            for theme in draw.THEMES:
                with draw.style(theme):
                    figure, caption = getattr(draw, plot["kind"])(sweep, plot, workload, draw.THEMES[theme])
                    if figure is None:
                        continue
                    paths.append(folder / f"{name}-{theme}.svg")
                    figure.savefig(paths[-1], metadata={"Date": None}, transparent=True)
                    pyplot.close(figure)
            title = plot.get("title") or draw.title_of(sweep, plot)
            figures.append((title + (f": {workload}" if len(sweep.workloads) > 1 else ""), caption, paths))
    return figures


def main(arguments):
    if arguments == ["--check"]:
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__.split("\n\n")[1])
    folder = pathlib.Path(arguments[0])
    try:
        sweep = Sweep(json.loads((folder / "results.json").read_text()))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{folder / 'results.json'}: {error}; it is made by `etalon sweep`")
    plots = folder / "plots"
    plots.mkdir(exist_ok=True)
    for old in plots.glob("*.svg"):
        old.unlink()
    (folder / "index.html").write_text(sweep_page.page(sweep, figures_of(sweep, plots)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
