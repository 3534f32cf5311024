#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every kernel of kernels/c on the timing model: the values of the functional model, whatever delays a seed draws, and the
same cycles each time, also without values. Arguments: SOURCE_DIR ETALON IMAGE_DIR [--long].

The machine is `base`, and for each kernel one of the others in turn; --long: all of them, and 50 seeds of delays in place
of 3. Profiles that a machine lacks are given to it: what is tested here is time. Without images, as in a build without LLVM: status 77.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
ETALON = sys.argv[2]
IMAGES = pathlib.Path(sys.argv[3])
LONG = "--long" in sys.argv[4:]
SEEDS = 50 if LONG else 3
OTHERS = ["edge", "server", "rtl8", "rtl16", "tpuv4-like"]
ALL = "profiles=" + ",".join("Et-base Et-f16 Et-f32mm Et-fp8 Et-mx Et-i4 Et-sparse Et-sort Et-trig Et-rand Et-atomic".split())
JOINED = ["base", "server", "tpuv4-like"]  # machines with links, which have Et-net
R = "random:"

# Inputs by kernel, and scalar arguments behind them. Shapes are small and no multiples of anything.
CASES = {
    "adam": (f"p={R}1[3001] g={R}2[3001] m={R}3[3001] v=ones[3001]", ""),
    "all_reduce_ring": (f"x={R}1[4,3001]", ""),
    "attention": (f"q={R}1[1,2,130,64] k={R}2[1,1,130,64] v={R}3[1,1,130,48]", "causal=1"),
    "conv2d_few_channels": (f"x={R}1[1,21,23,3] w={R}2[5,5,3,20]", "pad=2 stride=2"),
    "conv2d_implicit": (f"x={R}1[1,11,13,24] w={R}2[3,3,24,20]", "pad=1"),
    "conv2d_nchw": (f"x={R}1[1,24,11,13] w={R}2[3,3,24,20]", "stride=2"),
    "conv2d_nhwc": (f"x={R}1[2,11,13,24] w={R}2[3,3,24,20]", "dilation=2"),
    "depthwise_conv": (f"x={R}1[1,11,13,24] w={R}2[3,3,24]", "pad=1"),
    "dropout": (f"x={R}1[70,130]", "seed=5"),
    "embedding": (f"table={R}1[100,72] ids={R}2:0:100[45]", ""),
    "fma_relu": (f"a={R}1[70,130] b={R}2[130] c={R}3[70,1]", ""),
    "gemm_bf16": (f"A={R}1[150,140] B={R}2[140,70]", ""),
    "gemm_fp8": (f"A={R}1[70,140] a_scale={R}3[70,2] B={R}2[140,50] b_scale={R}4[2,50]", ""),
    "gemm_fp8_e5m2": (f"A={R}1[70,140] a_scale={R}3[70,2] B={R}2[140,50] b_scale={R}4[2,50]", ""),
    "gemm_i8": (f"A={R}1[70,140] B={R}2[140,50] multiplier={R}3:1:9999[50] shift={R}4:1:20[50]", ""),
    "gemm_mxfp4": (f"A={R}1[70,140] a_scale={R}3[70,5] B={R}2[50,140] b_scale={R}4[50,5]", ""),
    "gemm_mxfp8": (f"A={R}1[70,140] a_scale={R}3[70,5] B={R}2[140,50] b_scale={R}4[5,50]", ""),
    "gemm_mxfp8_e5m2": (f"A={R}1[70,140] a_scale={R}3[70,5] B={R}2[140,50] b_scale={R}4[5,50]", ""),
    "gemm_sparse24": (f"A={R}1[70,70] metadata=const:4[70,35] B={R}2[140,50]", ""),
    "grouped_gemm": (f"x={R}1[40,72] W={R}2[3,72,50] expert={R}3:0:3[40,2] gate={R}4[40,2]", ""),
    "layer_norm": (f"x={R}1[70,130] gamma={R}2[130] beta={R}3[130]", ""),
    "layer_norm_backward": (f"dy={R}1[70,130] x={R}2[70,130] mean={R}3[70] rstd=ones[70] gamma={R}5[130]", ""),
    "max_pool": (f"x={R}1[1,11,13,24]", ""),
    "paged_decode": (f"q={R}1[2,2,64] k={R}2[8,16,1,64] v={R}3[8,16,1,48] table={R}4:0:8[2,3] lengths=const:40[2]", ""),
    "softmax": (f"x={R}1[70,130]", ""),
    "split_k": (f"A={R}1[70,300] B={R}2[300,50]", ""),
    "topk_routing": (f"logits={R}1[70,16]", "k=2"),
}
DEVICES = {"all_reduce_ring": 4}  # of other kernels 1
# Kernels whose scalar core or indices read what floats computed: they stop by --timing-only.
NEED_VALUES = set()


