// The k-tiles and phases of every stage that ships: as many as K has, in every warp that has any.

#include <set>

#include <gtest/gtest.h>

#include "view/scene_fixture.h"

namespace tilescope::view {
namespace {
using analysis::PhaseKind;
using analysis::StepKind;
using run::TracedBlock;

std::set<size_t> tile_counts(const TracedBlock& scene) {
  std::set<size_t> counts;
  for (uint32_t warp = 0; warp < scene.timeline.warps(); ++warp)
    if (const size_t tiles = scene.timeline.tiles(warp).size(); tiles > 0) counts.insert(tiles);
  return counts;
}

TEST(KTiles, AreAsManyAsThereAreInEveryWarp) {
  const struct {
    std::string kernel;
    kernel::Size size;
    std::string preset;
    size_t tiles;
  } cases[] = {{"17", {256, 256, 128}, "", 8}, {"18", {256, 256, 128}, "", 8},  {"19", {128, 256, 256}, "", 4},
               {"21", {256, 256, 128}, "", 4}, {"22", {256, 256, 128}, "", 4},  {"23", {256, 256, 192}, "", 3},
               {"24", {256, 256, 128}, "", 4}, {"25", {70, 300, 37}, "", 3}};
  for (const auto& each : cases)
    EXPECT_EQ(tile_counts(*scene_of(each.kernel, each.size, each.preset)), std::set<size_t>{each.tiles}) << each.kernel;
}

TEST(KTiles, OfABlockWithPartsOfSeveralTilesOfCAreTheSameInEveryWarp) {
  const auto scene = scene_of("20", {256, 512, 128}, "128x256x16-4-8-224-3");
  EXPECT_EQ(tile_counts(*scene), std::set<size_t>{10}) << "a third of four tiles of 8";
}

TEST(KTiles, WhatBringsSumsToCIsOfThePhaseStore) {
  for (const char* kernel : {"19", "23", "24"}) {
    const auto scene = scene_of(kernel, {256, 256, 192});
    bool shared = false, global = false;
    for (uint32_t warp = 0; warp < scene->timeline.warps(); ++warp)
      for (uint32_t step = 0; step < scene->timeline.steps(warp); ++step) {
        const StepKind kind = scene->timeline.kind({warp, step});
        if (kind != StepKind::StoreShared && kind != StepKind::StoreGlobal) continue;
        EXPECT_EQ(scene->timeline.phase({warp, step}).kind, PhaseKind::Store) << kernel << " " << warp << " " << step;
        (kind == StepKind::StoreShared ? shared : global) = true;
      }
    EXPECT_TRUE(shared && global) << kernel;
  }
}

}  // namespace
}  // namespace tilescope::view
