#!/usr/bin/env python3
"""Prints the measurements of a store as rows of assets/recordings: recordings.py measurements.db > recording.csv"""

import csv
import json
import pathlib
import sqlite3
import sys

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent.parent / "assets" / "recordings" / "h200.csv"


def flat(measurement):
    """The columns of one measurement by name."""
    columns = {key: value for key, value in measurement.items() if not isinstance(value, dict)}
    columns["params"] = " ".join(f"{name}={value}" for name, value in measurement["params"].items())
    reference = measurement["cublas"]
    columns["cublas"] = reference["name"]
    for prefix, spread in (("", measurement["seconds"]), ("cublas_", reference["seconds"])):
        for name, suffix in (("low", "_low"), ("median", ""), ("high", "_high")):
            columns[f"{prefix}seconds{suffix}"] = spread[name]
    for name, suffix in (("low", "_low"), ("median", ""), ("high", "_high")):
        columns[f"relative{suffix}"] = reference["relative"][name]
    return columns


def main():
    names = RECORDINGS.open().readline().strip().split(",")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for (text,) in sqlite3.connect(sys.argv[1]).execute("SELECT json FROM measurement ORDER BY id"):
        columns = flat(json.loads(text))
        row = [columns[name] for name in names]
        writer.writerow([int(v) if isinstance(v, bool) else f"{v:g}" if isinstance(v, float) else v for v in row])


main()
