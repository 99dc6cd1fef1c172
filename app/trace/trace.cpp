#include "trace/trace.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "trace/lane_addresses.h"

namespace tilescope::trace {
namespace {

constexpr size_t kChunkRecords = 8192;

// How a record's addresses are kept. 1 to 5 are AffineLanes with that k.
constexpr uint8_t kNoAddresses = 0;
constexpr uint8_t kOffsets = 6;   // From `base`, in the side array of 32-bit offsets.
constexpr uint8_t kAbsolute = 7;  // In the side array of 64-bit addresses.

// kChunkRecords records, one column per field. Chunks never move, so only the last has spare capacity.
struct Chunk {
  uint64_t base[kChunkRecords];  // Of the addresses; a sync's id and members; a branch's taken lanes.
  uint32_t pc[kChunkRecords];
  uint32_t warp_step[kChunkRecords];
  uint32_t active[kChunkRecords];
  int32_t inner[kChunkRecords];  // Strides; of a side array the two halves of the first index in it; a sync's amount.
  int32_t outer[kChunkRecords];
  uint16_t warp[kChunkRecords];
  uint8_t what[kChunkRecords];    // RecordKind, and the event's own kind above it.
  uint8_t traits[kChunkRecords];  // Address form, space and matrix.
  uint8_t bytes[kChunkRecords];
};

uint8_t what(RecordKind kind, uint8_t sub_kind) {
  return static_cast<uint8_t>(static_cast<uint8_t>(kind) | sub_kind << 2);
}
uint8_t form_of(uint8_t traits) { return traits & 7; }
Space space_of(uint8_t traits) { return static_cast<Space>(traits >> 3 & 7); }
constexpr uint8_t kMatrix = 1 << 6;

uint64_t pair(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }
uint64_t pair(int32_t low, int32_t high) { return pair(static_cast<uint32_t>(low), static_cast<uint32_t>(high)); }

// The active lanes' addresses, less `base`.
template <class T>
void append_lanes(std::vector<T>& side, const uint64_t* addresses, uint32_t lanes, uint64_t base) {
  T kept[kLanes];
  size_t count = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    kept[count++] = static_cast<T>(addresses[std::countr_zero(rest)] - base);
  side.insert(side.end(), kept, kept + count);
}

struct NumberedFault {
  size_t record = 0;
  FaultRecord fault;
};

// Records of each warp of each block range, ascending.
struct WarpIndex {
  std::vector<uint32_t> records;  // By range, then warp.
  std::vector<size_t> starts;     // Of each warp in `records`; one more at each range's end.
  std::vector<size_t> ranges;     // Of each range in `starts`; one more at the end.
};

/// FNV-1a with 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
class Fnv {
 public:
  void add_byte(uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3u; }
  void add(uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<uint8_t>(value >> shift));
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add_byte(static_cast<uint8_t>(c));
  }
  void add(const Dim3& dim) {
    add(dim.x);
    add(dim.y);
    add(dim.z);
  }
  void add(const std::vector<Allocation>& allocations) {
    add(allocations.size());
    for (const Allocation& a : allocations) {
      add(a.name);
      add(a.base);
      add(a.bytes);
      add(a.pitch);
      add_byte(static_cast<uint8_t>(a.space));
      add_byte(static_cast<uint8_t>(a.element));
      add(a.shape.size());
      for (const uint64_t extent : a.shape) add(extent);
    }
  }
  void add(const ProductRecord& read) {
    add(pair(read.at.pc, read.at.warp_step));
    add(read.at.active | uint64_t{read.at.warp} << 32);
    for (const ProductRead::Piece& piece : read.pieces) {
      add(piece.shared);
      add(piece.bytes);
    }
  }
  void add(const BulkRecord& copy) {
    add(pair(copy.at.pc, copy.at.warp_step));
    add(copy.at.active | uint64_t{copy.at.warp} << 32 | uint64_t{copy.to_shared} << 48);
    add(copy.barrier);
    add(copy.issued);
    add(copy.landed);
    add(copy.pieces.size());
    for (const BulkCopy::Piece& piece : copy.pieces) {
      add(piece.shared);
      add(piece.global);
      add(piece.bytes | uint64_t{piece.begins_row} << 32);
    }
  }
  void add(const NumberedFault& f) {
    add(f.record);
    add_byte(static_cast<uint8_t>(f.fault.kind));
    add_byte(static_cast<uint8_t>(f.fault.access));
    add(f.fault.lanes);
    add(f.fault.detail.english());
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace

struct Trace::Records {
  Header header;
  std::vector<std::unique_ptr<Chunk>> chunks;
  size_t count = 0;
  uint64_t dropped = 0;
  std::vector<uint32_t> offsets;
  std::vector<uint64_t> absolute;
  std::vector<NumberedFault> faults;
  std::vector<BulkRecord> bulk_copies;
  std::vector<ProductRecord> product_reads;
  std::vector<BlockRange> ranges;
  WarpIndex index;

  const Chunk& chunk(size_t i) const { return *chunks[i / kChunkRecords]; }
  void build_index();
  void index_range(const BlockRange& range);
  void hash_records(Fnv& hash) const;
};

void Trace::Records::build_index() {
  index.records.resize(count);
  for (const BlockRange& range : ranges) {
    index.ranges.push_back(index.starts.size());
    index_range(range);
  }
  index.ranges.push_back(index.starts.size());
}

// A counting sort by warp, which keeps each warp's records in order.
void Trace::Records::index_range(const BlockRange& range) {
  std::vector<size_t> next;
  for (size_t i = range.begin; i < range.end; ++i) {
    const size_t warp = chunk(i).warp[i % kChunkRecords];
    if (next.size() <= warp) next.resize(warp + 1);
    ++next[warp];
  }
  size_t start = range.begin;
  for (size_t& entry : next) {
    const size_t length = entry;
    index.starts.push_back(start);
    entry = start;
    start += length;
  }
  index.starts.push_back(start);
  for (size_t i = range.begin; i < range.end; ++i)
    index.records[next[chunk(i).warp[i % kChunkRecords]]++] = static_cast<uint32_t>(i);
}

void Trace::Records::hash_records(Fnv& hash) const {
  for (size_t i = 0; i < count; ++i) {
    const Chunk& c = chunk(i);
    const size_t at = i % kChunkRecords;
    hash.add(pair(c.pc[at], c.warp_step[at]));
    hash.add(c.active[at] | uint64_t{c.warp[at]} << 32 | uint64_t{c.what[at]} << 48 | uint64_t{c.traits[at]} << 56);
    hash.add_byte(c.bytes[at]);
    hash.add(c.base[at]);
    hash.add(pair(c.inner[at], c.outer[at]));
  }
  for (const uint32_t offset : offsets) hash.add(offset);
  for (const uint64_t address : absolute) hash.add(address);
  for (const NumberedFault& fault : faults) hash.add(fault);
  for (const BulkRecord& copy : bulk_copies) hash.add(copy);
  for (const ProductRecord& read : product_reads) hash.add(read);
}

const Allocation* Header::find(Space space, uint64_t address) const {
  const bool has_list = space == Space::Global || space == Space::Const || space == Space::Shared;
  if (!has_list) return nullptr;
  for (const Allocation& allocation : space == Space::Shared ? shared : global)
    if (allocation.contains(address)) return &allocation;
  return nullptr;
}

Trace::Trace(std::unique_ptr<Records> records) : records_(std::move(records)) {}
Trace::Trace(Trace&&) noexcept = default;
Trace::~Trace() = default;

const Header& Trace::header() const { return records_->header; }
size_t Trace::size() const { return records_->count; }
uint64_t Trace::dropped() const { return records_->dropped; }
std::span<const BlockRange> Trace::blocks() const { return records_->ranges; }

std::span<const uint32_t> Trace::warp_records(size_t range, uint32_t warp) const {
  const WarpIndex& index = records_->index;
  const size_t start = index.ranges[range] + warp;
  if (start + 1 >= index.ranges[range + 1]) return {};
  return std::span(index.records).subspan(index.starts[start], index.starts[start + 1] - index.starts[start]);
}

RecordKind Trace::kind(size_t i) const {
  return static_cast<RecordKind>(records_->chunk(i).what[i % kChunkRecords] & 3);
}

Step Trace::step(size_t i) const {
  const auto after = std::upper_bound(records_->ranges.begin(), records_->ranges.end(), i,
                                      [](size_t record, const BlockRange& range) { return record < range.end; });
  const Chunk& c = records_->chunk(i);
  const size_t at = i % kChunkRecords;
  return {c.pc[at], after->block, c.warp[at], c.warp_step[at], c.active[at]};
}

uint32_t Trace::active(size_t i) const { return records_->chunk(i).active[i % kChunkRecords]; }

AccessKind Trace::access_kind(size_t i) const {
  return static_cast<AccessKind>(records_->chunk(i).what[i % kChunkRecords] >> 2);
}

Space Trace::space(size_t i) const { return space_of(records_->chunk(i).traits[i % kChunkRecords]); }
uint32_t Trace::bytes(size_t i) const { return records_->chunk(i).bytes[i % kChunkRecords]; }
bool Trace::is_matrix(size_t i) const { return records_->chunk(i).traits[i % kChunkRecords] & kMatrix; }

void Trace::addresses(size_t i, uint64_t out[kLanes]) const {
  const Chunk& c = records_->chunk(i);
  const size_t at = i % kChunkRecords;
  const uint8_t form = form_of(c.traits[at]);
  std::fill_n(out, kLanes, 0);
  if (form == kNoAddresses) return;
  const uint32_t lanes = kind(i) == RecordKind::Fault ? fault(i).lanes : c.active[at];
  const AffineLanes affine{c.base[at], c.inner[at], c.outer[at], form};
  size_t side = pair(c.inner[at], c.outer[at]);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (form == kAbsolute)
      out[lane] = records_->absolute[side++];
    else if (form == kOffsets)
      out[lane] = c.base[at] + records_->offsets[side++];
    else
      out[lane] = affine.at(lane);
  }
}

bool Trace::may_meet(size_t i, uint64_t begin, uint64_t end) const {
  const Chunk& c = records_->chunk(i);
  const size_t at = i % kChunkRecords;
  const uint8_t form = form_of(c.traits[at]);
  if (form == kOffsets || form == kAbsolute || form == kNoAddresses) return form != kNoAddresses;
  const int64_t inner = int64_t{c.inner[at]} * ((1 << form) - 1);
  const int64_t outer = int64_t{c.outer[at]} * ((kLanes >> form) - 1);
  const uint64_t lowest = c.base[at] + static_cast<uint64_t>(std::min<int64_t>(inner, 0) + std::min<int64_t>(outer, 0));
  const uint64_t span = static_cast<uint64_t>(std::abs(inner) + std::abs(outer)) + c.bytes[at];
  return begin - lowest < span || lowest - begin < end - begin;
}

uint32_t Trace::taken(size_t i) const { return static_cast<uint32_t>(records_->chunk(i).base[i % kChunkRecords]); }

Sync Trace::sync(size_t i) const {
  const Chunk& c = records_->chunk(i);
  const size_t at = i % kChunkRecords;
  return {step(i), static_cast<SyncKind>(c.what[at] >> 2), static_cast<uint32_t>(c.base[at]),
          static_cast<uint32_t>(c.base[at] >> 32), static_cast<uint32_t>(c.inner[at])};
}

const FaultRecord& Trace::fault(size_t i) const {
  return std::lower_bound(records_->faults.begin(), records_->faults.end(), i,
                          [](const NumberedFault& fault, size_t record) { return fault.record < record; })
      ->fault;
}

const std::vector<BulkRecord>& Trace::bulk_copies() const { return records_->bulk_copies; }
const std::vector<ProductRecord>& Trace::product_reads() const { return records_->product_reads; }

uint64_t Trace::hash() const {
  Fnv hash;
  hash.add(records_->header.kernel);
  hash.add(records_->header.grid);
  hash.add(records_->header.block);
  hash.add(records_->header.global);
  hash.add(records_->header.shared);
  hash.add(records_->dropped);
  for (const BlockRange& range : records_->ranges) {
    hash.add(range.block);
    hash.add(range.end);
  }
  records_->hash_records(hash);
  return hash.value();
}

size_t Trace::memory_bytes() const {
  const Records& r = *records_;
  const WarpIndex& index = r.index;
  size_t pieces = 0, read = 0;
  for (const BulkRecord& copy : r.bulk_copies) pieces += copy.pieces.capacity();
  for (const ProductRecord& product : r.product_reads) read += product.pieces.capacity();
  return read * sizeof(ProductRead::Piece) + r.product_reads.capacity() * sizeof(ProductRecord) +
         pieces * sizeof(BulkCopy::Piece) + r.bulk_copies.capacity() * sizeof(BulkRecord) +
         r.chunks.size() * sizeof(Chunk) + r.chunks.capacity() * sizeof(r.chunks[0]) +
         r.offsets.capacity() * sizeof(r.offsets[0]) + r.absolute.capacity() * sizeof(r.absolute[0]) +
         r.faults.capacity() * sizeof(r.faults[0]) + r.ranges.capacity() * sizeof(r.ranges[0]) +
         index.records.capacity() * sizeof(index.records[0]) +
         (index.starts.capacity() + index.ranges.capacity()) * sizeof(size_t);
}

Recorder::Recorder(Header header, RecorderOptions options)
    : header_(std::move(header)), options_(std::move(options)), records_(std::make_unique<Trace::Records>()) {
  std::sort(options_.blocks.begin(), options_.blocks.end());
  options_.record_limit = std::min<size_t>(options_.record_limit, std::numeric_limits<uint32_t>::max());
}

Recorder::~Recorder() = default;

void Recorder::block_begin(uint32_t block) {
  recording_ = options_.blocks.empty() || std::binary_search(options_.blocks.begin(), options_.blocks.end(), block);
  if (recording_) records_->ranges.push_back({block, records_->count, records_->count});
}

void Recorder::block_end(uint32_t /*block*/) { recording_ = false; }

bool Recorder::full() const { return records_->count >= options_.record_limit; }

bool Recorder::wants_record() {
  if (!recording_) return false;
  if (full()) ++records_->dropped;
  return !full();
}

void Recorder::append(const Step& at, uint8_t what, Space space, uint8_t bytes) {
  Trace::Records& r = *records_;
  const size_t row = r.count % kChunkRecords;
  if (row == 0) r.chunks.push_back(std::make_unique_for_overwrite<Chunk>());
  Chunk& c = *r.chunks.back();
  c.pc[row] = at.pc;
  c.warp_step[row] = at.warp_step;
  c.active[row] = at.active;
  c.warp[row] = at.warp;
  c.what[row] = what;
  c.traits[row] = static_cast<uint8_t>(static_cast<uint8_t>(space) << 3);
  c.bytes[row] = bytes;
  c.base[row] = 0;
  c.inner[row] = c.outer[row] = 0;
  r.ranges.back().end = ++r.count;
}

// Of the record last appended.
void Recorder::append_addresses(const uint64_t* addresses, uint32_t lanes) {
  Trace::Records& r = *records_;
  Chunk& c = *r.chunks.back();
  const size_t row = (r.count - 1) % kChunkRecords;
  AffineLanes form;
  if (fit_affine(addresses, lanes, form)) {
    c.base[row] = form.base;
    c.inner[row] = form.inner;
    c.outer[row] = form.outer;
    c.traits[row] |= form.k;
    return;
  }
  uint64_t lowest = std::numeric_limits<uint64_t>::max(), highest = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const uint64_t address = addresses[std::countr_zero(rest)];
    lowest = std::min(lowest, address);
    highest = std::max(highest, address);
  }
  const bool near = highest - lowest <= std::numeric_limits<uint32_t>::max();
  const uint64_t side = near ? r.offsets.size() : r.absolute.size();
  c.base[row] = near ? lowest : 0;
  c.inner[row] = static_cast<int32_t>(side);
  c.outer[row] = static_cast<int32_t>(side >> 32);
  c.traits[row] |= near ? kOffsets : kAbsolute;
  if (near)
    append_lanes(r.offsets, addresses, lanes, lowest);
  else
    append_lanes(r.absolute, addresses, lanes, 0);
}

void Recorder::access(const Access& event) {
  if (!wants_record()) return;
  append(event.at, what(RecordKind::Access, static_cast<uint8_t>(event.kind)), event.space, event.bytes);
  append_addresses(event.addresses, event.at.active);
  uint8_t& traits = records_->chunks.back()->traits[(records_->count - 1) % kChunkRecords];
  if (event.is_matrix) traits |= kMatrix;
}

void Recorder::branch(const Branch& event) {
  if (!wants_record()) return;
  append(event.at, what(RecordKind::Branch, 0), Space::None, 0);
  records_->chunks.back()->base[(records_->count - 1) % kChunkRecords] = event.taken;
}

void Recorder::sync(const Sync& event) {
  if (!wants_record()) return;
  append(event.at, what(RecordKind::Sync, static_cast<uint8_t>(event.kind)), Space::None, 0);
  Chunk& c = *records_->chunks.back();
  const size_t row = (records_->count - 1) % kChunkRecords;
  c.base[row] = pair(event.id, event.members);
  c.inner[row] = static_cast<int32_t>(event.amount);
}

void Recorder::bulk_copy(const BulkCopy& event) {
  if (!wants_record()) return;
  BulkRecord copy{event.at, event.to_shared, event.barrier, *event.pieces};
  copy.issued = records_->count;
  copy.blocks = static_cast<uint32_t>(std::popcount(event.ranks));
  records_->bulk_copies.push_back(std::move(copy));
}

void Recorder::product_read(const ProductRead& event) {
  if (!wants_record()) return;
  std::vector<ProductRead::Piece> pieces = *event.pieces, joined;
  std::ranges::sort(pieces, {}, &ProductRead::Piece::shared);
  for (const ProductRead::Piece& piece : pieces) {
    if (!joined.empty() && joined.back().shared + joined.back().bytes == piece.shared)
      joined.back().bytes += piece.bytes;
    else
      joined.push_back(piece);
  }
  joined.shrink_to_fit();
  records_->product_reads.push_back({event.at, std::move(joined), event.adds});
}

void Recorder::landed(const Landing& event) {
  if (event.block != event.at.block) return;
  if (!recording_ || !event.bulk) return;
  const auto copy =
      std::find_if(records_->bulk_copies.rbegin(), records_->bulk_copies.rend(), [&](const BulkRecord& each) {
        return each.at.warp == event.at.warp && each.at.warp_step == event.at.warp_step &&
               each.at.active == event.at.active && each.at.block == event.at.block;
      });
  if (copy != records_->bulk_copies.rend()) copy->landed = records_->count;
}

void Recorder::fault(const Fault& event) {
  if (!wants_record()) return;
  records_->faults.push_back(
      {records_->count, {event.kind, event.space, event.access, event.bytes, event.lanes, event.detail}});
  append(event.at, what(RecordKind::Fault, 0), event.space, event.bytes);
  if (event.addresses) append_addresses(event.addresses, event.lanes);
}

Trace Recorder::take() {
  recording_ = false;
  std::unique_ptr<Trace::Records> records = std::exchange(records_, std::make_unique<Trace::Records>());
  records->header = header_;
  records->offsets.shrink_to_fit();
  records->absolute.shrink_to_fit();
  records->build_index();
  return Trace(std::move(records));
}

}  // namespace tilescope::trace
