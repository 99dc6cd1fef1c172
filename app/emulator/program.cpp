#include "emulator/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/arithmetic.h"
#include "emulator/warp.h"
#include "ptx/opcode_table.h"
#include "ptx/problem.h"
#include "ptx/shared_elements.h"

namespace tilescope::emulator {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::OpClass;
using ptx::Operand;
using ptx::SlotKind;
using ptx::Type;

// Limits of a thread, from table "Technical Specifications per Compute Capability" of the CUDA C++
// Programming Guide; the same for every architecture so far.
constexpr uint64_t kMostLocalBytes = 512 * 1024;
constexpr uint32_t kPredicateSink = 4;  // Offset 0 holds the predicate that is always true.
constexpr uint32_t kFirstPredicate = 8;

uint8_t lane_size_of(Type type) {
  const uint32_t bytes = ptx::size_of(type);
  return type == Type::Pred ? 0 : bytes <= 4 ? 4 : static_cast<uint8_t>(bytes);
}

Flow flow_of(const Instruction& i) {
  switch (ptx::class_of(i.op)) {
    case OpClass::Branch: return i.op == Op::BrxIdx ? Flow::BranchIndexed : Flow::Branch;
    case OpClass::Exit: return Flow::Exit;
    case OpClass::Trap: return Flow::Trap;
    case OpClass::Call: return Flow::Call;
    case OpClass::Barrier: return Flow::Barrier;
    case OpClass::BarrierArrive: return Flow::BarrierPass;
    case OpClass::ClusterWait: return Flow::ClusterWait;
    case OpClass::WarpBarrier:
    case OpClass::Exchange: return Flow::WarpSync;
    case OpClass::Pause:
    case OpClass::MbarrierWait: return Flow::Yield;
    default: return Flow::Next;
  }
}

bool is_global(Space space) { return space == Space::Global || space == Space::Generic; }

class Builder {
 public:
  explicit Builder(Program::Impl& program) : p_(program) {}

  Diagnostics build() {
    lay_out_parameters();
    lay_out_variables();
    p_.code.resize(p_.function.instructions.size());
    note_registers();
    lay_out_registers();
    const Selector select = choose_selector();
    for (size_t pc = 0; pc < p_.code.size(); ++pc) bind(static_cast<int32_t>(pc), select);
    for (DecodedInstruction& branch : p_.code) branch.polls = branch.flow == Flow::Branch && polls(branch);
    p_.file_bytes = next_row_;
    cut_segments();
    mark_waits();
    return std::move(problems_);
  }

 private:
  void lay_out_parameters() {
    uint64_t end = 0;
    for (const ptx::Variable& parameter : p_.function.parameters) {
      end = round_up(end, std::max(1u, parameter.align));
      p_.parameter_offsets.push_back(static_cast<uint32_t>(end));
      end += parameter.bytes;
    }
    p_.parameter_bytes = static_cast<uint32_t>(end);
  }

  void place_shared(const ptx::Variable& variable, uint64_t address) {
    Allocation array;
    array.name = variable.name;
    array.space = Space::Shared;
    array.base = address;
    array.bytes = variable.bytes;
    if (const auto element = elements_.find(&variable); element != elements_.end()) array.element = element->second;
    p_.shared_arrays.push_back(std::move(array));
  }

