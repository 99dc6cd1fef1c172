#!/usr/bin/env python3
"""Puts what the emulator counted beside what a GPU's counters read.

usage: compare.py FOLDER NCU.csv [TABLE.csv]
NCU.csv is of ncu --csv --page raw, one row a launch, in the order of launches.txt; TABLE.csv gets both sides of all.
Prints a line for each launch and counter that differ, then how many agree; exits with 1 when any differs.
"""
import csv
import sys

METRICS = {
    "fma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}


def read_ncu(path):
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    return [row for row in rows if row["ID"]]  # the row after the header holds units


def main():
    folder, ncu = sys.argv[1:3]
    with open(folder + "/counted.csv", newline="") as file:
        counted = list(csv.DictReader(file))
    measured = read_ncu(ncu)
    if len(counted) != len(measured):
        sys.exit(f"{len(counted)} launches counted, {len(measured)} measured")
    same = different = 0
    table = open(sys.argv[3], "w") if len(sys.argv) > 3 else None
    if table:
        print("launch,counter,counted,hardware", file=table)
    for expected, row in zip(counted, measured):
        for name, metric in METRICS.items():
            hardware = round(float(row[metric].replace(",", "")))
            if table:
                print(f"{expected['name']},{name},{expected[name]},{hardware}", file=table)
            if hardware == int(expected[name]):
                same += 1
                continue
            different += 1
            print(f"{expected['name']:48} {name:24} counted {int(expected[name]):>10}  hardware {hardware:>10}")
    print(f"{same} counts agree with the hardware's counters, {different} differ, over {len(counted)} launches")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
