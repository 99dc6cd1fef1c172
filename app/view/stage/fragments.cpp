#include "view/stage/fragments.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "ptx/fragment.h"
#include "ptx/opcode_table.h"
#include "view/lane_uses.h"

namespace tilescope::view {
namespace {
using analysis::LoadedFrom;
using ptx::FragmentPlace;
using ptx::kRowsOfWarp;
using ptx::kWarpsOfGroup;
using run::Region;
using run::TracedArray;
using run::TracedBlock;
using trace::kLanes;
using Role = FragmentMatrix::Role;

constexpr uint32_t kMatrixSide = 8, kRegisterBytes = 4;

FragmentMatrix matrix_of(Role role, uint32_t rows, uint32_t columns) {
  FragmentMatrix matrix;
  matrix.role = role;
  matrix.rows = rows;
  matrix.columns = columns;
  return matrix;
}

const std::vector<ptx::Operand>& registers_of(const ptx::Operand& operand) { return operand.elements; }

/// The region between the array elements at both ends of a matrix, if it is as large as the matrix.
FragmentSource between(const TracedArray* first, uint64_t first_index, const TracedArray* last, uint64_t last_index,
                       const FragmentMatrix& matrix) {
  FragmentSource source;
  if (!first || first != last || first->columns == 0) return source;
  source.region.add(first_index / first->columns, first_index % first->columns);
  source.region.add(last_index / first->columns, last_index % first->columns);
  const bool along = source.region.rows() == matrix.rows && source.region.columns() == matrix.columns;
  source.transposed = !along;
  if (along || (source.region.rows() == matrix.columns && source.region.columns() == matrix.rows)) source.array = first;
  return source;
}

/// The same for two addresses in one state space.
FragmentSource between(const TracedBlock& traced, Space space, uint64_t first, uint64_t last,
                       const FragmentMatrix& matrix) {
  const TracedArray *a = traced.accesses.find(space, first), *b = traced.accesses.find(space, last);
  return between(a, a ? a->index_of(first) : 0, b, b ? b->index_of(last) : 0, matrix);
}

/// Where the values of a matrix came from, by those of its first and its last element.
void find_sources(const Focus& focus, const std::optional<LoadedFrom>& first, const std::optional<LoadedFrom>& last,
                  FragmentMatrix& matrix) {
  if (!first || !last || first->space != last->space) return;
  const TracedBlock& traced = *focus.traced;
  if (const TracedArray* array = traced.accesses.find(first->space, first->address)) matrix.side = array->side;
  matrix.source = between(traced, first->space, first->address, last->address, matrix);
  if (first->space != Space::Shared) return;
  const uint32_t slot = traced.timeline.slot(focus.cursor);
  const auto from = traced.accesses.data_flow().stored_from(first->address, slot),
             to = traced.accesses.data_flow().stored_from(last->address, slot);
  if (from && to) matrix.input = between(traced, Space::Global, from->address, to->address, matrix);
}

/// A or B that the lanes of a warp hold in registers; `places` as ptx::FragmentPlaces.
FragmentMatrix factor(const Focus& focus, Role role, uint32_t rows, uint32_t columns, const ptx::Operand& operand,
                      uint32_t parts, const std::vector<FragmentPlace>& places) {
  FragmentMatrix matrix = matrix_of(role, rows, columns);
  matrix.lanes.resize(size_t{rows} * columns);
  matrix.registers = static_cast<uint32_t>(registers_of(operand).size());
  (role == Role::A ? matrix.word_columns : matrix.word_rows) = parts;
  std::optional<LoadedFrom> first, last;
  const auto origin = [&](uint32_t lane, uint32_t reg, uint32_t part) {
    return focus.traced->accesses.data_flow().origin(focus.cursor, lane, registers_of(operand)[reg].index,
                                                     part * kRegisterBytes / parts);
  };
  auto place = places.begin();
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t reg = 0; reg < matrix.registers; ++reg)
      for (uint32_t part = 0; part < parts; ++part) {
        const FragmentPlace at = *place++;
        matrix.lanes[size_t{at.row} * columns + at.column] = lane;
        if (at == FragmentPlace{0, 0}) first = origin(lane, reg, part);
        if (at == FragmentPlace{rows - 1, columns - 1}) last = origin(lane, reg, part);
      }
  find_sources(focus, first, last, matrix);
  return matrix;
}

/// Where a lane's sum in a register is finally stored.
std::optional<SumElement> stored_sum(const TracedBlock& traced, uint32_t warp, uint32_t lane, int32_t reg) {
  const int32_t sum = traced.accesses.data_flow().sums()[static_cast<size_t>(reg)];
  for (const SumElement& element : sum_elements(traced, warp, lane))
    if (sum >= 0 && element.sum == sum) return element;
  return std::nullopt;
}

/// D, by the places that one warp's lanes hold; of wgmma there are four warps, each with its 16 rows. Sums of 16 bits
/// are in pairs in a register.
FragmentMatrix sums(const Focus& focus, const ptx::Instruction& instruction, uint32_t first_warp, uint32_t warps,
                    const std::vector<FragmentPlace>& places) {
  const uint32_t rows = instruction.shape.m / warps;
  FragmentMatrix matrix = matrix_of(Role::D, instruction.shape.m, instruction.shape.n);
  const std::vector<ptx::Operand>& registers = registers_of(instruction.operands[0]);
  const uint32_t parts = ptx::elements_of_register(instruction.type);
  matrix.registers = static_cast<uint32_t>(registers.size());
  (parts > 1 && places[1].row != places[0].row ? matrix.word_rows : matrix.word_columns) = parts;
  matrix.lanes.resize(size_t{matrix.rows} * matrix.columns);
  std::optional<SumElement> first, last;
  for (uint32_t warp = 0; warp < warps; ++warp)
    for (uint32_t i = 0; i < places.size(); ++i) {
      const uint32_t row = warp * rows + places[i].row, column = places[i].column;
      const auto of_lane = static_cast<uint32_t>(places.size()) / kLanes, lane = i / of_lane;
      matrix.lanes[size_t{row} * matrix.columns + column] = lane;
      const int32_t reg = registers[i % of_lane / parts].index;
      if (row == 0 && column == 0) first = stored_sum(*focus.traced, first_warp, lane, reg);
      if (row == matrix.rows - 1 && column == matrix.columns - 1)
        last = stored_sum(*focus.traced, first_warp + warp, lane, reg);
    }
  if (first && last) matrix.source = between(first->array, first->index, last->array, last->index, matrix);
  return matrix;
}

/// mma.sync or wmma.mma.
Fragments product(const Focus& focus, const ptx::Instruction& instruction) {
  const auto [m, n, k] = instruction.shape;
  const ptx::FragmentPlaces places = ptx::fragment_places(instruction);
  Fragments fragments;
  fragments.kind = Fragments::Kind::Product;
  fragments.opcode = instruction.op == ptx::Op::Mma ? "mma.sync" : "wmma.mma";
  fragments.matrices = {factor(focus, Role::A, m, k, instruction.operands[1],
                               ptx::elements_of_register(instruction.source_type), places.a),
                        factor(focus, Role::B, k, n, instruction.operands[2],
                               ptx::elements_of_register(instruction.factor_type), places.b),
                        sums(focus, instruction, focus.cursor.warp, 1, places.c)};
  return fragments;
}

/// The start address in a descriptor (PTX ISA, "Matrix Descriptor Format") that the operand's register holds.
std::optional<uint64_t> start_address(const Focus& focus, const ptx::Operand& operand) {
  if (!focus.registers || operand.kind != ptx::Operand::Kind::Register) return std::nullopt;
  for (const emulator::Registers::Register& each : focus.registers->read)
    if (each.index == operand.index) return (each.bits[focus.lane] & 0x3fff) << 4;
  return std::nullopt;
}

/// place(lane, e) for each of a lane's elements, lane by lane.
template <class Place>
std::vector<FragmentPlace> places_of_lanes(uint32_t of_lane, Place place) {
  std::vector<FragmentPlace> places;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t e = 0; e < of_lane; ++e) places.push_back(place(lane, e));
  return places;
}

