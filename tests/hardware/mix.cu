// What instructions of one warp and of several cost one another: an IMAD.WIDE among FMAs, loads from shared memory
// beside them, stall counts and yields. They are written into the machine code:
//   nvcc -cubin -arch=sm_90 -o mix.cubin mix.cu && nvcc -O2 -std=c++17 -arch=sm_90 -o mix mix.cu -lcuda
//   ./mix mix.cubin > results/h200_mix.csv
// A letter is an instruction, of stall count 1 if no digit follows; ! makes it yield.
//   N nothing, F an FMA, G one of three registers of which two are in a bank, W IMAD.WIDE, Z one without a sum, I IMAD,
//   A IADD3, D and E loads of one and four words from shared memory, of one address
#include "patched_loop.h"

class Writer {
 public:
  explicit Writer(PatchedLoop& loop) : loop_(loop) {
    for (int bank = 0; bank < 2; ++bank) {
      pool_[bank] = loop.registers[bank];
      for (uint64_t& each : fixed_[bank]) each = pool_[bank].back(), pool_[bank].pop_back();
    }
    // Where several words go; an odd one follows each even one.
    for (const uint64_t r : pool_[0])
      if (quad_ == 0 && r % 4 == 0 && r >= 12) quad_ = r;
  }

  void write(const std::string& pattern) {
    next_[0] = next_[1] = written_ = 0;
    size_t at = 0;
    for (size_t i = 0; i < kInstructions; ++i) {
      const char letter = pattern[at++ % pattern.size()];
      int stall = 1;
      bool yields = false;
      for (;; ++at) {
        const char more = pattern[at % pattern.size()];
        if (more == '!')
          yields = true;
        else if (more >= '1' && more <= '9')
          stall = more - '0';
        else
          break;
      }
      Bits bits = instruction(letter);
      bits.high |= control(stall, yields);
      loop_.put(i, bits);
    }
  }

 private:
  static constexpr uint64_t kNone = 255;
  Bits instruction(char letter) {
    const auto [e0, e1] = fixed_[0];
    const auto [o0, o1] = fixed_[1];
    const uint64_t pair = e1 & ~uint64_t{1};
    switch (letter) {
      case 'F': return of(kFma, another(), o0, e0, kNone, 0);
      case 'G': return of(kFma, another(), o0, e0, e1, 0);
      case 'W': return of(0x825, quad_, o0, 4, pair, 0x78e0200);
      case 'Z': return of(0x825, quad_, o0, 4, kNone, 0x78e0200);
      case 'I': return of(0x224, another(), o0, e0, kNone, 0x78e0200);
      case 'A': return of(0x210, another(), o0, e0, kNone, 0x7ffe000);
      case 'D': return of(0x984, another(), kNone, 0, 0, 0x800);
      case 'E': return of(0x984, quad_, kNone, 0, 0, 0xc00);
      default: return {0x7918, 0};
    }
  }
  /// Of an opcode, what it writes and reads and what else is in its upper half.
  static Bits of(uint64_t opcode, uint64_t d, uint64_t a, uint64_t b, uint64_t c, uint64_t rest) {
    return {0x7000 | opcode | d << 16 | a << 24 | b << 32, c | rest};
  }
  /// A register to write to, of the even and of the odd ones in turn.
  uint64_t another() {
    const size_t bank = written_++ % 2;
    return pool_[bank][next_[bank]++ % pool_[bank].size()];
  }

  PatchedLoop& loop_;
  std::vector<uint64_t> pool_[2];
  uint64_t fixed_[2][2] = {}, quad_ = 0;
  size_t next_[2] = {}, written_ = 0;
};

int main(int, char** names) {
  PatchedLoop loop(names[1]);
  Writer writer(loop);
  std::printf("pattern,schedulers,warps_of_a_scheduler,clocks_of_a_turn\n");
  const auto measure = [&](const std::string& pattern, int schedulers = 15) {
    writer.write(pattern);
    const std::vector<int> warps = {4, 8, 16};
    const std::vector<double> clocks = loop.measure(warps, schedulers);
    for (size_t i = 0; i < warps.size(); ++i)
      std::printf("%s,%d,%d,%.2f\n", pattern.c_str(), schedulers, warps[i] / 4, clocks[i]);
  };
  for (const char* other : {"N", "F"}) {
    measure(other);
    for (const char* letter : {"W", "Z", "I", "A", "G", "WW", "II", "AA", "AW", "WA", "IW", "IA"})
      for (const int n : {0, 1, 2, 3, 6, 7}) measure(letter + times(other, n));
  }
  for (const char* pattern : {"F2", "F4", "N2", "N4", "F!", "N!", "G2", "F3!N", "F3!NN", "W4", "W4F4", "A4F4",
                              "F2N2", "F4N4"})
    measure(pattern);
  for (const int schedulers : {1, 3, 15})
    for (const char* load : {"D", "E", "D4", "E4"}) {
      measure(load, schedulers);
      for (const char* others : {"N", "F", "FN", "FFN", "FFFN", "FFFFFFFN", "NNNF"})
        for (const int loads : {1, 4, 8, 16})
          for (const int each : {4, 8, 16})
            if (loads * each <= 64)
              measure(times(load, loads) + times(others, 64).substr(0, loads * (each - 1)), schedulers);
    }
}
