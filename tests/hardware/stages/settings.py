"""Compiles every stage at its best setting at 4096 (PERFORMANCE.md) for sm_90a and writes what measure.py reads.

Usage: settings.py FOLDER   (cubins and settings.json go there; needs nvcc 13)
"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

CATALOGUE = pathlib.Path(__file__).parents[3] / "kernels"

OBLONG = [[4096, 4096, 1024], [1024, 8192, 4096]]
UNEVEN = [[4092, 4092, 4092], [4095, 4095, 4095], [4001, 3999, 4003], [2047, 2047, 2047]]
OVERLAPPING = re.compile("1[89]|2[345]")  # stages with griddepcontrol: also timed with programmatic dependent launch
HOT = ["18", "20", "23", "24 clusters of 2"]  # also timed sustained


def warp(bm, bn, bk, wm, wn, wniter, tm=4, tn=4, **more):
    return dict(BM=bm, BN=bn, BK=bk, WM=wm, WN=wn, WNITER=wniter, TM=tm, TN=tn, **more)


def threads_of(p):
    return p["BM"] // p["WM"] * (p["BN"] // p["WN"]) * 32


def fp32_stages(p):
    """Bytes of STAGES tiles, A transposed with rows padded by four words."""
    return p["STAGES"] * 4 * p["BK"] * (p["BM"] + 4 + p["BN"])


def bf16_shared(p):
    return p["STAGES"] * 2 * (128 * 64 + 64 * p["BN"]) + 2 * 2 * 64 * 64 * 2 + 16 * p["STAGES"]


def tf32_shared(p):
    return p["STAGES"] * 4 * 32 * (p["BM"] + 128) + 2 * 2 * 2 * 32 * 32 * 4 + 16 * p["STAGES"]


def stages():
    """name, source, how it is launched, precision, parameters, threads, bytes of dynamic shared memory, sizes (none: all)"""
    p = warp(64, 128, 8, 32, 64, 2, 8, 4)
    yield "11", CATALOGUE / "11_warp_tile.cu", "grid2d", "f32", p, threads_of(p), 0, None
    p = warp(128, 128, 16, 32, 64, 2, 8, 4)
    yield "12", CATALOGUE / "12_register_prefetch.cu", "grid2d", "f32", p, threads_of(p), 0, None
    p = warp(64, 128, 8, 32, 64, 2, 8, 4, STAGES=4)
    yield "13", CATALOGUE / "13_async_stages.cu", "grid2d", "f32", p, threads_of(p), 0, None
    p = warp(64, 128, 16, 64, 64, 4, STAGES=2)
    yield "14", CATALOGUE / "14_bank_free.cu", "grid2d", "f32", p, threads_of(p), 0, None
    p = dict(p, GROUP=8)
    yield "15", CATALOGUE / "15_block_order.cu", "grid1d", "f32", p, threads_of(p), 0, None
    p = dict(BM=64, BN=256, BK=8, STAGES=3, GROUP=16)
    yield "16", CATALOGUE / "16_register_banks.cu", "grid1d", "f32", p, 128, 0, None
    p = dict(BM=64, BN=256, BK=16, STAGES=4, GROUP=16)
    yield "17", CATALOGUE / "17_tma.cu", "tmab", "f32", p, 128, fp32_stages(p), None
    p = dict(BM=128, BN=256, BK=16, STAGES=4, GROUP=8, MATH_REGISTERS=216)
    yield "18", CATALOGUE / "18_producer_warps.cu", "tmab", "f32", p, 384, fp32_stages(p), None
    p = dict(BM=64, BN=128, SLICES=4, SLICE=16, BK=64, STAGES=3, GROUP=8, MATH_REGISTERS=200)
    yield "19", CATALOGUE / "19_split_k.cu", "tmab", "f32", p, 384, max(fp32_stages(p), 131072), [[1024] * 3]
    p = dict(BM=128, BN=256, BK=16, STAGES=4, GROUP=8, MATH_REGISTERS=224)
    yield "20", CATALOGUE / "20_stream_k.cu", "streamk", "f32", p, 384, fp32_stages(p), None
    p = dict(BM=128, BN=128, BK=32, WM=64, WN=64, STAGES=2, GROUP=8)
    yield "21", CATALOGUE / "21_tf32_mma.cu", "grid1d", "tf32", p, 128, p["STAGES"] * 4 * (128 * 36 + 32 * 136), None
    p = dict(BM=128, BN=128, BK=32, WM=64, WN=64, STAGES=4, GROUP=8)
    yield "22", CATALOGUE / "22_bf16_mma.cu", "grid1d", "bf16", p, 128, p["STAGES"] * 2 * (128 * 40 + 32 * 136), None
    p = dict(BM=128, BN=256, BK=64, STAGES=4, GROUP=16)
    yield "23", CATALOGUE / "23_bf16_wgmma.cu", "bf16_wgmma", "bf16", p, 384, bf16_shared(p), [2048, 4096, 6144, 8192] + OBLONG
    p = dict(BM=128, BN=192, BK=64, STAGES=4, GROUP=16)
    yield "23 192 wide", CATALOGUE / "23_bf16_wgmma.cu", "bf16_wgmma", "bf16", p, 384, bf16_shared(p), [3072]
    p = dict(BM=128, BN=64, BK=64, STAGES=8, GROUP=16)
    yield "23 narrow", CATALOGUE / "23_bf16_wgmma.cu", "bf16_wgmma", "bf16", p, 384, bf16_shared(p), [[1024] * 3]
    for cluster in (1, 2):
        p = dict(BM=256, BN=128, BK=32, STAGES=4, GROUP=8, CLUSTER=cluster)
        yield f"24 clusters of {cluster}", CATALOGUE / "24_tf32_wgmma.cu", "tf32_wgmma", "tf32", p, 384, tf32_shared(p), [2048, 4096, 6144, 8192] + OBLONG
    p = dict(BM=192, BN=128, BK=32, STAGES=4, GROUP=8, CLUSTER=1)
    yield "24 192 high", CATALOGUE / "24_tf32_wgmma.cu", "tf32_wgmma", "tf32", p, 384, tf32_shared(p), [3072]
    p = dict(BM=64, BN=128, BK=32, STAGES=6, GROUP=8, CLUSTER=1)
    yield "24 narrow", CATALOGUE / "24_tf32_wgmma.cu", "tf32_wgmma", "tf32", p, 384, tf32_shared(p), [[1024] * 3]
    p = dict(BM=128, BN=256, BK=16, STAGES=4, GROUP=8, MATH_REGISTERS=216)
    yield "25", CATALOGUE / "25_any_size.cu", "any", "f32", p, 384, fp32_stages(p), [[4096] * 3] + UNEVEN


def compile_stage(folder, name, source, params):
    """The cubin's path; registers and spills go to stdout."""
    text = source.read_text()
    defines = [f"-D{key}={value}" for key, value in params.items() if re.search(rf"#ifndef {key}\b", text)]
    cubin = folder / (name.replace(" ", "_") + ".cubin")
    command = ["nvcc", "-cubin", "-gencode", "arch=compute_90a,code=sm_90a", "-Xptxas", "-v", *defines, "-o", cubin, source]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{source}: {done.stderr}")
    print(name, *re.findall(r"Used \d+ registers|\d+ bytes spill stores", done.stderr), flush=True)
    return str(cubin.resolve())


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    variants = []
    with concurrent.futures.ThreadPoolExecutor() as pool:
        cubins = [pool.submit(compile_stage, folder, stage[0], stage[1], stage[4]) for stage in stages()]
    for (name, source, family, kind, params, threads, smem, only), cubin in zip(stages(), cubins):
        variant = dict(name=name, family=family, kind=kind, params=params, threads=threads, smem=smem, cubin=cubin.result())
        if only:
            variant["only"] = only
        variants.append(variant)
        if OVERLAPPING.match(name):
            variants.append(dict(variant, name=name + " overlapping", overlap=True))
    jobs = [dict(shape=1024, rounds=41, stress=400), dict(shape=2048, rounds=21, stress=400, hot=HOT), dict(shape=3072, rounds=9, stress=100),
            dict(shape=4096, rounds=9, hot=HOT), dict(shape=6144, rounds=5), dict(shape=8192, rounds=7, least=1, hot=HOT, match="^(18|2[034])")]
    jobs += [dict(shape=shape, rounds=5) for shape in OBLONG + UNEVEN]
    (folder / "settings.json").write_text(json.dumps(dict(label="stages", variants=variants, jobs=jobs)))


if __name__ == "__main__":
    main()
