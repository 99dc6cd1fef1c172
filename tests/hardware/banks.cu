// How long FMAs take by the banks of their registers and by what they keep for reuse. Their operands are written into
// the machine code:
//   nvcc -cubin -arch=sm_90 -o banks.cubin banks.cu && nvcc -O2 -std=c++17 -arch=sm_90 -o banks banks.cu -lcuda
//   ./banks banks.cubin > results/h200_banks.csv
#include "patched_loop.h"

/// `pattern`: three letters an instruction, its operands. e, o: another even or odd register each time; x, y: the same
/// one; E, O and P, Q: the same two, kept for reuse. What it writes is its third operand, or another even one.
void put(PatchedLoop& loop, const std::string& pattern, int stall, bool yields) {
  std::vector<uint64_t> pool[2] = {loop.registers[0], loop.registers[1]}, fixed[2];
  for (int bank = 0; bank < 2; ++bank)
    for (int i = 0; i < 6; ++i) fixed[bank].push_back(pool[bank].back()), pool[bank].pop_back();
  size_t next[2] = {};
  const auto another = [&](int bank) { return pool[bank][next[bank]++ % pool[bank].size()]; };
  for (size_t i = 0; i < kInstructions; ++i) {
    const char* letters = pattern.data() + i * 3 % pattern.size();
    uint64_t operand[3], keeps = 0;
    for (int slot = 0; slot < 3; ++slot) {
      const int bank = std::strchr("oyOQ", letters[slot]) != nullptr;
      const bool moves = letters[slot] == 'e' || letters[slot] == 'o';
      operand[slot] = moves ? another(bank) : fixed[bank][slot + 3 * (letters[slot] == 'P' || letters[slot] == 'Q')];
      if (std::strchr("EOPQ", letters[slot])) keeps |= uint64_t{1} << slot;
    }
    const uint64_t written = letters[2] == 'e' || letters[2] == 'o' ? operand[2] : another(0);
    loop.put(i, {0x7000 | kFma | written << 16 | operand[0] << 24 | operand[1] << 32,
                 control(stall, yields) | operand[2] | keeps << 58});
  }
}

int main(int, char** names) {
  PatchedLoop loop(names[1]);
  const auto measure = [&](const std::string& pattern, int stall = 1, bool yields = false) {
    put(loop, pattern, stall, yields);
    const std::vector<int> warps = {4, 8, 12, 16};
    const std::vector<double> clocks = loop.measure(warps);
    for (size_t i = 0; i < warps.size(); ++i)
      std::printf("%s,%d,%d,%d,%.2f\n", pattern.c_str(), stall, yields, warps[i] / 4, clocks[i]);
  };
  std::printf("pattern,stall,yields,warps_of_a_scheduler,clocks_of_a_turn\n");
  for (const char* pattern : {"EOE", "eoe", "eoeoeo", "eee", "eeo", "oee", "eeeooo", "Eoe", "Eeo", "Eee", "EOe", "EOo", "xoe",
                              "xye", "xyx", "xyy", "EoeEoo", "EeoOoe", "EoeOeo"})
    for (int stall : {1, 2})
      for (bool yields : {false, true}) measure(pattern, stall, yields);
  const char* after[][2] = {{"oeo", "EOE"}, {"ooo", "EEE"}, {"oooooo", "EEE"}, {"EooEoo", "EEE"}, {"oooEoo", "EEE"},
                            {"Eooooo", "EEE"}, {"ooo", "EOE"}, {"oeoeoe", "EOE"}, {"eoe", "EOE"}, {"eee", "EOE"},
                            {"eoeeoe", "EOE"}, {"eoeoeo", "EOE"}, {"oooeee", "EEE"}, {"eoe", "Eoe"}, {"eee", "Eoe"},
                            {"xoe", "Eoe"}};
  for (const auto& [first, rest] : after)
    for (int n : {1, 2, 3, 4, 6, 9}) measure(first + times(rest, n));
  for (int n : {1, 2, 3, 4, 8})
    for (const char* other : {"POP", "PPP", "PEE", "PPE", "QQQ"})
      measure(times(other[1] == 'O' ? "EOE" : "EEE", n) + times(other, n));
}
