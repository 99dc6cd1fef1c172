#include <algorithm>

#include "emulator/block.h"

namespace tilescope::emulator {
namespace {

Path& path_at(Warp& warp, int32_t index) { return warp.paths[static_cast<size_t>(index)]; }

// A path ends when it has no lanes left or has reached its parent's place; then its parent may end in turn.
void end_path(Warp& warp, int32_t index) {
  while (index >= 0) {
    const int32_t parent = path_at(warp, index).parent;
    if (parent < 0) return;
    path_at(warp, index).mask = 0;
    warp.free_paths.push_back(index);
    Path& above = path_at(warp, parent);
    if (--above.children > 0) return;
    if (above.mask != 0 && above.pc != above.reconverge) return;
    index = parent;
  }
}

int32_t new_path(Warp& warp, const Path& path) {
  if (warp.free_paths.empty()) {
    warp.paths.push_back(path);
    return static_cast<int32_t>(warp.paths.size()) - 1;
  }
  const int32_t index = warp.free_paths.back();
  warp.free_paths.pop_back();
  path_at(warp, index) = path;
  return index;
}

// The next place from `pc` on where lanes that were apart meet again; -1: at the exit only.
int32_t next_meeting(const std::vector<DecodedInstruction>& code, int32_t pc) {
  for (auto at = static_cast<size_t>(pc); at < code.size(); ++at) switch (code[at].flow) {
      case Flow::Barrier:
      case Flow::BarrierPass:
      case Flow::WarpSync:
      case Flow::ClusterWait: return static_cast<int32_t>(at);
      case Flow::Branch:
      case Flow::BranchIndexed: return code[at].reconverge;
      default: break;
    }
  return -1;
}

}  // namespace

bool let_waiting_lanes_go_on(Warp& warp, int32_t path, const std::vector<DecodedInstruction>& code) {
  for (int32_t p = path_at(warp, path).parent; p >= 0; p = path_at(warp, p).parent) {
    std::vector<int32_t> children;
    uint32_t busy = 0;
    for (size_t i = 0; i < warp.paths.size(); ++i)
      if (warp.paths[i].parent == p && warp.paths[i].mask != 0) {
        children.push_back(static_cast<int32_t>(i));
        busy |= warp.paths[i].mask;
      }
    const Path above = path_at(warp, p);
    const uint32_t waiting = above.mask & ~busy;
    if (waiting == 0 || above.pc < 0) continue;
    if (above.parent >= 0 && above.pc == above.reconverge) {  // They wait where the path above that waits.
      path_at(warp, p).mask = busy;
      continue;
    }
    const int32_t meeting = next_meeting(code, above.pc);
    if (meeting == above.pc) continue;
    Path apart;
    apart.pc = above.pc;
    apart.reconverge = meeting;
    apart.parent = p;
    apart.mask = waiting;
    new_path(warp, apart);
    apart.mask = busy;
    apart.children = above.children;
    const int32_t later = new_path(warp, apart);
    for (const int32_t child : children) path_at(warp, child).parent = later;
    path_at(warp, p).children = 2;
    path_at(warp, p).pc = meeting;
    return true;
  }
  return false;
}

void exit_lanes(Warp& warp, int32_t path, uint32_t lanes) {
  warp.live &= ~lanes;
  for (int32_t p = path; p >= 0; p = path_at(warp, p).parent) path_at(warp, p).mask &= ~lanes;
  if (path_at(warp, path).mask == 0) end_path(warp, path);
}

void split_path(Warp& warp, int32_t path, const std::vector<Successor>& ways, int32_t reconverge) {
  // Lanes already at the reconvergence point need no path: they are in the parent's mask.
  if (reconverge >= 0 && path_at(warp, path).reconverge == reconverge && path_at(warp, path).parent >= 0) {
    std::vector<Successor> going;
    for (const Successor& way : ways)
      if (way.pc != reconverge) going.push_back(way);
    if (going.size() == 1) {
      path_at(warp, path).mask = going.front().lanes;
      path_at(warp, path).pc = going.front().pc;
      return;
    }
  }
  path_at(warp, path).pc = reconverge;
  path_at(warp, path).children = 0;
  int32_t first = -1;
  for (const Successor& way : ways) {
    if (way.pc == reconverge) continue;
    Path child;
    child.pc = way.pc;
    child.mask = way.lanes;
    child.reconverge = reconverge;
    child.parent = path;
    const int32_t index = new_path(warp, child);
    ++path_at(warp, path).children;
    if (first < 0) first = index;
  }
  warp.current = first >= 0 ? first : path;
}

void finish_at_reconvergence(Warp& warp, int32_t path) {
  const Path& p = path_at(warp, path);
  if (p.parent >= 0 && p.reconverge >= 0 && p.pc == p.reconverge) end_path(warp, path);
}

int32_t next_ready_path(const Warp& warp, int32_t after) {
  const auto count = static_cast<int32_t>(warp.paths.size());
  for (int32_t n = 0; n < count; ++n) {
    const int32_t index = (after + n) % count;
    const Path& path = warp.paths[static_cast<size_t>(index)];
    if (path.mask != 0 && path.children == 0 && path.state == Path::State::Ready) return index;
  }
  return -1;
}

}  // namespace tilescope::emulator
