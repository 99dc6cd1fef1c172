// ptxas takes the words of an instruction in other orders than the PTX document writes them: vote.ballot.sync as well
// as vote.sync.ballot. What ptxas takes of tests/ptx/data/spellings.txt, Tilescope takes.

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "ptx/module.h"

namespace tilescope::ptx {
namespace {

std::vector<std::string> instructions() {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/ptx/data/spellings.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) lines.push_back(line);
  return lines;
}

std::string module_of(const std::string& instruction) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 param0)\n{\n"
         ".reg .pred p<8>; .reg .b32 r<16>; .reg .b64 d<8>; .reg .f32 f<16>; .reg .f64 e<8>; .reg .b16 h<4>;\n" +
         instruction + "\nLEND:\nret;\n}\n";
}

bool is_taken(const std::string& instruction) {
  return static_cast<bool>(parse(module_of(instruction), "spelling.ptx"));
}

/// The instruction with each of its words after the first moved to each other place.
std::vector<std::string> other_orders(const std::string& instruction) {
  const size_t end = instruction.find_first_of(" ;");
  std::vector<std::string> words;
  for (size_t begin = 0; begin < end;) {
    const size_t dot = std::min(instruction.find('.', begin), end);
    words.push_back(instruction.substr(begin, dot - begin));
    begin = dot + 1;
  }
  std::vector<std::string> orders;
  for (size_t from = 1; from < words.size(); ++from)
    for (size_t to = 1; to < words.size(); ++to) {
      std::vector<std::string> moved = words;
      moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), words[from]);
      std::string text = moved[0];
      for (size_t i = 1; i < moved.size(); ++i) text += "." + moved[i];
      if (moved != words) orders.push_back(text + instruction.substr(end));
    }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  return orders;
}

/// Instructions that Tilescope refuses by their names, and so in any order.
bool is_left_out(const std::string& instruction) {
  for (const char* name : {"tex.", "vadd.", "multimem.", "st.async.", "createpolicy.", "discard.",
                           "applypriority."})
    if (instruction.starts_with(name)) return true;
  return false;
}

TEST(Spellings, OfEveryFormAreTaken) {
  for (const std::string& instruction : instructions())
    EXPECT_NE(is_taken(instruction), is_left_out(instruction)) << instruction;
}

TEST(Spellings, InAnyOrderOfTheWords) {
  for (const char* instruction :
       {"vote.ballot.sync.b32 r0, p1, -1;", "vote.b32.ballot.sync r0, p1, -1;", "shfl.idx.sync.b32 r0, r1, 1, 31, -1;",
        "match.sync.any.b32 r0, r1, -1;", "redux.add.sync.u32 r0, r1, -1;", "barrier.aligned.sync 0;",
        "mma.m16n8k8.aligned.sync.row.col.f32.tf32.tf32.f32 {f0,f1,f2,f3},{r0,r1,r2,r3},{r4,r5},{f0,f1,f2,f3};"})
    EXPECT_TRUE(is_taken(instruction)) << instruction;
}

/// Takes seconds: once per spelling that is refused here.
TEST(Spellings, WhatIsRefusedPtxasRefusesToo) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "There is no ptxas.";
  const std::string file = testing::TempDir() + "spelling.ptx";
  for (const std::string& instruction : instructions()) {
    if (is_left_out(instruction)) continue;
    for (const std::string& other : other_orders(instruction)) {
      if (is_taken(other)) continue;
      ASSERT_TRUE(write_file(file, module_of(other)));
      EXPECT_NE(std::system(("ptxas -arch=sm_90a -O0 -o /dev/null " + file + " > /dev/null 2>&1").c_str()), 0) << other;
    }
  }
}

}  // namespace
}  // namespace tilescope::ptx
