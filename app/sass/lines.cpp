#include "sass/lines.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "base/elf.h"
#include "sass/cubin.h"
#include "sass/instruction.h"

namespace tilescope::sass {
namespace {

/// Reads a line number program (DWARF 2, section 6.2) from front to back. Past the end it reads zeros and says so.
class ProgramBytes {
 public:
  explicit ProgramBytes(std::string_view bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  bool done() const { return at_ >= bytes_.size(); }
  void go_to(size_t at) { at_ = at; }
  template <class T>
  T take() {
    const T value = value_at<T>(bytes_, at_);
    at_ += sizeof(T);
    return value;
  }
  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (uint32_t shift = 0; !done(); shift += 7) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) break;
    }
    return value;
  }
  int64_t signed_leb() {
    uint64_t value = 0;
    uint32_t shift = 0;
    while (!done()) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if (byte & 0x80) continue;
      if ((byte & 0x40) && shift < 64) value |= ~uint64_t{0} << shift;
      break;
    }
    return static_cast<int64_t>(value);
  }
  std::string_view text() {
    const std::string_view found = text_at(bytes_, at_);
    at_ += found.size() + 1;
    return found;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

/// Where the relocations of a section name the function `symbol`: offsets of the addresses in it that are the
/// function's.
std::vector<size_t> places_of(const std::vector<ElfSection>& sections, std::string_view name, uint32_t symbol) {
  std::vector<size_t> places;
  for (const ElfSection& one : sections) {
    if (one.name != std::string(".rela").append(name)) continue;
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= one.bytes.size(); at += sizeof(Elf64_Rela)) {
      const auto relocation = value_at<Elf64_Rela>(one.bytes, at);
      if (ELF64_R_SYM(relocation.r_info) == symbol) places.push_back(relocation.r_offset);
    }
  }
  return places;
}

/// The rows of one unit's program that are the function's, put into the table.
class UnitReader {
 public:
  UnitReader(std::string_view section, const std::vector<size_t>& places, LineTable& table)
      : bytes_(section), places_(places), table_(table) {}

  /// Reads the unit that begins at `start`; where the next one does.
  size_t read(size_t start) {
    bytes_.go_to(start);
    const auto length = bytes_.take<uint32_t>();
    const size_t end = bytes_.at() + length;
    bytes_.take<uint16_t>();  // version
    const auto header = bytes_.take<uint32_t>();
    const size_t program = bytes_.at() + header;
    unit_ = bytes_.take<uint8_t>();
    bytes_.take<uint8_t>();  // is_stmt at first
    line_base_ = bytes_.take<int8_t>();
    line_range_ = std::max<uint8_t>(bytes_.take<uint8_t>(), 1);
    first_special_ = bytes_.take<uint8_t>();
    operands_.assign(1, 0);
    for (int i = 1; i < first_special_; ++i) operands_.push_back(bytes_.take<uint8_t>());
    read_files();
    bytes_.go_to(program);
    while (bytes_.at() < end && !bytes_.done()) step();
    return end;
  }

 private:
  // Standard opcodes and the extended ones that are used.
  enum : uint8_t {
    kExtended,
    kCopy,
    kAdvanceAddress,
    kAdvanceLine,
    kSetFile,
    kSetColumn,
    kNegate,
    kBasicBlock,
    kConstAdd,
    kFixedAdvance
  };
  enum : uint8_t { kEndSequence = 1, kSetAddress = 2 };

  void read_files() {
    files_.assign(1, "");
    while (!bytes_.done() && !bytes_.text().empty()) continue;  // folders
    while (!bytes_.done()) {
      const std::string_view name = bytes_.text();
      if (name.empty()) return;
      for (int i = 0; i < 3; ++i) bytes_.unsigned_leb();
      files_.emplace_back(name.substr(name.rfind('/') + 1));
    }
  }

  // The row so far holds for the instructions up to this address.
  void end_row(uint64_t next) {
    if (!row_from_ || !is_function_) return;
    for (uint64_t at = *row_from_; at < next; at += kInstructionBytes) {
      const size_t index = at / kInstructionBytes;
      if (index >= table_.size()) return;
      table_[index] = {file_ < files_.size() ? files_[file_] : "", static_cast<uint32_t>(row_line_)};
    }
  }
  void add_row() {
    end_row(address_);
    row_from_ = address_;
    row_line_ = line_;
    file_ = next_file_;
  }

  void extended() {
    const uint64_t length = bytes_.unsigned_leb();
    const size_t begin = bytes_.at();
    const auto opcode = bytes_.take<uint8_t>();
    if (opcode == kEndSequence) {
      end_row(address_);
      row_from_.reset();
      address_ = 0;
      line_ = 1;
      next_file_ = 1;
    } else if (opcode == kSetAddress) {
      is_function_ = std::ranges::find(places_, bytes_.at()) != places_.end();
      address_ = bytes_.take<uint64_t>();
    }
    bytes_.go_to(begin + length);
  }

  void step() {
    const auto opcode = bytes_.take<uint8_t>();
    if (opcode >= first_special_) {
      const int adjusted = opcode - first_special_;
      address_ += static_cast<uint64_t>(adjusted / line_range_) * unit_;
      line_ += line_base_ + adjusted % line_range_;
      add_row();
      return;
    }
    switch (opcode) {
      case kExtended: extended(); break;
      case kCopy: add_row(); break;
      case kAdvanceAddress: address_ += bytes_.unsigned_leb() * unit_; break;
      case kAdvanceLine: line_ += bytes_.signed_leb(); break;
      case kSetFile: next_file_ = bytes_.unsigned_leb(); break;
      case kConstAdd: address_ += static_cast<uint64_t>((255 - first_special_) / line_range_) * unit_; break;
      case kFixedAdvance: address_ += bytes_.take<uint16_t>(); break;
      default:
        for (int i = 0; i < operands_[opcode]; ++i) bytes_.unsigned_leb();
        break;
    }
  }

  ProgramBytes bytes_;
  const std::vector<size_t>& places_;
  LineTable& table_;
  uint8_t unit_ = 1, line_range_ = 1, first_special_ = 10;
  int8_t line_base_ = 0;
  std::vector<uint8_t> operands_;
  std::vector<std::string> files_;
  uint64_t address_ = 0, file_ = 1, next_file_ = 1;
  int64_t line_ = 1, row_line_ = 1;
  bool is_function_ = false;
  std::optional<uint64_t> row_from_;
};

LineTable lines_in(std::span<const uint8_t> cubin, std::string_view name, std::string_view entry, size_t instructions) {
  const std::string_view file(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  const std::vector<ElfSection> sections = elf_sections(file);
  const std::optional<uint32_t> symbol = symbol_of(cubin, entry);
  const auto found = std::ranges::find(sections, name, &ElfSection::name);
  if (found == sections.end() || !symbol) return {};
  LineTable table(instructions);
  const std::vector<size_t> places = places_of(sections, name, *symbol);
  for (size_t at = 0; at + sizeof(uint32_t) < found->bytes.size();) {
    const size_t next = UnitReader(found->bytes, places, table).read(at);
    if (next <= at) break;
    at = next;
  }
  return table;
}

}  // namespace

LineTable ptx_lines(std::span<const uint8_t> cubin, std::string_view entry, size_t instructions) {
  return lines_in(cubin, ".nv_debug_line_sass", entry, instructions);
}
LineTable source_lines(std::span<const uint8_t> cubin, std::string_view entry, size_t instructions) {
  return lines_in(cubin, ".debug_line", entry, instructions);
}

}  // namespace tilescope::sass
