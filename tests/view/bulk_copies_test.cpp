// The pictures of copies by TMA that complete on mbarriers: kernel 17, where a box of B is copied by
// one thread and A by cp.async of all.

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "traced_fixture.h"
#include "view/access_words.h"
#include "view/lane_uses.h"
#include "view/stage/stage_copy.h"
#include "view/stage/stage_layout.h"
#include "view/stage/stage_swizzle.h"
#include "view/stage/stages_now.h"
#include "view/timeline/timeline_picture.h"

namespace tilescope::view {
namespace {

/// The only block of 128 x 256 x 128, 8 tiles in 4 stages.
std::shared_ptr<const run::TracedBlock> tma_traced() { return traced_of("17_tma", {128, 256, 128}); }

/// The n-th bulk copy of warp 0, from 0.
analysis::StepRef bulk_copy(const run::TracedBlock& traced, size_t n) {
  EXPECT_LT(n, traced.trace.bulk_copies().size());
  return {0, traced.trace.bulk_copies()[n].at.warp_step};
}

TEST(BulkCopies, TheStageHasTheBoxAsReadByTheLaneThatAsks) {
  const auto traced = tma_traced();
  ASSERT_TRUE(traced);
  ASSERT_EQ(traced->trace.bulk_copies().size(), 8u);
  run::Region box;
  std::set<uint32_t> lanes;
  size_t read = 0, written = 0;
  for (const LaneUse& use : lane_uses(*traced, bulk_copy(*traced, 2))) {
    lanes.insert(use.lane);
    written += use.how == LaneUse::How::Writes;
    if (use.how != LaneUse::How::Reads) continue;
    ++read;
    EXPECT_EQ(use.array->allocation.name, "B");
    box.add(use.index / use.array->columns, use.index % use.array->columns);
  }
  EXPECT_EQ(read, 16u * 256);
  EXPECT_EQ(written, 16u * 256);
  EXPECT_EQ(box, (run::Region{32, 0, 48, 256}));
  EXPECT_EQ(lanes, std::set<uint32_t>{0});
  EXPECT_EQ(traced->accesses.find(Space::Global, "B")->touched, (run::Region{0, 0, 128, 256}));
}

// One row too few, or too many, is wrong on every side of it.
TEST(BulkCopies, TheWholeBoxIsShownWhereItComesFromAndWhereItGoes) {
  const auto traced = tma_traced();
  ASSERT_TRUE(traced);
  const std::vector<run::Region> regions = copy_regions(*traced, bulk_copy(*traced, 2));
  const auto& arrays = traced->accesses.arrays();
  ASSERT_EQ(regions.size(), arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const std::string& name = arrays[i].allocation.name;
    const run::Region expected = name == "B" || name == "Bs" ? run::Region{32, 0, 48, 256} : run::Region{};
    EXPECT_EQ(regions[i], expected) << name;
  }
  const std::vector<run::Region> fifth = copy_regions(*traced, bulk_copy(*traced, 5));
  for (size_t i = 0; i < arrays.size(); ++i) {
    const std::string& name = arrays[i].allocation.name;
    if (name == "B") {
      EXPECT_EQ(fifth[i], (run::Region{80, 0, 96, 256}));
    }
    if (name == "Bs") {
      EXPECT_EQ(fifth[i], (run::Region{16, 0, 32, 256})) << "stage 1 again";
    }
  }
}

// 8 boxes of 16 rows of 1024 bytes in; 23: tiles of A and of B, and in 8 boxes of 64 x 64 elements out.
TEST(BulkCopies, EveryRowOfABoxIsCounted) {
  const auto traced = tma_traced();
  ASSERT_TRUE(traced);
  const analysis::BulkCounts in{8, 8 * 16 * 1024, 8 * 16 * 1024 / 32};
  EXPECT_EQ(traced->report.counts.memory.bulk_load, in);
  EXPECT_EQ(traced->report.counts.memory.bulk_store, analysis::BulkCounts{});
  const auto products = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(products);
  const uint64_t bytes = 3 * 2 * 64 * (128 + 256), stored = 8 * 64 * 64 * 2;
  EXPECT_EQ(products->report.counts.memory.bulk_load, (analysis::BulkCounts{6, bytes, bytes / 32}));
  EXPECT_EQ(products->report.counts.memory.bulk_store, (analysis::BulkCounts{8, stored, stored / 32}));
}

TEST(BulkCopies, TheStripSaysWhatMovesAndHowManySectors) {
  const auto traced = tma_traced();
  ASSERT_TRUE(traced);
  const InstructionWords words = words_at(*traced, bulk_copy(*traced, 2));
  EXPECT_EQ(words.elements, "B[32…47][0…255] → Bs[2][0…15][0…255]");
  EXPECT_EQ(words.sentence,
            "one thread requests 16 rows of 1024 bytes: 512 sectors of L2; full[2] counts the bytes that arrive");
}

TEST(BulkCopies, AValueInSharedMemoryIsFollowedToTheBoxThatBroughtIt) {
  const auto traced = tma_traced();
  ASSERT_TRUE(traced);
  const trace::BulkRecord& copy = traced->trace.bulk_copies()[5];
  const uint32_t slot = traced->timeline.slot({0, copy.at.warp_step});
  const trace::BulkCopy::Piece& piece = copy.pieces[3];
  const auto from = traced->accesses.data_flow().stored_from(piece.shared + 4, slot + 1);
  ASSERT_TRUE(from);
  EXPECT_EQ(from->address, piece.global + 4);
  const auto before = traced->accesses.data_flow().stored_from(piece.shared + 4, slot);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->address, traced->trace.bulk_copies()[1].pieces[3].global + 4);
}

/// The first bulk copy of an instruction of warp `warp` that reads, or writes, `array`.
const trace::BulkRecord* copy_of(const run::TracedBlock& traced, const std::string& array, bool to_shared) {
  for (const trace::BulkRecord& copy : traced.trace.bulk_copies()) {
    const run::TracedArray* found = traced.accesses.find(Space::Global, copy.pieces.front().global);
    if (found && found->allocation.name == array && copy.to_shared == to_shared) return &copy;
  }
  return nullptr;
}

// 128 bytes: 16-byte piece c of row r is at c xor r mod 8.
TEST(BulkCopies, TheStageColoursWhatTheSwizzleMoves) {
  const auto traced = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(traced);
  const trace::BulkRecord* copy = copy_of(*traced, "A", true);
  ASSERT_TRUE(copy);
  const run::TracedArray* as = traced->accesses.find(Space::Shared, "As");
  ASSERT_TRUE(as);
  EXPECT_EQ(as->side, run::Side::A);
  EXPECT_EQ(as->rows, 128u);
  EXPECT_EQ(as->columns, 4u * 64) << "its stages stand beside one another";
  size_t elements = 0;
  for (const SwizzledElement& element : swizzled_elements(*traced, {copy->at.warp, copy->at.warp_step})) {
    const uint64_t row = element.index / element.array->columns, column = element.index % element.array->columns;
    const uint64_t expected = element.array == as ? column % 64 / 8 ^ row % 8 : column / 8;
    EXPECT_EQ(element.chunk, expected) << element.array->allocation.name << ' ' << row << ' ' << column;
    ++elements;
  }
  EXPECT_EQ(elements, 2u * 128 * 64);
  const auto plain = tma_traced();
  ASSERT_TRUE(plain);
  EXPECT_TRUE(swizzled_elements(*plain, bulk_copy(*plain, 2)).empty());
}

TEST(BulkCopies, AStoreShowsTheBoxOfCAndWhereItLiesInSharedMemory) {
  const auto traced = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(traced);
  const trace::BulkRecord* copy = copy_of(*traced, "C", false);
  ASSERT_TRUE(copy);
  const auto& arrays = traced->accesses.arrays();
  const std::vector<run::Region> regions = copy_regions(*traced, {copy->at.warp, copy->at.warp_step});
  uint64_t shown = 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const std::string& name = arrays[i].allocation.name;
    EXPECT_EQ(regions[i].rows() * regions[i].columns(), name == "C" || name == "Cs" ? 64u * 64 : 0u) << name;
    shown += !regions[i].empty();
  }
  EXPECT_EQ(shown, 2u);
}