  // Static arrays in order of declaration, the function's after the module's; dynamic shared memory after all of them,
  // on a multiple of its alignment: the bytes before it are static, as `ptxas -v` counts them.
  void lay_out_variables() {
    uint64_t shared = 0, local = 0;
    elements_ = ptx::shared_elements(p_.module, p_.function);
    const auto place = [&](const ptx::Variable& v) {
      uint64_t& end = v.space == Space::Shared ? shared : local;
      end = round_up(end, std::max(1u, v.align));
      const uint64_t address = end;
      end += v.bytes;
      if (v.space == Space::Shared) place_shared(v, address);
      return address;
    };
    const auto is_dynamic = [](const ptx::Variable& v) { return v.space == Space::Shared && v.is_extern; };
    for (const ptx::Variable& v : p_.module.variables)
      module_addresses_.push_back(v.space == Space::Shared && !is_dynamic(v) ? place(v) : 0);
    for (const ptx::Variable& v : p_.function.variables) p_.variable_addresses.push_back(is_dynamic(v) ? 0 : place(v));
    for (size_t i = 0; i < p_.module.variables.size(); ++i)
      if (is_dynamic(p_.module.variables[i])) module_addresses_[i] = place(p_.module.variables[i]);
    for (size_t i = 0; i < p_.function.variables.size(); ++i)
      if (is_dynamic(p_.function.variables[i])) p_.variable_addresses[i] = place(p_.function.variables[i]);
    p_.static_shared_bytes = static_cast<uint32_t>(shared);
    for (uint32_t offset : p_.parameter_offsets) p_.variable_addresses.push_back(offset);
    if (local > kMostLocalBytes)
      problems_.push_back(
          error(fmt::format("a thread needs {} bytes of local memory; a GPU gives it at most {}. Make its "
                            "local arrays smaller, or put them into global memory.",
                            local, kMostLocalBytes)));
    p_.local_bytes = static_cast<uint32_t>(round_up(local, 16));
  }

  // Which registers each instruction reads and writes, and which must keep their rows: those of calls, which are looked
  // up by name, and what a wgmma writes at the wait that ends it, wherever that is.
  void note_registers() {
    p_.use.reads.resize(p_.code.size());
    p_.use.writes.resize(p_.code.size());
    p_.use.is_kept.resize(p_.function.registers.size());
    for (size_t pc = 0; pc < p_.code.size(); ++pc) {
      const Instruction& i = p_.function.instructions[pc];
      if (i.guard >= 0) p_.use.reads[pc].push_back(i.guard);
      std::vector<int32_t> kept;
      ptx::OperandKinds kinds;
      if (i.op == Op::Call)
        for (const Operand& operand : i.operands) note_registers(operand, kept);
      else if (ptx::operand_kinds(i, kinds))
        for (size_t o = 0; o < kinds.count; ++o)
          note_registers(i.operands[o], ptx::is_destination(kinds.kinds[o]) ? p_.use.writes[pc] : p_.use.reads[pc]);
      if (i.op == Op::WgmmaMma) kept = p_.use.writes[pc];
      for (const int32_t r : kept) p_.use.is_kept[static_cast<size_t>(r)] = true;
    }
  }
  static void note_registers(const Operand& operand, std::vector<int32_t>& list) {
    if (operand.kind == Operand::Kind::Register || (operand.kind == Operand::Kind::Address && operand.index >= 0))
      list.push_back(operand.index);
    for (const Operand& element : operand.elements) note_registers(element, list);
  }

  void lay_out_registers() {
    std::vector<uint8_t> lane_sizes;
    for (const ptx::Register& r : p_.function.registers) lane_sizes.push_back(lane_size_of(r.type));
    const SharedRows shared = share_rows(p_.function, p_.flow, p_.use, lane_sizes);
    const auto end_of_predicates = kFirstPredicate + 4 * uint64_t{shared.count[0]};
    next_row_ = static_cast<uint32_t>(round_up(end_of_predicates, 64));
    sink_row_ = take_row(16);
    std::array<uint32_t, kLaneSizes> begin{kFirstPredicate};
    for (uint32_t size = 1; size < kLaneSizes; ++size) begin[size] = take_row(size * shared.count[size]);
    for (size_t r = 0; r < lane_sizes.size(); ++r) {
      const uint8_t size = lane_sizes[r];
      const uint32_t row_bytes = size == 0 ? 4 : trace::kLanes * size;
      p_.registers.push_back({begin[size] + shared.row[r] * row_bytes, size});
    }
    p_.constants_begin = next_row_;
  }

  uint32_t take_row(uint32_t lane_size) {
    const uint32_t offset = next_row_;
    next_row_ += trace::kLanes * lane_size;
    return offset;
  }

