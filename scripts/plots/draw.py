# SPDX-License-Identifier: Apache-2.0
"""One function for each kind of plot: (figure or None, caption). Called within style(); nothing is drawn that is not data."""
import contextlib
import math

import matplotlib
from matplotlib import colors, pyplot
from matplotlib.patches import Rectangle

from sweep_data import short

# Okabe and Ito's colours, told apart by most colour-blind readers; then paler ones for long ledgers.
CYCLE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8ad2e", "#7a6fb0", "#8c8c8c", "#a65628"]
THEMES = {
    "light": {"text": "#1c2024", "faint": "#8a9099", "grid": "#e3e6ea", "back": "#ffffff", "map": "viridis"},
    "dark": {"text": "#e4e7eb", "faint": "#8a9099", "grid": "#343a42", "back": "#15181c", "map": "viridis"},
}
WIDTH, HEIGHT = 7.2, 4.2  # inches
MOST_PARTS = len(CYCLE)


@contextlib.contextmanager
def style(theme):
    look = THEMES[theme]
    with matplotlib.rc_context({
            "svg.hashsalt": "etalon", "figure.figsize": (WIDTH, HEIGHT), "figure.constrained_layout.use": True, "font.size": 10,
            "text.color": look["text"], "axes.labelcolor": look["text"], "axes.edgecolor": look["faint"], "xtick.color": look["faint"],
            "ytick.color": look["faint"], "xtick.labelcolor": look["text"], "ytick.labelcolor": look["text"], "axes.facecolor": "none",
            "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True, "grid.color": look["grid"],
            "grid.linewidth": 0.8, "axes.prop_cycle": matplotlib.cycler(color=CYCLE), "legend.frameon": False, "hatch.color": look["faint"],
            "hatch.linewidth": 0.6}):
        yield


def title_of(sweep, plot):
    text = plain_title(sweep, plot)
    return text[0].upper() + text[1:]


def plain_title(sweep, plot):
    if plot["kind"] in ("heat", "lines"):
        axes = [sweep.axes[sweep.axis(plot[key])]["title"] for key in ("x", "y", "by") if key in plot]
        return f"{plot['metric']} over {' and '.join(axes)}"
    if plot["kind"] == "pareto":
        return f"{plot['x']} against {plot['y']}"
    if plot["kind"] == "ledger":
        return f"{plot['ledger']} ledger over {sweep.axes[sweep.axis(plot['x'])]['title']}"
    return f"What moves {plot['metric']}"


def numbers_on(ax, which, unit):
    """Numbers on an axis; bytes at powers of two."""
    axis = getattr(ax, f"{which}axis")
    axis.set_major_formatter(lambda value, _: short(value, unit))
    if unit != "B":
        return
    if axis.get_scale() == "log":
        getattr(ax, f"set_{which}scale")("log", base=2)
        axis.set_major_formatter(lambda value, _: short(value, unit))
    else:
        low, high = axis.get_view_interval()
        step = 2.0 ** math.ceil(math.log2(max(high - low, 1) / 7))
        axis.set_major_locator(matplotlib.ticker.MultipleLocator(step))


def caption_of(sweep, plot, moved, *notes):
    standing = sweep.standing_text(plot, moved)
    return "; ".join(filter(None, [f"at {standing}" if standing else "", *notes]))


def positions(axis):
    """(position of each step, scale): as numbers go where they are numbers in order, else one after the other."""
    values = axis["numbers"]
    if len(values) < 2 or None in values or any(b <= a for a, b in zip(values, values[1:])):
        return list(range(len(axis["steps"]))), "words"
    if values[0] > 0 and values[-1] / values[0] >= 8:
        return values, "log"
    return values, "linear"


def step_axis(ax, sweep, index):
    """Makes x the axis of these steps; their positions."""
    places, scale = positions(sweep.axes[index])
    if scale == "log":
        ax.set_xscale("log", base=2)
    ax.minorticks_off()
    labels = [sweep.step_label(index, step) for step in range(len(places))]
    ax.set_xticks(places, labels)
    if sum(map(len, labels)) > 70:
        ax.tick_params(axis="x", labelrotation=45)
    ax.set_xlabel(sweep.axis_label(index))
    return places


