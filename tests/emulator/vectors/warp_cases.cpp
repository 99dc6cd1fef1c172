#include <fmt/format.h>

#include <algorithm>

#include "vectors/families.h"

namespace tilescope::vectors {
namespace {

/// One warp's operands: `operand[input][lane]`, and the lanes whose guard is true.
struct Warp {
  std::vector<const uint64_t*> operand;
  uint64_t guard = 0;
  bool active(int lane) const { return (guard >> lane & 1) != 0; }
};
/// Writes the results of the lanes that have one.
using WarpFunction = std::function<void(const Warp&, uint64_t* out)>;

constexpr uint64_t kAll = 0xffffffff;
/// The lanes whose guard is true, as a member mask in %t0.
constexpr const char* kMembers = "vote.sync.ballot.b32 %t0, %guard, 0xffffffff;\n";

void expect_warps(const WarpFunction& function, uint64_t skipped, const Vectors& vectors, std::vector<uint64_t>& out) {
  std::fill(out.begin(), out.end(), skipped);
  for (size_t first = 0; first < out.size(); first += 32) {
    Warp warp;
    for (const auto& input : vectors.inputs) warp.operand.push_back(&input[first]);
    for (size_t lane = 0; lane < 32; ++lane) warp.guard |= vectors.guard[first + lane] << lane;
    function(warp, &out[first]);
  }
}

void add_warp(Cases& cases, std::string module, Lane lane, WarpFunction function) {
  const uint64_t skipped = lane.skipped;
  add_lane(cases, std::move(module), std::move(lane));
  cases.back().expect = [=, function = std::move(function)](const Case&, const Vectors& vectors,
                                                            std::vector<uint64_t>& out) {
    expect_warps(function, skipped, vectors, out);
  };
}

/// A result that all members share, computed from the operands of the lanes whose guard is true.
void add_reduction(Cases& cases, std::string module, Lane lane, std::function<uint64_t(const Warp&)> function) {
  add_warp(cases, std::move(module), std::move(lane),
           [function = std::move(function)](const Warp& warp, uint64_t* out) {
             const uint64_t result = function(warp);
             for (int i = 0; i < 32; ++i) {
               if (warp.active(i)) out[i] = result;
             }
           });
}

struct Source {
  int lane;
  bool in_range;
};

Source shuffle_source(const std::string& mode, int lane, uint64_t b, uint64_t c) {
  const int value = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const int max_lane = (lane & segment) | (clamp & ~segment), min_lane = lane & segment;
  int j = 0;
  if (mode == "up") j = lane - value;
  if (mode == "down") j = lane + value;
  if (mode == "bfly") j = lane ^ value;
  if (mode == "idx") j = min_lane | (value & ~segment);
  const bool in_range = mode == "up" ? j >= max_lane : j <= max_lane;
  return {in_range ? j : lane, in_range};
}

void add_shuffles(Cases& cases) {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    const std::string instruction = "shfl.sync." + mode + ".b32";
    const Domain clamps =
        mode == "up" ? listed({0, 0x1000, 0x1800, 0x1c00, 5}) : listed({0x1f, 0x101f, 0x181f, 0x1c07, 0x1e03, 11});
    const std::vector<Input> inputs = {{Type::B32}, {Type::U32, range(0, 40)}, {Type::U32, clamps}};
    add_warp(cases, "shfl",
             {.instruction = instruction,
              .inputs = inputs,
              .output = Type::B32,
              .function = {},
              .body = instruction + " %d|%p, %a, %b, %c, 0xffffffff;"},
             [=](const Warp& warp, uint64_t* out) {
               for (int i = 0; i < 32; ++i) {
                 out[i] = warp.operand[0][shuffle_source(mode, i, warp.operand[1][i], warp.operand[2][i]).lane];
               }
             });
    add_warp(cases, "shfl",
             {.instruction = instruction,
              .inputs = inputs,
              .output = Type::U32,
              .function = {},
              .body = instruction + " %t0|%p, %a, %b, %c, 0xffffffff;\nselp.u32 %d, 1, 0, %p;",
              .suffix = "_predicate"},
             [=](const Warp& warp, uint64_t* out) {
               for (int i = 0; i < 32; ++i) {
                 out[i] = shuffle_source(mode, i, warp.operand[1][i], warp.operand[2][i]).in_range;
               }
             });
  }
  // Half a warp by itself: the members are the lanes that execute it.
  add_warp(cases, "shfl",
           {.instruction = "shfl.sync.bfly.b32",
            .inputs = {{Type::B32}},
            .output = Type::B32,
            .function = {},
            .body = "mov.u32 %t0, %laneid;\nsetp.lt.u32 %p, %t0, 16;\n"
                    "@%p shfl.sync.bfly.b32 %d, %a, 5, 0x1f, 0xffff;",
            .suffix = "_half"},
           [](const Warp& warp, uint64_t* out) {
             for (int i = 0; i < 16; ++i) out[i] = warp.operand[0][i ^ 5];
           });
}

uint64_t ballot(const Warp& warp) {
  uint64_t mask = 0;
  for (int i = 0; i < 32; ++i) mask |= uint64_t{warp.active(i) && warp.operand[0][i] != 0} << i;
  return mask;
}

void add_votes(Cases& cases) {
  const auto one = [&](const std::string& mode, const std::vector<uint64_t>& values, const std::string& suffix,
                       std::function<uint64_t(const Warp&)> function) {
    const bool is_ballot = mode == "ballot";
    const std::string instruction = fmt::format("vote.sync.{}.{}", mode, is_ballot ? "b32" : "pred");
    const std::string use = is_ballot ? "%d" : "%p";
    const std::string result = is_ballot ? "" : "\n@@ selp.u32 %d, 1, 0, %p;";
    add_reduction(
        cases, "vote",
        {.instruction = instruction,
         .inputs = {{Type::U32, listed(values)}},
         .output = Type::U32,
         .function = {},
         .body = fmt::format("{}setp.ne.u32 %q, %a, 0;\n@@ {} {}, %q, %t0;{}", kMembers, instruction, use, result),
         .suffix = suffix},
        std::move(function));
  };
  for (const auto& [suffix, values] : {std::pair{"", std::vector<uint64_t>{0, 1}},
                                       {"_none", {0}},
                                       {"_each", {1}},
                                       {"_few", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}}) {
    one("ballot", values, suffix, ballot);
    one("any", values, suffix, [](const Warp& warp) { return uint64_t{ballot(warp) != 0}; });
    one("all", values, suffix, [](const Warp& warp) { return uint64_t{ballot(warp) == warp.guard}; });
    one("uni", values, suffix,
        [](const Warp& warp) { return uint64_t{ballot(warp) == 0 || ballot(warp) == warp.guard}; });
  }
}

uint64_t equal_lanes(const Warp& warp, uint64_t value) {
  uint64_t mask = 0;
  for (int i = 0; i < 32; ++i) mask |= uint64_t{warp.active(i) && warp.operand[0][i] == value} << i;
  return mask;
}

void add_matches(Cases& cases) {
  for (const Type type : {Type::B32, Type::B64}) {
    const uint64_t high = type == Type::B64 ? 0x100000000 : 0x10;
    const std::string any = fmt::format("match.any.sync.{}", name_of(type));
    add_warp(cases, "match",
             {.instruction = any,
              .inputs = {{type, listed({1, 2, 1 + high, 2 + high})}},
              .output = Type::B32,
              .function = {},
              .body = fmt::format("{}@@ {} %d, %a, %t0;", kMembers, any)},
             [](const Warp& warp, uint64_t* out) {
               for (int i = 0; i < 32; ++i) {
                 if (warp.active(i)) out[i] = equal_lanes(warp, warp.operand[0][i]);
               }
             });
    const std::string all = fmt::format("match.all.sync.{}", name_of(type));
    for (const auto& [suffix, values] :
         {std::pair{"_same", std::vector<uint64_t>{1 + high}}, {"_mixed", {1, 1 + high}}}) {
      add_reduction(cases, "match",
                    {.instruction = all,
                     .inputs = {{type, listed(values)}},
                     .output = Type::B32,
                     .function = {},
                     .body = fmt::format("{}@@ {} %t1|%p, %a, %t0;\nselp.u32 %t2, 1, 0, %p;\n@@ xor.b32 %d, %t1, %t2;",
                                         kMembers, all),
                     .suffix = suffix},
                    [](const Warp& warp) {
                      for (int i = 0; i < 32; ++i) {
                        const uint64_t same = equal_lanes(warp, warp.operand[0][i]);
                        if (warp.active(i)) return same == warp.guard ? same ^ 1 : 0;
                      }
                      return uint64_t{0};
                    });
    }
  }
}

using Fold = uint64_t (*)(uint64_t, uint64_t);

void add_reductions(Cases& cases) {
  const auto one = [&](const std::string& name, Type type, Fold fold) {
    const std::string instruction = "redux.sync." + name;
    add_reduction(cases, "redux",
                  {.instruction = instruction,
                   .inputs = {{type}},
                   .output = type,
                   .function = {},
                   .body = fmt::format("{}@@ {} %d, %a, %t0;", kMembers, instruction)},
                  [=](const Warp& warp) {
                    uint64_t result = 0;
                    bool first = true;
                    for (int i = 0; i < 32; ++i) {
                      if (!warp.active(i)) continue;
                      result = first ? warp.operand[0][i] : fold(result, warp.operand[0][i]);
                      first = false;
                    }
                    return result & kAll;
                  });
  };
  const Fold add = [](uint64_t a, uint64_t b) { return a + b; };
  one("add.u32", Type::U32, add);
  one("add.s32", Type::S32, add);
  one("min.u32", Type::U32, [](uint64_t a, uint64_t b) { return std::min(a, b); });
  one("max.u32", Type::U32, [](uint64_t a, uint64_t b) { return std::max(a, b); });
  one("min.s32", Type::S32,
      [](uint64_t a, uint64_t b) { return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? a : b; });
  one("max.s32", Type::S32,
      [](uint64_t a, uint64_t b) { return static_cast<int32_t>(a) > static_cast<int32_t>(b) ? a : b; });
  one("and.b32", Type::B32, [](uint64_t a, uint64_t b) { return a & b; });
  one("or.b32", Type::B32, [](uint64_t a, uint64_t b) { return a | b; });
  one("xor.b32", Type::B32, [](uint64_t a, uint64_t b) { return a ^ b; });
}

/// The document does not say which leader is elected: the result is 1 if there is one and all name it.
void add_member_masks(Cases& cases) {
  add_reduction(cases, "activemask",
                {.instruction = "activemask.b32", .inputs = {}, .output = Type::B32, .function = {}},
                [](const Warp& warp) { return warp.guard; });
  add_reduction(cases, "elect",
                {.instruction = "elect.sync",
                 .inputs = {},
                 .output = Type::U32,
                 .function = {},
                 .body = std::string(kMembers) + "@@ elect.sync %t1|%p, %t0;\n@@ vote.sync.ballot.b32 %t2, %p, %t0;\n"
                                                 "@@ shl.b32 %t3, 1, %t1;\n@@ setp.eq.and.u32 %q, %t2, %t3, %guard;\n"
                                                 "@@ selp.u32 %d, 1, 0, %q;"},
                [](const Warp&) { return uint64_t{1}; });
}

}  // namespace

void add_warp_cases(Cases& cases) {
  add_shuffles(cases);
  add_votes(cases);
  add_matches(cases);
  add_reductions(cases);
  add_member_masks(cases);
}

}  // namespace tilescope::vectors