  uint32_t constant(ConstantRow row) {
    const auto key = std::make_tuple(row.kind, row.lane_size, row.bits, row.special, row.component,
                                     row.parameter_offset, row.parameter_bytes, row.sign_extend, row.variable);
    const auto [found, is_new] = constant_rows_.try_emplace(key, 0);
    if (is_new) {
      row.offset = found->second = take_row(row.lane_size);
      p_.constants.push_back(row);
    }
    return found->second;
  }
  uint32_t constant_bits(uint64_t bits, uint8_t lane_size) {
    ConstantRow row;
    row.bits = bits;
    row.lane_size = lane_size;
    return constant(row);
  }

  Space space_of_variable(int32_t index) const { return ptx::variable_of(p_.module, p_.function, index).space; }
  // The row with the address of a variable in its own space, `offset` added.
  uint32_t variable_row(int32_t index, int64_t offset, uint8_t lane_size) {
    const size_t own = p_.variable_addresses.size();
    const auto i = static_cast<size_t>(index);
    if (i < own) return constant_bits(p_.variable_addresses[i] + static_cast<uint64_t>(offset), lane_size);
    const auto module_index = static_cast<int32_t>(i - own - p_.function.returns.size());
    if (space_of_variable(index) == Space::Shared)
      return constant_bits(module_addresses_[static_cast<size_t>(module_index)] + static_cast<uint64_t>(offset),
                           lane_size);
    ConstantRow row;
    row.kind = ConstantRow::Kind::ModuleVariable;
    row.lane_size = lane_size;
    row.variable = module_index;
    row.bits = static_cast<uint64_t>(offset);
    return constant(row);
  }

  uint32_t source_row(const Instruction& i, const Operand& operand, SlotKind kind) {
    const Type type = ptx::operand_type(i, kind);
    const uint8_t lane_size = std::max<uint8_t>(4, lane_size_of(type));
    switch (operand.kind) {
      case Operand::Kind::Register: return p_.registers[static_cast<size_t>(operand.index)].offset;
      case Operand::Kind::Immediate:  // A predicate is one mask of all lanes.
        return constant_bits(type == Type::Pred && operand.bits ? UINT32_MAX : operand.bits, lane_size);
      case Operand::Kind::Variable:
        return variable_row(operand.variable, operand.offset,
                            std::max<uint8_t>(lane_size, kind == SlotKind::V ? 8 : 4));
      case Operand::Kind::Special: {
        ConstantRow row;
        row.kind = ConstantRow::Kind::Special;
        row.special = operand.special;
        p_.is_cooperative |= operand.special == ptx::Special::Envreg1 || operand.special == ptx::Special::Envreg2;
        row.component = operand.component;
        row.lane_size = lane_size;
        return constant(row);
      }
      default: return sink_row_;
    }
  }
  uint32_t destination_row(const Operand& operand, SlotKind kind) {
    if (operand.kind == Operand::Kind::Register) return p_.registers[static_cast<size_t>(operand.index)].offset;
    const bool predicate = kind == SlotKind::Dp || kind == SlotKind::P;
    return predicate ? kPredicateSink : sink_row_;
  }
  uint8_t lane_size(const Operand& operand, Type natural) const {
    if (operand.kind == Operand::Kind::Register) return p_.registers[static_cast<size_t>(operand.index)].lane_size;
    return std::max<uint8_t>(4, lane_size_of(natural));
  }

  // The first address of an instruction; cp.async has a second.
  void bind_address(DecodedInstruction& b, const Operand& operand, int source, bool is_second) {
    uint8_t lane_size = 8;
    if (operand.index >= 0) {
      const RegisterRow& base = p_.registers[static_cast<size_t>(operand.index)];
      b.source[source] = base.offset;
      lane_size = base.lane_size;
    } else {
      b.source[source] = operand.variable >= 0 ? variable_row(operand.variable, 0, 8) : constant_bits(0, 8);
    }
    (is_second ? b.offset2 : b.offset) = operand.offset;
    (is_second ? b.address_size2 : b.address_size) = lane_size;
  }