def heat(sweep, plot, workload, look):
    x, y = sweep.axis(plot["x"]), sweep.axis(plot["y"])
    columns, lines = len(sweep.axes[x]["steps"]), len(sweep.axes[y]["steps"])
    steps = sweep.standing(plot)
    rows = {}
    for i in range(columns):
        for j in range(lines):
            steps[x], steps[y] = i, j
            rows[i, j] = sweep.row(workload, steps)
    values = {at: row["metrics"][plot["metric"]] for at, row in rows.items() if row and row["metrics"][plot["metric"]] is not None}
    if not values:
        return None, "no point has a value"
    figure, ax = pyplot.subplots(figsize=(WIDTH, max(2.6, min(9.0, 1.4 + 0.45 * lines))))
    least, most = min(values.values()), max(values.values())
    wide = least > 0 and most / least > 20
    norm = colors.LogNorm(least, most) if wide else colors.Normalize(least, most if most > least else least + 1)
    grid = [[values.get((i, j), float("nan")) for i in range(columns)] for j in range(lines)]
    mesh = ax.pcolormesh(range(columns + 1), range(lines + 1), grid, cmap=look["map"], norm=norm, edgecolors="none", rasterized=False)
    without = set()
    for (i, j), row in rows.items():
        if (i, j) in values:
            continue
        status = row["status"] if row else "excluded"
        without.add(status)
        ax.add_patch(Rectangle((i, j), 1, 1, fill=False, linewidth=0, edgecolor=look["faint"], hatch="///" if status == "excluded" else "xxx"))
    if columns <= 14 and lines <= 24:
        for (i, j), value in values.items():
            red, green, blue, _ = mesh.cmap(norm(value))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
            ax.text(i + 0.5, j + 0.5, short(value, sweep.unit(plot["metric"])), ha="center", va="center", color="white" if dark else "black", fontsize=9)
    better = sweep.metric(plot["metric"])["better"]
    note = ""
    if better and most > least:
        best = (min if better == "less" else max)(values, key=values.get)
        ax.add_patch(Rectangle(best, 1, 1, fill=False, edgecolor="#d55e00", linewidth=2.2, zorder=3))
        note = "the framed point is best"
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    ax.set_xticks([i + 0.5 for i in range(columns)], [sweep.step_label(x, i) for i in range(columns)])
    ax.set_yticks([j + 0.5 for j in range(lines)], [sweep.step_label(y, j) for j in range(lines)])
    ax.set_xlabel(sweep.axis_label(x))
    ax.set_ylabel(sweep.axis_label(y))
    bar = figure.colorbar(mesh, ax=ax, pad=0.02, label=sweep.metric_label(plot["metric"]))
    bar.outline.set_visible(False)
    bar.minorticks_off()
    numbers_on(bar.ax, "y", sweep.unit(plot["metric"]))
    marks = [text for status, text in (("failed", "crossed: failed"), ("excluded", "striped: a constraint excludes it")) if status in without]
    return figure, caption_of(sweep, plot, {x, y}, note, *marks)


