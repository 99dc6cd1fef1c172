#include "clock/memory_path.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "arch/arch.h"
#include "base/arithmetic.h"

namespace tilescope::clock {
namespace {

uint64_t mixed(uint64_t number) {
  number *= 0x9e3779b97f4a7c15;
  number = (number ^ number >> 31) * 0xbf58476d1ce4e5b9;
  return number ^ number >> 29;
}

/// Lines take longer or shorter than others, by where they are: how much in units of the mean, as if exponentially
/// distributed, the same for a line whenever it is asked for.
double spread_of(uint64_t line) { return -std::log((static_cast<double>(mixed(line) >> 11) + 0.5) * 0x1p-53) - 1; }

/// Half of the pages of 4 KB are on the side of L2 that is not the SM's.
bool is_on_far_side(uint64_t line) {
  constexpr uint64_t kPageLines = 4096 / arch::kLineBytes;
  return mixed(line / kPageLines) >> 20 & 1;
}

/// Adds to what is owed and takes what is whole of it.
uint64_t take_whole(double& owed, double more) {
  owed += more;
  const double whole = std::floor(owed);
  owed -= whole;
  return static_cast<uint64_t>(whole);
}

/// Floating-point numbers that are added to one of so many sectors follow one another as those of one word do.
constexpr double kFewSectors = 3;

/// As measured (tests/hardware/atomics.cu) the lines of 256 bytes are in one slice of L2, those of 512 in two, of 1 KB
/// in the same two.
uint64_t slot_of(uint64_t line) { return (line >> 1 & 1) | line >> 3 << 1; }

uint32_t count_of(uint8_t sectors) { return static_cast<uint32_t>(std::popcount(sectors)); }

}  // namespace

Lines lines_of(const machine::Access& access) {
  Lines lines;
  for (uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const uint64_t address = access.addresses[static_cast<size_t>(std::countr_zero(rest))];
    const uint64_t number = address / arch::kLineBytes;
    uint32_t at = 0;
    while (at < lines.count && lines.use[at].number != number) ++at;
    if (at == lines.count) lines.use[lines.count++] = {number, 0};
    lines.use[at].sectors |= static_cast<uint8_t>(1u << (address / arch::kSectorBytes % 4));
  }
  return lines;
}

WordUse word_use_of(const machine::Access& access, bool adds_floats) {
  std::array<uint64_t, machine::kLanes> words;
  uint32_t lanes = 0;
  for (uint32_t rest = access.lanes; rest != 0; rest &= rest - 1)
    words[lanes++] = access.addresses[static_cast<size_t>(std::countr_zero(rest))] / arch::kBankBytes;
  std::sort(words.begin(), words.begin() + lanes);
  constexpr uint64_t kWords = arch::kSectorBytes / arch::kBankBytes;
  uint32_t sectors = 0, turns = 0, most = 0, of_sector = 0, same = 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (i == 0 || words[i] / kWords != words[i - 1] / kWords) {
      ++sectors;
      of_sector = 0;
    }
    same = i > 0 && words[i] == words[i - 1] ? same + 1 : 1;
    if (same > of_sector) {
      of_sector = same;
      ++turns;
    }
    most = std::max(most, same);
  }
  return {.turns = ratio(turns, sectors),
          .is_row = turns == sectors && lanes >= 4 * sectors,
          .most = adds_floats ? most : 0,
          .answer = access.kind == machine::AccessKind::Atomic ? lanes * access.bytes / arch::kBankBytes : 0};
}

void Updates::choose(double chosen, uint64_t first_sector, uint64_t last_sector) {
  constexpr uint64_t kSectorsOfLine = arch::kLineBytes / arch::kSectorBytes, kLinesOfSlot = 4;
  const uint64_t first = first_sector / kSectorsOfLine, last = last_sector / kSectorsOfLine;
  slices.reset();
  for (uint64_t line = first; line <= std::min(last, first + kSlices * kLinesOfSlot); ++line)
    slices.set(slot_of(line) % kSlices);
  const auto span = static_cast<double>(last_sector - first_sector + 1);
  sectors = std::clamp(chosen, 1.0, span);
  const double all =
      std::max(static_cast<double>(slices.count()), static_cast<double>(last - first + 1) / kLinesOfSlot);
  slots = std::max(1.0, all * sectors / span);
}

