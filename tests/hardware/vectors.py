#!/usr/bin/env python3
"""Runs the instruction tests on a GPU and compares with what the reference says.

usage: vectors.py FOLDER   (made by: build/release/tests/dump_vectors FOLDER)
Needs numpy and the driver's libcuda; ptxas in the driver compiles the PTX. Prints each form that differs with its first
few elements; exits with 1 when any does.
"""
import ctypes
import json
import os
import sys

import numpy

DTYPES = {"u8": "u1", "s8": "i1", "b8": "u1", "u16": "u2", "s16": "i2", "b16": "u2", "u32": "u4", "s32": "i4",
          "b32": "u4", "u64": "u8", "s64": "i8", "b64": "u8", "f32": "f4", "f64": "f8", "f16": "f2", "bf16": "u2",
          "f16x2": "u4", "bf16x2": "u4", "tf32": "f4"}

cuda = ctypes.CDLL("libcuda.so.1")


def check(result, what):
    if result:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(result, ctypes.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode()}")


def start():
    check(cuda.cuInit(0), "cuInit")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
    check(cuda.cuCtxSetCurrent(context), "context")


def to_device(data):
    pointer = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(max(16, len(data)))), "cuMemAlloc")
    check(cuda.cuMemcpyHtoD_v2(pointer, data, ctypes.c_size_t(len(data))), "cuMemcpyHtoD")
    return pointer


def run(module, case, arrays, size_of):
    """The output bytes of one case."""
    function = ctypes.c_void_p()
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, case["entry"].encode()), case["entry"])
    slices = [arrays[a["offset"]:a["offset"] + size_of(a)] for a in case["inputs"] + [case["guard"]]]
    inputs = [to_device(data) for data in slices]
    output = to_device(b"\xa5" * size_of(case["output"]))
    missing = [ctypes.c_uint64(0)] * (4 - len(case["inputs"]))
    parameters = inputs[:-1] + missing + [inputs[-1], output]
    pointers = (ctypes.c_void_p * 6)(*[ctypes.addressof(p) for p in parameters])
    check(cuda.cuLaunchKernel(function, *case["grid"], *case["block"], 0, None, pointers, None), "launch")
    check(cuda.cuCtxSynchronize(), case["entry"])
    result = ctypes.create_string_buffer(size_of(case["output"]))
    check(cuda.cuMemcpyDtoH_v2(result, output, ctypes.c_size_t(len(result))), "cuMemcpyDtoH")
    for pointer in inputs + [output]:
        cuda.cuMemFree_v2(pointer)
    return result.raw


def as_numbers(data, element, dtype):
    if element == "bf16":
        return (numpy.frombuffer(data, "u2").astype("u4") << 16).view("f4").astype("f8")
    return numpy.frombuffer(data, dtype).astype("f8")


def differing(case, got, expected):
    """Indices of the elements that differ by more than the case's tolerance, and both sides' bits."""
    element, kind, amount = case["output"]["type"], case["tolerance"]["kind"], case["tolerance"]["amount"]
    element = element.removesuffix("x2")  # the halves of a pair are judged one by one
    dtype = numpy.dtype(DTYPES[element])
    got_bits, expected_bits = (numpy.frombuffer(data, f"u{dtype.itemsize}") for data in (got, expected))
    bad = got_bits != expected_bits
    if kind == "nothing":
        bad[:] = False
    elif kind != "bits":
        a, b = as_numbers(got, element, dtype), as_numbers(expected, element, dtype)
        with numpy.errstate(all="ignore"):
            slack = {"bits_or_nan": 0 * b, "absolute": amount + 0 * b, "relative": (amount + 2.0 ** -24) * abs(b),
                     "ulps": amount * numpy.spacing(abs(b).astype(dtype if dtype.kind == "f" else "f4")).astype("f8")}[kind]
            bad &= ~((numpy.isnan(a) & numpy.isnan(b)) | (abs(a - b) <= slack))
    return numpy.nonzero(bad)[0], got_bits, expected_bits


def main():
    folder = sys.argv[1]
    cases = json.load(open(os.path.join(folder, "vectors.json")))
    arrays = open(os.path.join(folder, "vectors.bin"), "rb").read()
    size_of = lambda a: a["count"] * numpy.dtype(DTYPES[a["type"]]).itemsize
    start()
    modules, refused, agree, differ, values = {}, set(), 0, 0, 0
    for case in cases:
        name = case["module"]
        if name in refused:
            continue
        if name not in modules:
            modules[name] = ctypes.c_void_p()
            if cuda.cuModuleLoad(ctypes.byref(modules[name]), os.path.join(folder, name).encode()):
                refused.add(name)
                print(f"{name}: the driver's compiler refuses it")
                continue
        out = case["output"]
        bad, got, expected = differing(case, run(modules[name], case, arrays, size_of),
                                       arrays[out["offset"]:out["offset"] + size_of(out)])
        values += out["count"]
        agree += len(bad) == 0
        differ += len(bad) > 0
        if len(bad):
            shown = ", ".join(f"[{i}] {got[i]:x} for {expected[i]:x}" for i in bad[:4])
            print(f"{case['instruction']:44} {case['tolerance']['kind']:9} {len(bad):5} of {out['count']}: {shown}")
    print(f"{agree} of {agree + differ} forms agree, {values} values compared, {len(refused)} modules refused")
    return 1 if differ or refused else 0


if __name__ == "__main__":
    sys.exit(main())