def lines(sweep, plot, workload, look):
    x = sweep.axis(plot["x"])
    by = sweep.axis(plot["by"]) if "by" in plot else None
    figure, ax = pyplot.subplots()
    places = step_axis(ax, sweep, x)
    steps = sweep.standing(plot)
    shades = pyplot.get_cmap(look["map"])
    count = len(sweep.axes[by]["steps"]) if by is not None else 1
    drawn = lost = 0
    for line in range(count):
        if by is not None:
            steps[by] = line
        values = []
        for step in range(len(places)):
            steps[x] = step
            values.append(sweep.value(sweep.row(workload, steps), plot["metric"]))
        lost += values.count(None)
        points = [(place, value) for place, value in zip(places, values) if value is not None]
        if not points:
            continue
        drawn += 1
        # Steps of an axis are in order, so their lines are shades of one scale once there are many.
        color = CYCLE[line] if count <= 5 else shades(0.1 + 0.8 * line / (count - 1))
        label = sweep.step_label(by, line) if by is not None else None
        # Where lines lie on each other, the markers of those below look out.
        size = 4 + max(0, min(count, 5) - 1 - line) * 1.6
        ax.plot(*zip(*points), marker="o", markersize=size, linewidth=1.6, color=color, label=label, clip_on=False)
    if not drawn:
        pyplot.close(figure)
        return None, "no point has a value"
    ax.set_ylim(bottom=0)
    numbers_on(ax, "y", sweep.unit(plot["metric"]))
    ax.set_ylabel(sweep.metric_label(plot["metric"]))
    if by is not None:
        ax.legend(title=sweep.axis_label(by), loc="center left", bbox_to_anchor=(1, 0.5), alignment="left")
    return figure, caption_of(sweep, plot, {x} | ({by} if by is not None else set()), f"{lost} {'point has' if lost == 1 else 'points have'} no value" if lost else "")


def frontier(points, less_x, less_y):
    """Of (x, y, row) those that no other beats in both, by x."""
    best, kept = None, []
    for point in sorted(points, key=lambda p: (p[0] if less_x else -p[0], p[1] if less_y else -p[1])):
        if best is None or (point[1] < best if less_y else point[1] > best):
            best = point[1]
            kept.append(point)
    return sorted(kept, key=lambda p: p[0])


def log_if_wide(ax, which, values, unit):
    if min(values) > 0 and max(values) / min(values) > 20:
        getattr(ax, f"set_{which}scale")("log")
        getattr(ax, f"{which}axis").set_minor_formatter(matplotlib.ticker.NullFormatter())
    elif min(values) >= 0:
        getattr(ax, f"set_{which}lim")(0, max(values) * 1.08 or 1)
    numbers_on(ax, which, unit)


def pareto(sweep, plot, workload, look):
    names = plot["x"], plot["y"]
    points = [(*(row["metrics"][name] for name in names), row) for row in sweep.rows if row["workload"] == workload]
    points = [point for point in points if None not in point[:2]]
    if not points:
        return None, "no point has a value"
    less_x, less_y = (sweep.metric(name)["better"] == "less" for name in names)
    front = frontier(points, less_x, less_y)
    figure, ax = pyplot.subplots()
    ax.scatter([p[0] for p in points], [p[1] for p in points], s=22, color=look["faint"], alpha=0.55, linewidths=0)
    ax.plot([p[0] for p in front], [p[1] for p in front], color=CYCLE[0], linewidth=1.4, drawstyle="steps-post" if less_x == less_y else "steps-pre")
    ax.scatter([p[0] for p in front], [p[1] for p in front], s=40, color=CYCLE[0], zorder=3)
    for which, index in (("x", 0), ("y", 1)):
        log_if_wide(ax, which, [p[index] for p in points], sweep.unit(names[index]))
    for number, point in enumerate(front, 1):
        ax.annotate(str(number), point[:2], xytext=(5, 6), textcoords="offset points", fontsize=9)
    ax.set_xlabel(f"{sweep.metric_label(names[0])}, {'less' if less_x else 'more'} is better")
    ax.set_ylabel(f"{sweep.metric_label(names[1])}, {'less' if less_y else 'more'} is better")
    listed = [f"{number}: {sweep.point_text(point[2])} ({short(point[0], sweep.unit(names[0]))}, {short(point[1], sweep.unit(names[1]))})" for number, point in enumerate(front, 1)]
    return figure, "points that no other beats in both, " + "; ".join(listed)