double Updates::busy_slices() const {
  // Measured (the same): 16 KB lie in 32 slices, a third of all, others in one of these thirds. The one that most of
  // them are in ends last.
  constexpr double kOfThird = kSlices / 3;
  const double thirds = slots / kOfThird;
  return slots / std::max(1.0, std::min(thirds, thirds / 3 + 1));
}

ReadTraffic& ReadTraffic::operator+=(const ReadTraffic& other) {
  sectors += other.sectors;
  hits += other.hits;
  again += other.again;
  l2 += other.l2;
  dram += other.dram;
  return *this;
}

MemoryPath::MemoryPath(const SmModel& model, uint64_t l1_bytes, std::vector<ArraySharing> arrays, uint32_t sms)
    : model_(model), l1_(l1_bytes), arrays_(std::move(arrays)), sms_(sms) {
  arrays_.push_back({.cold = 0});
  owed_.resize(arrays_.size());
  channels_.resize(static_cast<size_t>(std::max(1.0, model.dram_channels)));
}

MemoryTraffic MemoryPath::traffic_until(double now) const {
  MemoryTraffic until = traffic;
  until.l2_busy -= std::max(0.0, l2_free() - now);
  until.dram_busy -= std::max(0.0, dram_free_ - now);
  return until;
}

void MemoryPath::add(const Reader& reader, const ReadTraffic& read) {
  traffic.read += read;
  traffic.readers[reader] += read;
}

void MemoryPath::use_l2(double now, double to_l2, double from_l2) {
  const double before = std::max(l2_free(), now);
  if (to_l2 > 0) to_l2_free_ = std::max(to_l2_free_, now) + to_l2;
  if (from_l2 > 0) from_l2_free_ = std::max(from_l2_free_, now) + from_l2;
  traffic.l2_busy += std::max(0.0, l2_free() - before);
}

MemoryPath::Channel& MemoryPath::channel_of(uint64_t line) {
  return channels_[(line ^ mixed(line / channels_.size())) % channels_.size()];
}

void MemoryPath::use_dram(double now, double clocks) {
  dram_free_ = std::max(dram_free_, now) + clocks;
  traffic.dram_busy += clocks;
}

double MemoryPath::read_dram(uint64_t line, double now, double clocks) {
  use_dram(now, clocks);
  Channel& channel = channel_of(line);
  const double begin = std::max(channel.free, now);
  channel.free = begin + clocks * static_cast<double>(channels_.size());
  return begin + clocks;
}

void MemoryPath::write_dram(uint64_t line, double now, double clocks) {
  use_dram(now, clocks);
  Channel& channel = channel_of(line);
  channel.to_write += clocks * static_cast<double>(channels_.size());
  if (channel.to_write < model_.dram_write_batch) return;
  channel.free = std::max(channel.free, now) + std::exchange(channel.to_write, 0);
}

int64_t MemoryPath::takes_more_from() const {
  auto clock = static_cast<int64_t>(std::max(l2_free(), dram_free_) - model_.l2_backlog);
  while (is_backed_up(static_cast<double>(clock))) ++clock;
  return clock;
}

void MemoryPath::begin_period(double together) { is_together_ = take_whole(periods_, together) > 0; }

double MemoryPath::fetch(size_t array, uint64_t line, uint64_t pair, double now, uint64_t& dram) {
  const ArraySharing& sharing = arrays_[array];
  const double part = is_together_ ? std::max(sharing.cold, sharing.awaited) : sharing.cold;
  if (take_whole(owed_[array].pairs, part) == 0) return 0;
  const double sectors = kSectorsFromDram * sharing.cold / part;
  dram += take_whole(owed_[array].dram, sectors);
  const double read = read_dram(line, now, sectors * model_.dram_sector);
  const double far = is_on_far_side(line) ? model_.far_side : 0;
  return std::max(read, l2_free()) + model_.dram + far + model_.dram_spread * spread_of(pair);
}

