#!/bin/bash
# Measures on a machine with a GPU; see tests/hardware/README.md.
#   measure.sh pack BUILD KIT            here: programs and libraries of a build into a folder that can travel
#   measure.sh check KIT OUT             there: checks everything that the recordings rely on
#   measure.sh record KIT OUT SECONDS    there: the ladder, then the recordings; goes on with KIT/measurements.db
#   measure.sh others KIT OUT            there, in the source tree: lessons 19 to 21 and the examples; three minutes
#   measure.sh vectors KIT OUT           there, in the source tree: the examples of one extent; half a minute
#   measure.sh compare KIT OUT           there: results bit for bit, how tensor cores add, counters; two minutes
set -u
step=$1 kit=$(realpath -m "$2")

pack() {
  local build=$kit
  kit=$(realpath -m "$1")
  mkdir -p "$kit/bin" "$kit/lib"
  for program in bin/tilescope bin/tilescope-nvrtc bin/tilescope-confine bin/tilescope-agent tests/measure_checks tests/hardware_bits; do
    strip -o "$kit/bin/$(basename "$program")" "$build/$program"
  done
  nvcc -O2 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o "$kit/bin/tensor_sums" "$(dirname "$0")/tensor_sums.cu"
  for program in "$kit"/bin/*; do
    ldd "$program" | awk '/=> \// {print $3}' | grep -vE '/(libc|libm|libdl|libpthread|ld-linux[^/]*)\.so' |
      xargs -I{} cp -Lu {} "$kit/lib/"
  done
  du -sh "$kit"
}

use_kit() {
  out=$(realpath -m "$1")
  mkdir -p "$out" /tmp/tilescope-store
  export XDG_CACHE_HOME=/tmp/tilescope-cache LD_LIBRARY_PATH="$kit/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export TILESCOPE_STORE=/tmp/tilescope-store/measurements.db PATH="$kit/bin:$PATH"
  [ -e "$TILESCOPE_STORE" ] || ! [ -e "$kit/measurements.db" ] || cp "$kit/measurements.db" "$TILESCOPE_STORE"
}

# Runs a command with a title, its time and its exit status into the log.
part() {
  local title=$1 start=$SECONDS status
  shift
  echo "== $title: $*"
  "$@" 2>&1
  status=$?
  echo "-- $title: exit status $status, $((SECONDS - start)) s"
}

check() {
  {
    part machine nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.sm,power.limit,temperature.gpu --format=csv
    part doctor tilescope doctor
    part one tilescope measure 10 --size 4096 --again
    part json tilescope measure 02 --size M=257,N=131,K=67 --again --json
    part hot tilescope measure 11 --size 1024 --again --hot
    part latency measure_checks latency
    part ladder tilescope ladder --again
    for shape in M=257,N=131,K=67 M=640,N=384,K=256 M=256,N=1280,K=2048; do
      part "correct at $shape" timeout -s INT 70 tilescope sweep all --sliders --size "$shape" --again --min-samples 3 \
        --min-time 0 --max-noise 10 --timeout 1 --csv "$out/correct-${shape//[=,]/-}.csv"
    done
    part faults timeout 150 measure_checks faults 50
    part repeat timeout 150 measure_checks repeat 201 "$out/repeat.csv"
    cp "$TILESCOPE_STORE" "$out/measurements.db"
  } | tee "$out/check.log"
}

one() { tilescope measure "$1" --size "$s" --min-time 0.08 --timeout 2 ${2:+--set $2} >/dev/null; }

# As many elements as matrices of 256 to 8192 rows and columns have.
vectors() {
  local s kernel
  for s in 65536 262144 1048576 4194304 16777216 67108864; do
    for kernel in reduction scan; do one examples/$kernel.cu; done
  done
  cp "$TILESCOPE_STORE" "$out/measurements.db"
}

# Kernels that are no products. The store is left in OUT; recordings.py writes its rows as CSV.
others() {
  local s transpose=lessons/19-transpose sums=lessons/20-reduction attention=lessons/21-attention
  for s in 1024 2048 4096 8192 16384; do
    one $transpose/copy.cu
    for set in SWAPPED=0 SWAPPED=1; do one $transpose/transpose_naive.cu "$set"; done
    for pad in 0 1; do
      for each in 1 2 4; do one $transpose/transpose_tile.cu "PAD=$pad PER_THREAD=$each"; done
    done
    one $transpose/transpose_swizzled.cu
    for kernel in softmax_passes softmax_online; do one $attention/$kernel.cu; done
    for kernel in transpose softmax stencil; do one examples/$kernel.cu; done
  done
  s=1024 one $attention/softmax_kept.cu PER_LANE=32
  for s in 1024 2048 4096 8192; do
    for kernel in sum_atomic sum_neighbours sum_strided sum_halves; do one $sums/$kernel.cu; done
    for each in 2 8; do one $sums/sum_first_adds.cu PER_THREAD=$each; done
    for each in 4 16; do one $sums/sum_shuffles.cu PER_THREAD=$each; done
    for blocks in 132 264 528 1056; do one $sums/sum_grid.cu BLOCKS=$blocks; done
    for rows in 32 64; do
      for kernel in attention_scores flash; do one $attention/$kernel.cu "D=64 ROWS=$rows"; done
    done
  done
  vectors
}

record() {
  {
    timeout 120 tilescope ladder --min-time 0.3 --json >"$out/ladder.json"
    tilescope ladder | tee "$out/ladder.txt"
    part record timeout --foreground -s INT "$1" tilescope sweep all --sliders --size 256..8192 --min-time 0.05 --timeout 1 \
      --csv "$out/recording.csv"
    cp "$TILESCOPE_STORE" "$out/measurements.db"
    ls -l "$out"
  } | tee "$out/record.log"
}

compare() {
  {
    part sums timeout 60 tensor_sums "$out/tensor_rules.csv" "$out/tensor_sums.csv"
    part bits timeout -s INT 120 hardware_bits "$out"
    part counters timeout -s INT 120 tilescope sweep all --presets --size 4096 --again --min-samples 3 --min-time 0 \
      --max-noise 10 --timeout 0.2 --counters "$out/counters.csv"
  } | tee "$out/compare.log"
}

case $step in
  pack) pack "$3" ;;
  check) use_kit "$3" && check ;;
  record) use_kit "$3" && record "$4" ;;
  others) use_kit "$3" && others ;;
  vectors) use_kit "$3" && vectors ;;
  compare) use_kit "$3" && compare ;;
  *) sed -n 2,8p "$0" && exit 2 ;;
esac