class Refused(Exception):
    pass


def demand(condition, what):
    if not condition:
        raise Refused(what)


def run(image, kernel, folder, device, *more, machine="base"):
    inputs, arguments = CASES[kernel]
    command = [ETALON, "run", str(image), "--device", device, "--machine", machine, "--set", ALL + ",Et-net" * (machine in JOINED), "--json", *more]
    command += ["--devices", str(DEVICES.get(kernel, 1))]
    for option, texts in (("--in", inputs), ("--arg", arguments)):
        for text in texts.split():
            command += [option, text]
    for name in outputs(kernel):
        command += ["--out", f"{name}={folder}/{name}.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    demand(done.returncode == 0, f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-600:]}{done.stderr}")
    result = json.loads(done.stdout)
    files = {} if "--timing-only" in more else {name: (folder / f"{name}.npy").read_bytes() for name in outputs(kernel)}
    return result, files


def outputs(kernel):
    text = (SOURCE / f"kernels/c/{kernel}.c").read_text()
    note = text[text.index("ETALON_KERNEL("):].split("check")[0]
    return [word.split(":")[0].strip() for word in note.replace('"', "").split("out ")[1:]]


def check_ledgers(result):
    timing = result["timing"]
    for unit in timing["units"]:
        total = sum(unit["cycles"].values())
        demand(total == timing["cycles"], f"unit {unit} adds up to {total} of {timing['cycles']} cycles")


def check_on(machine, image, kernel, folder):
    _, values = run(image, kernel, folder, "npu-functional", machine=machine)
    timed, timed_values = run(image, kernel, folder, "npu", machine=machine)
    demand(timed_values == values, f"values on {machine} differ from those of the functional model")
    check_ledgers(timed)


def check(kernel):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        image = IMAGES / f"{kernel}.elf"
        plain, values = run(image, kernel, folder, "npu-functional")
        timed, timed_values = run(image, kernel, folder, "npu")
        demand(timed_values == values, "values on the timing model differ from those of the functional model")
        demand(timed["counters"] == plain["counters"], "counters differ from those of the functional model")
        check_ledgers(timed)
        again, _ = run(image, kernel, folder, "npu")
        demand(again == timed, "a second run tells something else")
        for seed in range(1, SEEDS + 1):
            late, late_values = run(image, kernel, folder, "npu", "--jitter", str(seed))
            demand(late_values == values, f"values change with --jitter {seed}")
            demand(late["timing"]["cycles"] != timed["timing"]["cycles"], f"--jitter {seed} delays nothing")
            check_ledgers(late)
        number = sorted(CASES).index(kernel)
        others = [machine for machine in OTHERS if machine in JOINED or kernel not in DEVICES]
        for machine in others if LONG else [others[number % len(others)]]:
            check_on(machine, image, kernel, folder)
        if kernel not in NEED_VALUES:
            counted, _ = run(image, kernel, folder, "npu", "--timing-only")
            demand(counted["timing"] == timed["timing"], "--timing-only takes other cycles, or spends them otherwise")


def main():
    if not list(IMAGES.glob("*.elf")):
        print("skipped: C programs need a build with LLVM")
        return 77
    kernels = sorted(path.stem for path in (SOURCE / "kernels/c").glob("*.c"))
    failed = [f"{kernel}: no case here" for kernel in kernels if kernel not in CASES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = {kernel: pool.submit(check, kernel) for kernel in kernels if kernel in CASES}
    for kernel, done in runs.items():
        if done.exception():
            failed.append(f"{kernel}: {done.exception()}")
    print("\n".join(failed) or f"{len(kernels)} kernels, {SEEDS} seeds of delays each: values and cycles as they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
