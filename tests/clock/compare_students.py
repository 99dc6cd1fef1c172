#!/usr/bin/env python3
"""How far off the times of the kernels of students.cu, homework.cu, coursework.cu, loops.cu,
projects.cu or electives.cu are.

  tilescope run tests/clock/students.cu --json students.json
  tests/clock/compare_students.py students.json [kernels=1]

Those of electives.cu judge; the others led to some mends. `init_` kernels fill arrays and do not
count.
"""
import csv
import json
import pathlib
import sys


def summary(name, rows):
    far = sorted(abs(far) for _, far, _ in rows if far is not None)
    inside = sum(holds for _, _, holds in rows)
    print(f"{name}: {len(rows)} kernels, {len(rows) - len(far)} without a time; median {far[len(far) // 2]:.1f} %, "
          f"nine of ten {far[int(0.9 * len(far))]:.1f} %, in 12 % {100 * sum(x <= 12 for x in far) / len(rows):.0f}, "
          f"in the stated range {100 * inside / len(rows):.0f}")


report = json.loads(pathlib.Path(sys.argv[1]).read_text())
launches = report["launches"]
data = f"h200_{pathlib.Path(report['program']).stem}.csv"
with open(pathlib.Path(__file__).parent / "data" / data, newline="") as file:
    measured = list(csv.DictReader(file))
rows = []
for launch, row in zip(launches, measured, strict=True):
    if row["kernel"].startswith("init_"):
        continue
    seconds, time = launch["predicted"], float(row["ncu_time_ns"]) * 1e-9
    far = 100 * (seconds["seconds"] / time - 1) if seconds else None
    rows.append((row["kernel"], far, bool(seconds) and seconds["low"] <= time <= seconds["high"]))
summary("odd", rows[0::2])
summary("even", rows[1::2])
if "kernels=1" in sys.argv:
    for kernel, far, _ in rows:
        print(f"{kernel:40} {'no time' if far is None else f'{far:+.1f} %'}")