  // Rows of a vector operand or of a single one.
  const uint32_t* row_list(const Instruction& i, const Operand& operand, SlotKind kind, uint8_t& count) {
    std::vector<const Operand*> elements;
    if (operand.kind == Operand::Kind::Vector)
      for (const Operand& element : operand.elements) elements.push_back(&element);
    else
      elements.push_back(&operand);
    count = static_cast<uint8_t>(elements.size());
    auto rows = std::make_unique<uint32_t[]>(elements.size());
    for (size_t e = 0; e < elements.size(); ++e)
      rows[e] = ptx::is_destination(kind) ? destination_row(*elements[e], kind) : source_row(i, *elements[e], kind);
    p_.row_lists.push_back(std::move(rows));
    return p_.row_lists.back().get();
  }

  void bind(int32_t pc, Selector select) {
    const auto at = static_cast<size_t>(pc);
    const Instruction& i = p_.function.instructions[at];
    DecodedInstruction& b = p_.code[at];
    b.pc = static_cast<uint32_t>(pc);
    b.text = &i;
    b.flow = flow_of(i);
    if (i.guard >= 0) {
      b.guard = p_.registers[static_cast<size_t>(i.guard)].offset;
      b.guard_flip = i.guard_negated ? ~0u : 0;
    }
    if (i.op != Op::Call && !bind_operands(i, b)) return refuse(i, "has operands that do not fit it");
    bind_memory(i, b);
    bind_special_cases(i, b);
    if (!b.run) b.run = select(i, b);
    if (!b.run) refuse(i, "is a form of that instruction which Tilescope does not execute");
    if (ptx::class_of(i.op) == OpClass::Atomic && is_global(b.space)) p_.blocks_interact = true;
  }

  bool bind_operands(const Instruction& i, DecodedInstruction& b) {
    ptx::OperandKinds kinds;
    if (!ptx::operand_kinds(i, kinds)) return false;
    if (ptx::class_of(i.op) == OpClass::BulkCopy) return bind_bulk_copy(i, kinds, b);
    if (i.op == Op::WgmmaMma) return bind_wide_product(i, b);
    int sources = 0, destinations = 0, addresses = 0;
    for (size_t o = 0; o < kinds.count; ++o) {
      const Operand& operand = i.operands[o];
      const SlotKind kind = kinds.kinds[o];
      if (ptx::is_destination(kind))
        bind_destination(i, b, operand, kind, destinations++);
      else if (kind == SlotKind::M)
        bind_address(b, operand, sources++, addresses++ > 0);
      else if (kind == SlotKind::L)
        b.target = operand.index;
      else if (kind == SlotKind::T)
        b.target = operand.index;
      else if (kind == SlotKind::K)
        continue;
      else if (kind == SlotKind::Fa)
        bind_fragments(i, b);
      else if (kind == SlotKind::Fb || (kind == SlotKind::Fc && i.op != Op::WmmaStoreD))
        continue;
      else if (kind == SlotKind::Fc)
        b.source_rows = row_list(i, operand, kind, b.source_count);
      else if (kind == SlotKind::Av)
        bind_vector_source(i, b, operand, kind, sources);
      else if (!bind_source(i, b, operand, kind, sources))
        return false;
    }
    return true;
  }