double MemoryPath::from_l2(ReadTraffic& read, const Reader& reader, uint64_t line, uint8_t sectors, double now,
                           Way way) {
  const uint32_t count = count_of(sectors);
  const size_t array = std::min(static_cast<size_t>(reader.array), arrays_.size() - 1);
  const double joint = arrays_[array].joint;
  // Measured (tests/hardware/coalescer.cu): 16 SMs that copy lines past L1 with cp.async ask L2 for each of them.
  const double share = way == Way::CopyPastL1 ? 1 : 1 - joint * model_.together;
  read.l2 += take_whole(owed_[array].l2, share * count);
  if (way == Way::Bulk)
    use_l2(now, 0, std::max(model_.l2_bulk_link, (1 - joint * model_.bulk_together) * model_.l2_sector) * count);
  else
    use_l2(now, share * model_.l2_line, share * model_.l2_sector * count);
  const double done = l2_free() + model_.l2_hit + model_.l2_spread * spread_of(line);
  if (way == Way::L1) read.again += count_of(sectors & seen_[line].sectors);
  return std::max(done, fetch_line(array, line, sectors, now, read.dram) + model_.l2_hit);
}

double MemoryPath::fetch_line(size_t array, uint64_t line, uint8_t sectors, double now, uint64_t& dram) {
  double done = 0;
  Seen& seen = seen_[line];
  for (uint32_t sector = 0; sector < 4; ++sector) {
    if (!(sectors & ~seen.sectors & 1u << sector)) continue;
    const uint32_t pair = sector / kSectorsFromDram;
    const bool is_first = (seen.sectors >> pair * kSectorsFromDram & ((1u << kSectorsFromDram) - 1)) == 0;
    seen.sectors |= static_cast<uint8_t>(1u << sector);
    if (is_first) seen.fetched[pair] = fetch(array, line, line * 4 / kSectorsFromDram + pair, now, dram);
    done = std::max(done, seen.fetched[pair]);
  }
  return done;
}

double MemoryPath::through_l1(ReadTraffic& read, const Reader& reader, const LineUse& use, double now,
                              uint8_t& lacking) {
  SectorCache::Line& line = l1_.hold(use.number);
  lacking = static_cast<uint8_t>(use.sectors & ~line.sectors);
  const double done = lacking ? from_l2(read, reader, use.number, lacking, now, Way::L1) : now;
  line.sectors |= lacking;
  double last = now;
  for (uint32_t s = 0; s < 4; ++s) {
    if (lacking >> s & 1) line.filled[s] = done;
    if (use.sectors >> s & 1) last = std::max(last, line.filled[s]);
  }
  return last;
}

double MemoryPath::load(const Reader& reader, const Lines& lines, double now, Way way, uint32_t& missed) {
  double last = now;
  ReadTraffic read;
  for (uint32_t i = 0; i < lines.count; ++i) {
    const LineUse& use = lines.use[i];
    read.sectors += count_of(use.sectors);
    if (way != Way::L1) {
      ++missed;
      last = std::max(last, from_l2(read, reader, use.number, use.sectors, now, way));
      continue;
    }
    uint8_t lacking = 0;
    last = std::max(last, through_l1(read, reader, use, now, lacking));
    read.hits += count_of(static_cast<uint8_t>(use.sectors & ~lacking));
    missed += lacking != 0;
  }
  add(reader, read);
  return last;
}

double MemoryPath::store(const Lines& lines, double now, bool is_whole) {
  while (!stored_.empty() && stored_.front().sent <= now) stored_.pop_front();
  for (uint32_t i = 0; i < lines.count; ++i) {
    LineUse use = lines.use[i];
    if (SectorCache::Line& line = l1_.hold(use.number); is_whole) line.sectors |= use.sectors;
    const auto stored = std::ranges::find(stored_, use.number, &Stored::line);
    if (stored != stored_.end()) {
      use.sectors &= static_cast<uint8_t>(~stored->sectors);
      stored->sectors |= use.sectors;
      write(use, now, (is_whole ? model_.l2_write_sector : model_.l2_write_part) * count_of(use.sectors));
      continue;
    }
    const uint32_t count = count_of(use.sectors);
    write(use, now, is_whole ? write_clocks(count) : model_.l2_write_part * (1 + count));
    stored_.push_back({use.number, use.sectors, to_l2_free_});
    if (static_cast<double>(stored_.size()) > model_.store_lines) stored_.pop_front();
  }
  return written();
}

void MemoryPath::write(const LineUse& use, double now, double clocks) {
  traffic.l2_write_sectors += count_of(use.sectors);
  use_l2(now, clocks, 0);
  // What is written again while L2 has it costs DRAM nothing.
  uint8_t& before = written_[use.number];
  const auto fresh = static_cast<uint8_t>(use.sectors & ~before);
  before |= fresh;
  if (fresh) write_dram(use.number, now, model_.dram_write_sector * count_of(fresh));
}

