#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The ring all-reduce in time: never faster than its links allow, and near what it should take. Arguments: ETALON IMAGE_DIR
[--long].

With S bytes a device, N devices, B bytes a second that the links of one carry and a latency of one link, no algorithm takes
less than max(ceil(log2 N) * latency, 2 (N - 1) / N * S / B). This one takes 2 (N - 1) steps of S / N bytes; a packet of 256
bytes has a header of 16 and an acknowledgement of 16 that comes back over the links of the other direction:
2 (N - 1) * (S / N * 288 / 256 / B + latency). --long: 64 MiB on 8 devices, which may take a tenth more than that. Without images, as in a
build without LLVM: status 77.
"""
import json
import math
import pathlib
import subprocess
import sys

ETALON = sys.argv[1]
IMAGE = pathlib.Path(sys.argv[2]) / "all_reduce_ring.elf"
LONG = "--long" in sys.argv[3:]


def machine_links():
    done = subprocess.run([ETALON, "machines", "show", "base", "--json"], capture_output=True, text=True, check=True)
    values = {key: field["value"] for key, field in json.loads(done.stdout)["values"].items()}
    return int(values["links.count"]) * int(values["links.megabytes_per_second"]) / 1000, int(values["links.latency_ns"])


def cycles(devices, elements):
    command = [ETALON, "run", str(IMAGE), "--device", "npu", "--timing-only", "--json", "--devices", str(devices),
               "--in", f"x=random:1[{devices},{elements}]"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["timing"]["cycles"]


def main():
    if not IMAGE.exists():
        print("skipped: C programs need a build with LLVM")
        return 77
    bandwidth, latency = machine_links()  # bytes a cycle of a nanosecond
    failed = []
    cases = [(8, 16 << 20)] if LONG else [(2, 1), (2, 1 << 18), (4, 1 << 18), (7, 3001), (8, 1 << 16)]
    for devices, elements in cases:
        size = 4 * elements
        steps = 2 * (devices - 1)
        least = max(math.ceil(math.log2(devices)) * latency, steps / devices * size / bandwidth)
        form = steps * (size / devices * 288 / 256 / bandwidth + latency)
        took = cycles(devices, elements)
        print(f"{devices} devices, {size} bytes: {took} cycles, bound {least:.0f}, closed form {form:.0f}")
        if took < least:
            failed.append(f"{devices} devices, {size} bytes: {took} cycles beat the bound of {least:.0f}")
        if LONG and took > 1.1 * form:
            failed.append(f"{devices} devices, {size} bytes: {took} cycles are more than a tenth over {form:.0f}")
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