/// A or B of wgmma in shared memory. The place of the first element is known; the layout after it is the descriptor's.
FragmentMatrix described(const Focus& focus, Role role, uint32_t rows, uint32_t columns, const ptx::Operand& operand) {
  FragmentMatrix matrix = matrix_of(role, rows, columns);
  const std::optional<uint64_t> start = start_address(focus, operand);
  if (!start) return matrix;
  const TracedBlock& traced = *focus.traced;
  const auto one = [&](FragmentSource& source, Space space, uint64_t address) {
    source.array = traced.accesses.find(space, address);
    if (!source.array || source.array->columns == 0) {
      source = {};
      return;
    }
    const uint64_t index = source.array->index_of(address);
    source.region.add(index / source.array->columns, index % source.array->columns);
  };
  one(matrix.source, Space::Shared, *start);
  if (matrix.source.array) matrix.side = matrix.source.array->side;
  if (const auto from = traced.accesses.data_flow().stored_from(*start, traced.timeline.slot(focus.cursor)))
    one(matrix.input, Space::Global, from->address);
  return matrix;
}

Fragments wide_product(const Focus& focus, const ptx::Instruction& instruction) {
  const auto [m, n, k] = instruction.shape;
  Fragments fragments;
  fragments.kind = Fragments::Kind::WideProduct;
  fragments.opcode = "wgmma";
  const ptx::Operand& a = instruction.operands[1];
  FragmentMatrix of_a;
  if (registers_of(a).empty()) {
    of_a = described(focus, Role::A, m, k, a);
  } else {
    const uint32_t parts = ptx::elements_of_register(instruction.source_type);
    const auto registers = static_cast<uint32_t>(registers_of(a).size());
    const auto in_a = [&](uint32_t lane, uint32_t e) { return ptx::place_in_a(lane, e / parts, e % parts, parts); };
    const FragmentMatrix mine =
        factor(focus, Role::A, kRowsOfWarp, k, a, parts, places_of_lanes(registers * parts, in_a));
    of_a = matrix_of(Role::A, m, k);
    of_a.registers = mine.registers;
    of_a.side = mine.side;
    for (uint32_t warp = 0; warp < kWarpsOfGroup; ++warp)
      of_a.lanes.insert(of_a.lanes.end(), mine.lanes.begin(), mine.lanes.end());
  }
  fragments.matrices = {of_a, described(focus, Role::B, k, n, instruction.operands[2]),
                        sums(focus, instruction, focus.cursor.warp / kWarpsOfGroup * kWarpsOfGroup, kWarpsOfGroup,
                             places_of_lanes(kRowsOfWarp * n / kLanes, ptx::place_in_c))};
  return fragments;
}

