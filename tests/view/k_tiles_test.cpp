// The k-tiles and phases of every stage that ships: as many as K has, in every warp that has any.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "analysis/copies_in_flight.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::PhaseKind;
using analysis::StepKind;
using run::TracedBlock;

std::set<size_t> tile_counts(const TracedBlock& traced) {
  std::set<size_t> counts;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp)
    if (const size_t tiles = traced.timeline.tiles(warp).size(); tiles > 0) counts.insert(tiles);
  return counts;
}

TEST(KTiles, AreAsManyAsThereAreInEveryWarp) {
  const struct {
    std::string kernel;
    kernel::Size size;
    std::string preset;
    size_t tiles;
  } cases[] = {{"17", {256, 256, 128}, "", 8}, {"18", {256, 256, 128}, "", 8}, {"19", {128, 256, 256}, "", 4},
               {"21", {256, 256, 128}, "", 4}, {"22", {256, 256, 128}, "", 4}, {"23", {256, 256, 192}, "", 3},
               {"24", {256, 256, 128}, "", 4}, {"25", {70, 300, 37}, "", 3}};
  for (const auto& each : cases)
    EXPECT_EQ(tile_counts(*traced_of(each.kernel, each.size, each.preset)), std::set<size_t>{each.tiles})
        << each.kernel;
}

TEST(KTiles, OfABlockWithPartsOfSeveralTilesOfCAreTheSameInEveryWarp) {
  const auto traced = traced_of("20", {256, 512, 128}, "128x256x16-4-8-224-3");
  EXPECT_EQ(tile_counts(*traced), std::set<size_t>{10}) << "a third of four tiles of 8";
}

// Each group is waited for once the next is on its way, the last by itself.
TEST(ProductsInFlight, OfWgmmaAreAGroupAKTile) {
  const auto traced = traced_of("23", {256, 256, 192});
  const auto products = analysis::products_in_flight(traced->function(), traced->log, traced->timeline);
  std::map<uint32_t, std::vector<analysis::ProductsInFlight>> by_warp;
  for (const analysis::ProductsInFlight& each : products) by_warp[each.warp].push_back(each);
  ASSERT_EQ(by_warp.size(), 8u) << "the warps that multiply";
  for (const auto& [warp, groups] : by_warp) {
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_GT(groups[0].end_slot, groups[1].first_slot);
    for (const analysis::ProductsInFlight& group : groups) {
      const auto at = [&](uint32_t slot) {
        return traced->instruction(traced->timeline.pc({warp, traced->timeline.step_at_or_before(warp, slot)})).op;
      };
      EXPECT_EQ(at(group.first_slot), ptx::Op::WgmmaMma);
      EXPECT_EQ(at(group.end_slot - 1), ptx::Op::WgmmaWait);
    }
  }
}

TEST(KTiles, WhatBringsSumsToCIsOfThePhaseStore) {
  for (const char* kernel : {"19", "23", "24"}) {
    const auto traced = traced_of(kernel, {256, 256, 192});
    bool shared = false, global = false;
    for (uint32_t warp = 0; warp < traced->timeline.warps(); ++warp)
      for (uint32_t step = 0; step < traced->timeline.steps(warp); ++step) {
        const StepKind kind = traced->timeline.kind({warp, step});
        if (kind != StepKind::StoreShared && kind != StepKind::StoreGlobal) continue;
        EXPECT_EQ(traced->timeline.phase({warp, step}).kind, PhaseKind::Store) << kernel << " " << warp << " " << step;
        (kind == StepKind::StoreShared ? shared : global) = true;
      }
    EXPECT_TRUE(shared && global) << kernel;
  }
}

}  // namespace
}  // namespace tilescope::view