TEST(BulkCopies, TheStageShowsWhatAWgmmaReads) {
  const auto traced = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(traced);
  const trace::ProductRecord& first = traced->trace.product_reads().front();
  std::map<std::string, size_t> elements;
  for (const ProductUse& use : product_uses(*traced, {first.at.warp, first.at.warp_step}))
    ++elements[use.array->allocation.name];
  EXPECT_EQ(elements, (std::map<std::string, size_t>{{"As", 16 * 16}, {"Bs", 16 * 256}})) << "16 rows of A are its own";
}

TEST(BulkCopies, EachStageIsOnItsWayUntilItIsWaitedForAndThenRead) {
  const auto traced = traced_of("18_producer_warps", {128, 256, 128});
  ASSERT_TRUE(traced);
  const run::TracedArray* bs = traced->accesses.find(Space::Shared, "Bs");
  ASSERT_TRUE(bs);
  ASSERT_EQ(bs->stage_copies.size(), 8u);
  // Warp 0 at the first of its reads of the second tile: stages 2 and 3 may still be on their way.
  const Focus at_second = focus_at(
      *traced, {0, [&] {
                  for (uint32_t step = 0;; ++step)
                    if (const auto record = traced->timeline.access({0, step});
                        record && traced->trace.space(*record) == Space::Shared) {
                      uint64_t addresses[trace::kLanes];
                      traced->trace.addresses(*record, addresses);
                      if (bs->allocation.contains(addresses[0]) && bs->index_of(addresses[0]) / bs->columns == 16)
                        return step;
                    }
                }()});
  const StagesNow stages = stages_now(at_second, warp_places(at_second), *bs);
  EXPECT_EQ(stages.read.front(), 1u);
  EXPECT_TRUE(std::ranges::count(stages.arrived, 1u)) << "what is read has been waited for";
  std::vector<uint32_t> all = stages.arrived;
  all.insert(all.end(), stages.on_the_way.begin(), stages.on_the_way.end());
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(region_of_stage(*bs, 2), (run::Region{32, 0, 48, 256}));
}