  // The shared side is the first address of a copy into shared memory, and the second of one out of it.
  bool bind_bulk_copy(const Instruction& i, const ptx::OperandKinds& kinds, DecodedInstruction& b) {
    auto operands = std::make_unique<BulkOperands>();
    std::vector<OperandRow> addresses;
    for (size_t o = 0; o < kinds.count; ++o) {
      const Operand& operand = i.operands[o];
      if (kinds.kinds[o] == SlotKind::M || kinds.kinds[o] == SlotKind::X) addresses.push_back(address_row(operand));
      if (kinds.kinds[o] == SlotKind::U) operands->bytes = {source_row(i, operand, SlotKind::U)};
      if (kinds.kinds[o] == SlotKind::H) operands->blocks = {source_row(i, operand, SlotKind::H)};
      for (const Operand& coordinate : operand.elements)
        operands->coordinates.push_back({source_row(i, coordinate, SlotKind::U)});
    }
    if (addresses.size() != (i.bulk_group ? 2u : 3u) || i.multicast != (operands->blocks.row != 0)) return false;
    operands->shared = addresses[i.bulk_group ? 1 : 0];
    operands->global = addresses[i.bulk_group ? 0 : 1];
    if (!i.bulk_group) operands->barrier = addresses[2];
    b.bulk = operands.get();
    p_.bulk_operands.push_back(std::move(operands));
    return true;
  }
  bool bind_wide_product(const Instruction& i, DecodedInstruction& b) {
    auto operands = std::make_unique<WideOperands>();
    const auto immediate = [&](size_t o) {
      return o < i.operands.size() ? static_cast<int32_t>(i.operands[o].bits) : 0;
    };
    bind_destination(i, b, i.operands[0], SlotKind::Fd, 0);
    const bool from_registers = i.operands[1].kind == Operand::Kind::Vector;
    for (const Operand& element : i.operands[1].elements)
      operands->a_rows.push_back(source_row(i, element, SlotKind::Fa));
    if (!from_registers) operands->a = {source_row(i, i.operands[1], SlotKind::W), 8};
    operands->b = {source_row(i, i.operands[2], SlotKind::W), 8};
    const Operand& adds = i.operands[3];
    operands->adds = source_row(i, adds, SlotKind::P);
    operands->adds_flip = adds.negated ? ~0u : 0;
    operands->scale = static_cast<float>(immediate(4) * immediate(5));
    operands->transposes_a = !from_registers && immediate(6) != 0;
    operands->transposes_b = immediate(from_registers ? 6 : 7) != 0;
    b.wide = operands.get();
    p_.wide_operands.push_back(std::move(operands));
    return true;
  }
  OperandRow address_row(const Operand& operand) {
    DecodedInstruction bound;
    bind_address(bound, operand, 0, false);
    return {bound.source[0], bound.address_size, bound.offset};
  }

  void bind_destination(const Instruction& i, DecodedInstruction& b, const Operand& operand, SlotKind kind,
                        int number) {
    if (number > 0) {
      b.destination2 = operand.kind == Operand::Kind::Sink ? 0 : destination_row(operand, SlotKind::Dp);
      return;
    }
    b.lane_size = lane_size(operand.kind == Operand::Kind::Vector ? operand.elements.front() : operand,
                            ptx::operand_type(i, kind));
    if (kind == SlotKind::Dv || kind == SlotKind::Fd) b.rows = row_list(i, operand, kind, b.vector);
    b.destination =
        operand.kind == Operand::Kind::Vector ? b.rows[0] : destination_row(operand, predicate_kind(i, kind));
  }
  // vote.sync.pred and mov.pred write a predicate although their slot allows any type.
  static SlotKind predicate_kind(const Instruction& i, SlotKind kind) {
    return ptx::operand_type(i, kind) == Type::Pred ? SlotKind::Dp : kind;
  }

  void bind_vector_source(const Instruction& i, DecodedInstruction& b, const Operand& operand, SlotKind kind,
                          int& sources) {
    b.source_rows = row_list(i, operand, kind, b.source_count);
    b.source[sources++] = b.source_rows[0];
    if (i.op == Op::Mov) return;
    b.vector = b.source_count;
    b.lane_size = lane_size(operand.kind == Operand::Kind::Vector ? operand.elements.front() : operand, i.type);
  }

  // mma: the rows of A's fragment, then of B's and C's.
  void bind_fragments(const Instruction& i, DecodedInstruction& b) {
    Operand all;
    all.kind = Operand::Kind::Vector;
    for (size_t o = 1; o < i.operands.size(); ++o) {
      const Operand& fragment = i.operands[o];
      if (fragment.kind == Operand::Kind::Vector)
        all.elements.insert(all.elements.end(), fragment.elements.begin(), fragment.elements.end());
      else
        all.elements.push_back(fragment);
    }
    b.source_rows = row_list(i, all, SlotKind::Fa, b.source_count);
  }

  bool bind_source(const Instruction& i, DecodedInstruction& b, const Operand& operand, SlotKind kind, int& sources) {
    if (kind == SlotKind::P) {
      b.flip_predicate = operand.negated;
      if (operand.kind == Operand::Kind::Immediate) b.flip_predicate ^= operand.bits == 0;
    }
    if (sources == 4) {  // lop3 d|p: the predicate takes the table's row.
      b.offset = static_cast<int64_t>(i.operands[i.operands.size() - 2].bits);
      sources = 3;
    }
    const bool always = kind == SlotKind::P && operand.kind == Operand::Kind::Immediate;
    if (i.op == Op::Cvt && sources == 0) b.address_size = lane_size(operand, i.source_type);
    b.source[sources++] = always ? 0 : source_row(i, operand, kind);
    return true;
  }