double MemoryPath::atomic(const Reader& reader, const Lines& lines, const WordUse& words, double now) {
  const size_t array = std::min(static_cast<size_t>(reader.array), arrays_.size() - 1);
  const Updates& updates = arrays_[array].updates;
  const double busy = updates.busy_slices();
  const double each = std::max(words.is_row ? model_.atomic_row : model_.atomic,
                               model_.atomic_scattered * updates.slots / (updates.slots + 2));
  const double same_word = updates.sectors < kFewSectors ? model_.atomic_word : 0;
  double clocks = 0, turns = 0, answer = 0, read = 0;
  for (uint32_t i = 0; i < lines.count; ++i) {
    const LineUse& use = lines.use[i];
    const double sectors = count_of(use.sectors);
    turns += words.turns * sectors;
    write(use, now, write_clocks(count_of(use.sectors)));
    if (words.answer > 0)
      answer += model_.l2_answer_sector * sectors + model_.l2_answer_word * words.answer / lines.count;
    read = std::max(read, fetch_line(array, use.number, use.sectors, now, traffic.read.dram));
    clocks += std::max(each * words.turns * sectors / busy, same_word * words.most / lines.count);
  }
  // What loads ask these slices for comes after it.
  use_l2(now, 0, std::max(answer, clocks * busy * sms_ / kSlices));
  // Other SMs do the same at the same time, in whichever of these slices.
  double done = 0;
  clocks *= sms_;
  for (uint32_t slice = 0; slice < kSlices; ++slice) {
    if (!updates.slices[slice]) continue;
    slice_free_[slice] = std::max(slice_free_[slice], now) + clocks;
    done = std::max(done, slice_free_[slice]);
  }
  const double ahead = same_word > 0 && words.most > 0 ? model_.l2_backlog : model_.atomics_on_way * clocks / turns;
  to_l2_free_ = std::max(to_l2_free_, done - ahead);
  return std::max({written(), done + model_.l2_hit, read + model_.l2_hit});
}

double MemoryPath::bulk(const Reader& reader, const machine::BulkCopy& copy, double now) {
  double last = now;
  ReadTraffic read;
  Lines line;
  line.count = 1;
  const auto move_line = [&] {
    if (line.use[0].sectors == 0) return;
    if (copy.to_shared) {
      last = std::max(last, from_l2(read, reader, line.use[0].number, line.use[0].sectors, now, Way::Bulk));
    } else {
      write(line.use[0], now, write_clocks(count_of(line.use[0].sectors)));
      last = written();
    }
  };
  for (const machine::BulkCopy::Piece& piece : copy.pieces)
    for (uint64_t at = piece.global / arch::kSectorBytes; at * arch::kSectorBytes < piece.global + piece.bytes; ++at) {
      if (at / 4 != line.use[0].number) {
        move_line();
        line.use[0] = {at / 4, 0};
      }
      line.use[0].sectors |= static_cast<uint8_t>(1u << at % 4);
    }
  move_line();
  add(reader, read);
  return last;
}

double MemoryPath::receive(uint64_t bytes, double now) {
  use_l2(now, 0, model_.l2_bulk_link * static_cast<double>(bytes) / arch::kSectorBytes);
  return from_l2_free_ + model_.l2_hit;
}

double MemoryPath::load_local(const Lines& lines, uint32_t words, double now) {
  double last = now;
  ReadTraffic read;
  uint8_t lacking = 0;
  for (uint32_t word = 0; word < words; ++word)
    for (uint32_t i = 0; i < lines.count; ++i)
      last = std::max(last, through_l1(read, {}, {lines.use[i].number + word, lines.use[i].sectors}, now, lacking));
  traffic.read += read;
  return last;
}

double MemoryPath::store_local(Lines lines, uint32_t words, double now, bool is_whole) {
  double last = now;
  for (uint32_t word = 0; word < words; ++word) {
    last = store(lines, now, is_whole);
    for (uint32_t i = 0; i < lines.count; ++i) {
      l1_.hold(lines.use[i].number).sectors |= lines.use[i].sectors;
      ++lines.use[i].number;
    }
  }
  return last;
}

}  // namespace tilescope::clock