TEST(BulkCopies, TheTimelineHasARowForEachStage) {
  const auto traced = tma_traced();
  ASSERT_TRUE(traced);
  const TimelineContent content = timeline_content(*traced, {});
  std::map<uint32_t, std::vector<analysis::CopiesInFlight>> stages;
  for (const analysis::CopiesInFlight& copies : content.copies)
    if (copies.warp == 0) stages[copies.barrier].push_back(copies);
  ASSERT_EQ(stages.size(), 4u);
  // Of each stage two tiles; warp 0 copies by TMA and by cp.async.
  for (auto& [barrier, all] : stages) {
    ASSERT_EQ(all.size(), 4u);
    EXPECT_LT(all[0].first_slot, all[0].end_slot);
    EXPECT_LE(all[1].end_slot, all[2].first_slot) << "the second tile comes once the first has arrived";
  }
  const Focus focus = focus_at(*traced, bulk_copy(*traced, 2));
  const PlainMeasure measure;
  const Canvas canvas{900, 260, &measure};
  const Picture picture = timeline_picture(focus, canvas, {}, content);
  size_t named = 0;
  for (const Shape& shape : picture.shapes)
    if (const auto* label = std::get_if<Label>(&shape)) named += label->text.starts_with("stage ");
  EXPECT_EQ(named, 4u);
  const TimelineLayout layout = timeline_layout(focus, canvas, {});
  EXPECT_GT(layout.stages.height, 0);
  EXPECT_LE(layout.stages.bottom(), canvas.height);
}

}  // namespace
}  // namespace tilescope::view