  void bind_memory(const Instruction& i, DecodedInstruction& b) {
    b.space = i.space;
    b.is_volatile = i.is_volatile;
    b.size = static_cast<uint8_t>(ptx::size_of(i.type));
    switch (i.op) {
      case Op::Ld:
      case Op::Ldu:
        b.access = trace::AccessKind::Load;
        b.sign_extend = ptx::is_signed(i.type);
        break;
      case Op::WmmaLoadA:
      case Op::WmmaLoadB:
      case Op::WmmaLoadC: b.access = trace::AccessKind::Load; break;
      case Op::WmmaStoreD:
      case Op::St: b.access = trace::AccessKind::Store; break;
      case Op::Atom: b.access = trace::AccessKind::Atomic; break;
      case Op::Red: b.access = trace::AccessKind::Reduction; break;
      default: return;
    }
    if (i.space == Space::None) b.space = Space::Generic;
    if (i.op == Op::Ld && i.space == Space::Param) bind_parameter_load(i, b);
    if (i.space == Space::Param && !b.run) b.space = is_entry_parameter(i) ? Space::Param : Space::Local;
  }

  bool is_entry_parameter(const Instruction& i) const {
    for (const Operand& operand : i.operands)
      if (operand.kind == Operand::Kind::Address)
        return operand.variable < 0 || static_cast<size_t>(operand.variable) >= p_.function.variables.size();
    return false;
  }

  // A kernel parameter at a constant offset is a constant of the launch.
  void bind_parameter_load(const Instruction& i, DecodedInstruction& b) {
    const Operand& address = i.operands[1];
    if (!is_entry_parameter(i) || address.index >= 0 || address.variable < 0 || b.vector != 1 || b.size > 8) return;
    ConstantRow row;
    row.kind = ConstantRow::Kind::Parameter;
    row.lane_size = b.lane_size;
    row.parameter_offset = static_cast<uint32_t>(p_.variable_addresses[static_cast<size_t>(address.variable)] +
                                                 static_cast<uint64_t>(address.offset));
    row.parameter_bytes = b.size;
    row.sign_extend = b.sign_extend;
    if (row.parameter_offset + row.parameter_bytes > p_.parameter_bytes) return;
    b.source[0] = constant(row);
    b.run = &copy_lanes;
  }

  void bind_special_cases(const Instruction& i, DecodedInstruction& b) {
    if (i.op == Op::Cvta) bind_address_conversion(i, b);
    if (i.shape.m > 0 && i.op != Op::WgmmaMma) {
      p_.fragments.push_back(std::make_unique<ptx::FragmentPlaces>(ptx::fragment_places(i)));
      b.fragments = p_.fragments.back().get();
    }
    if (i.op == Op::Bra || i.op == Op::BrxIdx) b.reconverge = reconvergence(static_cast<int32_t>(b.pc));
    if (i.op == Op::CpAsync) {
      b.size = static_cast<uint8_t>(i.operands[2].bits);
      b.ignore_source = i.operands.size() > 3 && i.operands[3].kind == Operand::Kind::Register &&
                        p_.function.registers[static_cast<size_t>(i.operands[3].index)].type == Type::Pred;
    }
  }

  bool polls(const DecodedInstruction& branch) const {
    for (auto pc = static_cast<size_t>(std::max(0, branch.target)); pc <= branch.pc; ++pc) {
      const Instruction& i = p_.function.instructions[pc];
      if (i.is_volatile || i.atomic == ptx::AtomicOp::Cas || i.atomic == ptx::AtomicOp::Exch || only_reads(i))
        return true;
    }
    return false;
  }

  /// atomicAdd(p, 0), as a read is often written.
  static bool only_reads(const Instruction& i) {
    return i.op == Op::Atom && (i.atomic == ptx::AtomicOp::Add || i.atomic == ptx::AtomicOp::Or) &&
           i.operands[2].kind == Operand::Kind::Immediate && i.operands[2].bits == 0;
  }

