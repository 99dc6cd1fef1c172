// What is shown of copies by TMA that complete on mbarriers: kernel 17, where a box of B is copied by
// one thread and A by cp.async of all.

#include <set>

#include <gtest/gtest.h>

#include "scene_fixture.h"
#include "view/access_words.h"
#include "view/lane_uses.h"
#include "view/stage_layout.h"
#include "view/timeline_picture.h"

namespace tilescope::view {
namespace {

/// The only block of 128 x 256 x 128, 8 tiles in 4 stages.
std::shared_ptr<const run::TracedBlock> tma_scene() { return scene_of("17_tma", {128, 256, 128}); }

/// The n-th bulk copy of warp 0, from 0.
analysis::StepRef bulk_copy(const run::TracedBlock& scene, size_t n) {
  EXPECT_LT(n, scene.trace.bulk_copies().size());
  return {0, scene.trace.bulk_copies()[n].at.warp_step};
}

TEST(BulkCopies, TheStageHasTheBoxAsReadByTheLaneThatAsks) {
  const auto scene = tma_scene();
  ASSERT_TRUE(scene);
  ASSERT_EQ(scene->trace.bulk_copies().size(), 8u);
  run::Region box;
  std::set<uint32_t> lanes;
  size_t read = 0, written = 0;
  for (const LaneUse& use : lane_uses(*scene, bulk_copy(*scene, 2))) {
    lanes.insert(use.lane);
    written += use.how == LaneUse::How::Writes;
    if (use.how != LaneUse::How::Reads) continue;
    ++read;
    EXPECT_EQ(use.array->allocation.name, "B");
    box.add(use.index / use.array->columns, use.index % use.array->columns);
  }
  EXPECT_EQ(read, 16u * 256);
  EXPECT_EQ(written, 16u * 256) << "what the products read of dynamic shared memory are floats";
  EXPECT_EQ(box, (run::Region{32, 0, 48, 256}));
  EXPECT_EQ(lanes, std::set<uint32_t>{0});
  EXPECT_EQ(scene->accesses.find(Space::Global, "B")->touched, (run::Region{0, 0, 128, 256}));
}

TEST(BulkCopies, TheStripSaysWhatMovesAndHowManySectors) {
  const auto scene = tma_scene();
  ASSERT_TRUE(scene);
  const InstructionWords words = words_at(*scene, bulk_copy(*scene, 2));
  EXPECT_EQ(words.elements.substr(0, words.elements.find(" →")), "B[32…47][0…255]");
  EXPECT_EQ(words.sentence, "one thread asks for 16 rows of 1024 bytes: 512 sectors of L2");
}

TEST(BulkCopies, AValueInSharedMemoryIsFollowedToTheBoxThatBroughtIt) {
  const auto scene = tma_scene();
  ASSERT_TRUE(scene);
  const trace::BulkRecord& copy = scene->trace.bulk_copies()[5];
  const uint32_t slot = scene->timeline.slot({0, copy.at.warp_step});
  const trace::BulkCopy::Piece& piece = copy.pieces[3];
  const auto from = scene->accesses.data_flow().stored_from(piece.shared + 4, slot + 1);
  ASSERT_TRUE(from);
  EXPECT_EQ(from->address, piece.global + 4);
  const auto before = scene->accesses.data_flow().stored_from(piece.shared + 4, slot);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->address, scene->trace.bulk_copies()[1].pieces[3].global + 4);
}

TEST(BulkCopies, TheTimelineHasARowForEachStage) {
  const auto scene = tma_scene();
  ASSERT_TRUE(scene);
  const TimelineContent content = timeline_content(*scene, {});
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
  const Focus focus = focus_at(*scene, bulk_copy(*scene, 2));
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
