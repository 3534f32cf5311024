# SPDX-License-Identifier: Apache-2.0
"""Results of `etalon sweep` (isa/schema/sweep_result.schema.json) as plots ask for them."""


def short(value, unit=""):
    """Three significant digits, with k, M, G for large ones; bytes in KiB, MiB, GiB."""
    if value is None:
        return "-"
    if unit == "B":
        for power, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
            if abs(value) >= 1 << power:
                return f"{digits(value / (1 << power))} {name}"
        return f"{digits(value)} B"
    for factor, letter, least in ((1e12, "T", 1e12), (1e9, "G", 1e9), (1e6, "M", 1e6), (1e3, "k", 1e4)):
        if abs(value) >= least:
            return digits(value / factor) + letter
    return digits(value)


def digits(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


class Sweep:
    def __init__(self, results):
        self.results = results
        self.title, self.axes, self.rows = results["title"], results["axes"], results["rows"]
        self.metrics, self.ledgers, self.plots = results["metrics"], results["ledgers"], results["plots"]
        self.one_at_a_time = results["combine"] == "one_at_a_time"
        self.workloads = [workload["name"] for workload in results["workloads"]]
        self._at = {(row["workload"], *row["steps"]): row for row in self.rows}

    def axis(self, key):
        """Index of the axis that has this key."""
        return next(i for i, axis in enumerate(self.axes) if key in axis["keys"])

    def metric(self, name):
        return next(metric for metric in self.metrics if metric["name"] == name)

    def ledger(self, name):
        return next(ledger for ledger in self.ledgers if ledger["name"] == name)

    def row(self, workload, steps):
        """The row there, or None."""
        return self._at.get((workload, *steps))

    def value(self, row, metric):
        return row["metrics"][metric] if row else None

    def standing(self, plot):
        """Step of every axis that a plot does not move: its base, or where the plot's `at` says."""
        steps = [axis["base"] for axis in self.axes]
        for key, value in plot.get("at", {}).items():
            index = self.axis(key)
            column = self.axes[index]["keys"].index(key)
            steps[index] = [step[column] for step in self.axes[index]["steps"]].index(str(value))
        return steps

    def standing_text(self, plot, moved):
        """`clock_mhz = 1000, cores = 4` of the axes that a plot does not move."""
        steps = self.standing(plot)
        parts = [f"{key} = {value}" for i, axis in enumerate(self.axes) if i not in moved
                 for key, value in zip(axis["keys"], axis["steps"][steps[i]])]
        return ", ".join(parts)

    def step_label(self, index, step):
        """Zipped keys of one value show it once."""
        values = self.axes[index]["steps"][step]
        return values[0] if len(set(values)) == 1 else ", ".join(values)

    def axis_label(self, index):
        axis = self.axes[index]
        return axis["title"] + (f" [{axis['unit']}]" if axis["unit"] else "")

    def unit(self, name):
        return self.metric(name)["unit"]

    def metric_label(self, name):
        """Bytes say their unit with every number."""
        unit = self.unit(name)
        return name + (f" [{unit}]" if unit and unit != "B" else "")

    def point_text(self, row):
        return ", ".join(f"{key} = {value}" for key, value in row["values"].items())
