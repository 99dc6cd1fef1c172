#!/usr/bin/env python3
"""Of a plan that launch_plan wrote, the launches of 07 to 14 at 2048 again with some instructions
left out: NOPs, which wait as they did, are in their places.

  leave_out.py PLAN FOLDER      then: measure_launches FOLDER times ...

What such a launch computes is wrong; its time says what the others cost.
"""
import pathlib
import struct
import sys

LEFT_OUT = ["", "LDG", "LDG STS", "BAR", "LDG STS BAR", "LDG STS BAR LDS", "LDG STS BAR FFMA", "FFMA"]
OPCODES = {0x981: "LDG", 0x388: "STS", 0x984: "LDS", 0xB1D: "BAR"}
NOP, GUARD = 0x918, 0xF000
# Of the upper half: stall count, yield and what is waited for; no scoreboard is set, nothing is kept.
STAYS, NO_SCOREBOARDS = 0x1F << 41 | 0x3F << 52, 0x3F << 46


def name(opcode):
    return "FFMA" if opcode & 0x1FF == 0x23 else OPCODES.get(opcode)


def without(cubin, names):
    cubin = bytearray(cubin)
    sections, = struct.unpack_from("<Q", cubin, 0x28)
    count, strings = struct.unpack_from("<HH", cubin, 0x3C)
    headers = [struct.unpack_from("<IIQQQQ", cubin, sections + 64 * i) for i in range(count)]
    for text, _, _, _, offset, size in headers:
        if not cubin[headers[strings][4] + text:].startswith(b".text."):
            continue
        for at in range(offset, offset + size, 16):
            low, high = struct.unpack_from("<QQ", cubin, at)
            if name(low & 0xFFF) in names:
                struct.pack_into("<QQ", cubin, at, NOP | low & GUARD, high & STAYS | NO_SCOREBOARDS)
    return bytes(cubin)


plan, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(exist_ok=True)
launches = []
for launch in (plan / "launches.txt").read_text().split("end\n")[:-1]:
    _, kernel, preset, size, cubin, _ = launch.split("\n")[0].split()
    if size != "2048" or preset == "default" or not 7 <= int(kernel[:2] if kernel[:2].isdigit() else 0) <= 14:
        continue
    for names in LEFT_OUT:
        label = names.replace(" ", "-")
        changed = f"{label}.{cubin}"
        (folder / changed).write_bytes(without((plan / cubin).read_bytes(), names.split()))
        launches.append(launch.replace(cubin, changed, 1).replace(f" {preset} ", f" {preset}:{label} ", 1) + "end\n")
(folder / "launches.txt").write_text("".join(launches))