  void mark_waits() {
    const auto acts = [](const DecodedInstruction& b) {
      return ptx::class_of(b.text->op) == OpClass::Store || b.text->op == Op::Red || b.text->op == Op::Call ||
             b.flow == Flow::Barrier;
    };
    for (const DecodedInstruction& branch : p_.code) {
      if (!branch.polls) continue;
      const std::span loop(&p_.code[static_cast<size_t>(branch.target)], &branch);
      const bool reads = std::ranges::any_of(loop, [](const DecodedInstruction& b) {
        return is_global(b.space) && (b.is_volatile || ptx::class_of(b.text->op) == OpClass::Atomic);
      });
      if (!reads || std::ranges::any_of(loop, acts)) continue;
      p_.blocks_interact = true;
      for (Segment& segment : p_.segments)
        segment.waits |= segment.first >= branch.target && segment.last <= static_cast<int32_t>(branch.pc);
    }
  }

  // Paths that only meet to exit need not wait for each other: nothing may wait for a lane that has exited.
  int32_t reconvergence(int32_t pc) const {
    const int32_t place = p_.flow.reconvergence(pc);
    if (place < 0) return -1;
    const Instruction& there = p_.function.instructions[static_cast<size_t>(place)];
    return flow_of(there) == Flow::Exit && there.guard < 0 ? -1 : place;
  }

  void bind_address_conversion(const Instruction& i, DecodedInstruction& b) {
    uint64_t window = 0;
    if (i.space == Space::Shared) window = kSharedWindow;
    if (i.space == Space::Local) window = kLocalWindow;
    if (i.space == Space::Param) window = kParamWindow;
    b.offset = static_cast<int64_t>(window);
    b.source[1] = constant_bits(i.to_space ? ~window + 1 : window, lane_size_of(i.type));
  }

  void refuse(const Instruction& i, std::string_view what) {
    problems_.push_back(problem_with(p_.module, i, fmt::format("`{}{}` {}.", ptx::mnemonic(i.op), i.modifiers, what)));
  }

  void cut_segments() {
    const auto count = static_cast<int32_t>(p_.code.size());
    std::vector<bool> begins(static_cast<size_t>(count) + 1, false);
    for (const ptx::BasicBlock& block : p_.flow.blocks) begins[static_cast<size_t>(block.first)] = true;
    // Lanes that go on without those that poll wait for them before the next barrier.
    const bool some_poll = std::ranges::any_of(p_.code, &DecodedInstruction::polls);
    for (int32_t pc = 0; pc < count; ++pc) {
      const DecodedInstruction& b = p_.code[static_cast<size_t>(pc)];
      if (some_poll && (b.flow == Flow::Barrier || b.flow == Flow::BarrierPass)) begins[static_cast<size_t>(pc)] = true;
      if (b.flow != Flow::Next) begins[static_cast<size_t>(pc) + 1] = true;
      const bool guard_can_split = b.guard && b.flow != Flow::Next && b.flow != Flow::Branch && b.flow != Flow::Exit;
      if (guard_can_split || b.flow == Flow::WarpSync || b.flow == Flow::ClusterWait)
        begins[static_cast<size_t>(pc)] = true;
    }
    p_.segment_of.assign(static_cast<size_t>(count), -1);
    for (int32_t pc = 0; pc < count; ++pc) {
      if (pc == 0 || begins[static_cast<size_t>(pc)]) {
        p_.segment_of[static_cast<size_t>(pc)] = static_cast<int32_t>(p_.segments.size());
        p_.segments.push_back({pc, pc, false});
      }
      p_.segments.back().last = pc;
    }
  }

  Program::Impl& p_;
  Diagnostics problems_;
  uint32_t next_row_ = 0, sink_row_ = 0;
  std::vector<uint64_t> module_addresses_;  // Of the module's shared variables.
  std::map<const ptx::Variable*, Element> elements_;
  std::map<std::tuple<ConstantRow::Kind, uint8_t, uint64_t, ptx::Special, uint8_t, uint32_t, uint8_t, bool, int32_t>,
           uint32_t>
      constant_rows_;
};

}  // namespace