def ledger(sweep, plot, workload, look):
    x = sweep.axis(plot["x"])
    steps = sweep.standing(plot)
    bars = []
    for step in range(len(sweep.axes[x]["steps"])):
        steps[x] = step
        row = sweep.row(workload, steps)
        bars.append((row["ledgers"][plot["ledger"]] if row else None) or {})
    sums = {}
    for bar in bars:
        for name, value in bar.items():
            sums[name] = sums.get(name, 0) + value
    names = [name for name in sweep.ledger(plot["ledger"])["parts"] if sums.get(name)]
    if not names:
        return None, "no point has a value"
    merged = []
    if len(names) > MOST_PARTS:
        merged = sorted(names, key=sums.get)[:len(names) - MOST_PARTS + 1]
        names = [name for name in names if name not in merged]
        for bar in bars:
            bar["the rest"] = sum(bar.get(name, 0) for name in merged)
        names.append("the rest")
    figure, ax = pyplot.subplots()
    below = [0.0] * len(bars)
    for color, name in zip(CYCLE, names):
        heights = [bar.get(name, 0) for bar in bars]
        ax.bar(range(len(bars)), heights, 0.72, bottom=below, color=color, label=name, edgecolor=look["back"], linewidth=0.5)
        below = [a + b for a, b in zip(below, heights)]
    ax.grid(False, axis="x")
    labels = [sweep.step_label(x, step) for step in range(len(bars))]
    ax.set_xticks(range(len(bars)), labels)
    if sum(map(len, labels)) > 70:
        ax.tick_params(axis="x", labelrotation=45)
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel(sweep.axis_label(x))
    unit = sweep.ledger(plot["ledger"])["unit"]
    ax.set_ylabel(plot["ledger"] + (f" [{unit}]" if unit and unit != "B" else ""))
    numbers_on(ax, "y", unit)
    handles, texts = ax.get_legend_handles_labels()
    ax.legend(handles[::-1], texts[::-1], loc="center left", bbox_to_anchor=(1, 0.5))  # as the bars are stacked
    return figure, caption_of(sweep, plot, {x}, f"the rest: {', '.join(merged)}" if merged else "",
                              "no bar: no value" if not all(bars) else "")


def tornado(sweep, plot, workload, look):
    base = [axis["base"] for axis in sweep.axes]
    middle = sweep.value(sweep.row(workload, base), plot["metric"])
    if middle is None:
        return None, "the base has no value"
    bars = []
    for index, axis in enumerate(sweep.axes):
        ends = []
        for step in range(len(axis["steps"])):
            value = sweep.value(sweep.row(workload, [step if i == index else s for i, s in enumerate(base)]), plot["metric"])
            if value is not None:
                ends.append((value, step))
        bars.append((min(ends), max(ends), index))
    bars.sort(key=lambda bar: bar[1][0] - bar[0][0])
    figure, ax = pyplot.subplots(figsize=(WIDTH, 1.5 + 0.5 * len(bars)))
    span = max(high[0] for _, high, _ in bars) - min(low[0] for low, _, _ in bars) or abs(middle) or 1
    for place, (low, high, index) in enumerate(bars):
        for (value, step), color, side in ((low, CYCLE[0], -1), (high, CYCLE[1], 1)):
            ax.barh(place, value - middle, 0.6, left=middle, color=color)
            if value != middle:
                ax.text(value + side * span * 0.012, place, sweep.step_label(index, step), va="center", ha="right" if side < 0 else "left",
                        fontsize=9)
        if low[0] == high[0]:
            ax.text(middle + span * 0.012, place, "no change", va="center", fontsize=9, color=look["faint"])
    ax.axvline(middle, color=look["text"], linewidth=1)
    ax.set_yticks(range(len(bars)), [sweep.axes[index]["title"] for _, _, index in bars])
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.margins(x=0.16)
    numbers_on(ax, "x", sweep.unit(plot["metric"]))
    ax.set_xlabel(sweep.metric_label(plot["metric"]))
    notes = f"each axis alone, the others at {sweep.standing_text({}, set())}, which gives {short(middle, sweep.unit(plot['metric']))}"
    return figure, notes + "; beside the bars, the step of the axis that gives the end"