/// The matrices of ldmatrix and stmatrix as in shared memory; for a transposed one the lanes that hold its rows.
Fragments matrix_rows(const Focus& focus, const ptx::Instruction& instruction) {
  const TracedBlock& traced = *focus.traced;
  Fragments fragments;
  fragments.kind = instruction.op == ptx::Op::Ldmatrix ? Fragments::Kind::Load : Fragments::Kind::Store;
  fragments.opcode = fmt::format("{}.x{}{}", instruction.op == ptx::Op::Ldmatrix ? "ldmatrix" : "stmatrix",
                                 instruction.vector, instruction.trans ? ".trans" : "");
  fragments.transposed = instruction.trans;
  uint64_t addresses[kLanes] = {};
  const std::optional<uint32_t> record = traced.timeline.access(focus.cursor);
  if (record) traced.trace.addresses(*record, addresses);
  for (uint32_t m = 0; m < instruction.vector; ++m) {
    FragmentMatrix matrix = matrix_of(Role::Rows, kMatrixSide, kMatrixSide);
    matrix.lanes.resize(kMatrixSide * kMatrixSide);
    matrix.registers = 1;
    (instruction.trans ? matrix.word_rows : matrix.word_columns) = 2;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      for (uint32_t part = 0; part < 2; ++part) {
        const FragmentPlace at = ptx::place_in_matrix(lane, part, instruction.trans);
        matrix.lanes[at.row * kMatrixSide + at.column] = lane;
      }
    for (uint32_t row = 0; row < kMatrixSide; ++row) {
      const uint32_t lane = m * kMatrixSide + row;
      matrix.row_lanes.push_back(lane);
      FragmentSource& source = matrix.row_sources.emplace_back();
      source.array = record && (traced.trace.active(*record) >> lane & 1)
                         ? traced.accesses.find(Space::Shared, addresses[lane])
                         : nullptr;
      if (!source.array || source.array->columns == 0) continue;
      const uint64_t index = source.array->index_of(addresses[lane]);
      source.region.add(index / source.array->columns, index % source.array->columns);
    }
    fragments.matrices.push_back(std::move(matrix));
  }
  return fragments;
}

Fragments::Kind kind_at(const TracedBlock& traced, const analysis::StepRef& at) {
  if (traced.timeline.steps(at.warp) == 0) return Fragments::Kind::None;
  switch (traced.instruction(traced.timeline.pc(at)).op) {
    case ptx::Op::Mma:
    case ptx::Op::WmmaMma: return Fragments::Kind::Product;
    case ptx::Op::WgmmaMma: return Fragments::Kind::WideProduct;
    case ptx::Op::Ldmatrix: return Fragments::Kind::Load;
    case ptx::Op::Stmatrix: return Fragments::Kind::Store;
    default: return Fragments::Kind::None;
  }
}

}  // namespace

bool has_fragments(const TracedBlock& traced, const analysis::StepRef& at) {
  return kind_at(traced, at) != Fragments::Kind::None;
}

Fragments fragments_at(const Focus& focus) {
  const Fragments::Kind kind = kind_at(*focus.traced, focus.cursor);
  if (kind == Fragments::Kind::None) return {};
  const ptx::Instruction& instruction = focus.traced->instruction(focus.traced->timeline.pc(focus.cursor));
  if (kind == Fragments::Kind::Load || kind == Fragments::Kind::Store) return matrix_rows(focus, instruction);
  Fragments fragments =
      kind == Fragments::Kind::Product ? product(focus, instruction) : wide_product(focus, instruction);
  const auto [m, n, k] = instruction.shape;
  fragments.shape = fmt::format("m{}n{}k{}", m, n, k);
  fragments.type = std::string(to_string(instruction.source_type));
  return fragments;
}

}  // namespace tilescope::view