Program::Program() : impl_(std::make_unique<Impl>()) {}
Program::~Program() = default;

Result<std::shared_ptr<const Program>> Program::build(const ptx::Module& module, std::string_view entry, Dim3 cluster) {
  Result<ptx::Function> flat = ptx::flatten(module, entry);
  if (!flat) return flat.errors();
  std::shared_ptr<Program> program(new Program());
  program->impl_->module = module;
  program->impl_->function = std::move(*flat);
  if (cluster.count() > 0) program->impl_->function.cluster = {cluster.x, cluster.y, cluster.z};
  program->impl_->flow = ptx::control_flow(program->impl_->function);
  Diagnostics problems = Builder(*program->impl_).build();
  if (has_errors(problems)) return problems;
  return std::shared_ptr<const Program>(std::move(program));
}

const ptx::Function& Program::function() const { return impl_->function; }
const ptx::Module& Program::module() const { return impl_->module; }
const std::vector<uint32_t>& Program::parameter_offsets() const { return impl_->parameter_offsets; }
uint32_t Program::parameter_bytes() const { return impl_->parameter_bytes; }
const std::vector<Allocation>& Program::shared_arrays() const { return impl_->shared_arrays; }
uint32_t Program::static_shared_bytes() const { return impl_->static_shared_bytes; }
bool Program::blocks_interact() const { return impl_->blocks_interact; }
bool Program::is_cooperative() const { return impl_->is_cooperative; }
Dim3 Program::cluster() const {
  const auto [x, y, z] = impl_->function.cluster;
  return {std::max(x, 1u), std::max(y, 1u), std::max(z, 1u)};
}

namespace {

bool is_in_memory(const ptx::Variable& v) { return v.space == Space::Global || v.space == Space::Const; }

void write_initial_values(const ptx::Module& module, const ptx::Variable& v, GlobalMemory& memory,
                          std::span<std::byte> bytes) {
  std::memcpy(bytes.data(), v.initial.data(), std::min(v.initial.size(), bytes.size()));
  for (const ptx::AddressInitial& initial : v.initial_addresses) {
    const bool is_function = initial.function >= 0;
    const bool in_memory =
        initial.variable >= 0 && is_in_memory(module.variables[static_cast<size_t>(initial.variable)]);
    if (!(in_memory || is_function) || initial.offset + 8 > bytes.size()) continue;
    const uint64_t address = (is_function ? ptx::function_address(module, initial.function)
                                          : module_variable_address(module, memory, initial.variable)) +
                             static_cast<uint64_t>(initial.addend);
    std::memcpy(bytes.data() + initial.offset, &address, sizeof address);
  }
}

}  // namespace

std::vector<Allocation> module_variables(const ptx::Module& module) {
  std::vector<Allocation> variables;
  for (const ptx::Variable& v : module.variables)
    if (is_in_memory(v)) variables.push_back({v.name, v.space, 0, v.bytes, Element::Byte, {}});
  return variables;
}

void initialise_module_variables(const ptx::Module& module, GlobalMemory& memory) {
  auto index = static_cast<int>(memory.allocations().size() - module_variables(module).size());
  for (const ptx::Variable& v : module.variables)
    if (is_in_memory(v)) write_initial_values(module, v, memory, memory.bytes(index++));
}

Result<std::monostate> place_module_variables(const Program& program, GlobalMemory& memory) {
  for (Allocation& allocation : module_variables(program.module())) {
    const Result<uint64_t> base = memory.allocate(std::move(allocation), 0);
    if (!base) return base.errors();
  }
  initialise_module_variables(program.module(), memory);
  return std::monostate{};
}

uint64_t module_variable_address(const ptx::Module& module, const GlobalMemory& memory, int32_t variable) {
  // They were placed last, in order, so count from the end.
  const auto after = std::count_if(module.variables.begin() + variable, module.variables.end(), is_in_memory);
  return memory.allocations()[memory.allocations().size() - static_cast<size_t>(after)].base;
}

}  // namespace tilescope::emulator
