// Functions that device code calls and no module defines: printf, assert, malloc and free.

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/printf.h>

#include "emulator/block.h"
#include "emulator/scalar.h"

namespace tilescope::emulator {
namespace {

using ptx::Operand;
using trace::kLanes;

constexpr size_t kPrintLimit = size_t{1} << 20;  // CUDA's buffer, of the whole device.
constexpr std::string_view kCutOff = "\n[tilescope: the rest of what the kernel prints is left out]\n";

template <class F>
void for_each_lane(uint32_t lanes, F&& f) {
  for (; lanes; lanes &= lanes - 1) f(static_cast<uint32_t>(std::countr_zero(lanes)));
}

// Bytes at a generic address of the lane; zeros where there is no memory.
uint64_t read_generic(Warp& warp, const DecodedInstruction& in, uint64_t address, uint32_t lane, uint32_t bytes) {
  const Place place = place_of(warp, in.pc, Space::Generic, address, lane, bytes);
  return place.host ? static_cast<uint64_t>(read_memory(place.host, bytes, false)) : 0;
}

std::string read_string(Warp& warp, const DecodedInstruction& in, uint64_t address, uint32_t lane) {
  std::string text;
  while (text.size() < 4096) {
    const auto c = static_cast<char>(read_generic(warp, in, address + text.size(), lane, 1));
    if (c == 0) break;
    text += c;
  }
  return text;
}

// The value of the n-th argument of the call: a variable in parameter space.
uint64_t argument(Warp& warp, const DecodedInstruction& in, size_t n, uint32_t lane, uint32_t bytes) {
  bool after_name = false;
  for (const Operand& operand : in.text->operands) {
    if (operand.kind == Operand::Kind::Function) after_name = true;
    if (!after_name || operand.kind != Operand::Kind::Vector || n >= operand.elements.size()) continue;
    const Operand& element = operand.elements[n];
    if (element.kind == Operand::Kind::Register)
      return read_lane(warp.file + warp.block->program.registers[static_cast<size_t>(element.index)].offset, bytes,
                       lane);
    if (element.variable < 0) return 0;
    const uint64_t address = warp.block->program.variable_addresses[static_cast<size_t>(element.variable)];
    return read_generic(warp, in, kLocalWindow + address, lane, bytes);
  }
  return 0;
}

// Reads printf's arguments in order, each aligned to its size.
class Arguments {
 public:
  Arguments(Warp& warp, const DecodedInstruction& in, uint64_t buffer, uint32_t lane)
      : warp_(warp), in_(in), next_(buffer), lane_(lane) {}
  uint64_t take(uint32_t bytes) {
    next_ = (next_ + bytes - 1) / bytes * bytes;
    const uint64_t value = read_generic(warp_, in_, next_, lane_, bytes);
    next_ += bytes;
    ++taken_;
    return value;
  }
  uint32_t taken() const { return taken_; }

 private:
  Warp& warp_;
  const DecodedInstruction& in_;
  uint64_t next_;
  uint32_t lane_;
  uint32_t taken_ = 0;
};

std::string format_one(Warp& warp, const DecodedInstruction& in, const std::string& spec, Arguments& arguments,
                       uint32_t lane) {
  const char type = spec.back();
  const bool is_long = spec.find_first_of("lzjt") != std::string::npos;
  std::string plain;  // Widths and flags, without the length letters that fmt would read differently.
  for (char c : spec)
    if (std::strchr("hlzjt", c) == nullptr) plain += c;
  switch (type) {
    case 'd':
    case 'i':
      return fmt::sprintf(plain,
                          is_long ? static_cast<int64_t>(arguments.take(8)) : static_cast<int32_t>(arguments.take(4)));
    case 'u':
    case 'x':
    case 'X':
    case 'o': return fmt::sprintf(plain, is_long ? arguments.take(8) : arguments.take(4));
    case 'c': return std::string(1, static_cast<char>(arguments.take(4)));
    case 's': return fmt::sprintf(plain, read_string(warp, in, arguments.take(8), lane));
    case 'p': return fmt::format("0x{:x}", arguments.take(8));
    default: return fmt::sprintf(plain, std::bit_cast<double>(arguments.take(8)));
  }
}

std::string formatted(Warp& warp, const DecodedInstruction& in, const std::string& format, Arguments& arguments,
                      uint32_t lane) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      text += format[++i];
      continue;
    }
    const size_t end = format.find_first_of("diuxXocspeEfFgGaA", i + 1);
    if (end == std::string::npos || end - i > 16 || format.find('*', i) < end) return text + format.substr(i);
    text += format_one(warp, in, format.substr(i, end - i + 1), arguments, lane);
    i = end;
  }
  return text;
}

// Prints for one lane. Returns the number of arguments used, as vprintf does.
uint32_t print(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lane) {
  if (block.printed.size() >= kPrintLimit) return 0;
  const std::string format = read_string(warp, in, argument(warp, in, 0, lane, 8), lane);
  Arguments arguments(warp, in, argument(warp, in, 1, lane, 8), lane);
  try {
    block.printed += formatted(warp, in, format, arguments, lane);
  } catch (const fmt::format_error&) {
    block.printed += format;
  }
  if (block.printed.size() > kPrintLimit) {
    const size_t line = block.printed.rfind('\n', kPrintLimit);
    block.printed.resize(line == std::string::npos ? kPrintLimit : line);
    block.printed += kCutOff;
    block.printed.resize(std::max(block.printed.size(), kPrintLimit), '\n');
  }
  return arguments.taken();
}

// Stores what a function returns, `size` bytes of each result, in the call's result parameter in the thread's frame.
void return_values(Warp& warp, const DecodedInstruction& in, uint32_t lanes, const uint64_t* results, uint8_t size) {
  const Operand& place = in.text->operands.front();
  if (place.kind != Operand::Kind::Vector || place.elements.empty() || place.elements[0].variable < 0) return;
  const uint64_t address = warp.block->program.variable_addresses[static_cast<size_t>(place.elements[0].variable)];
  uint64_t addresses[kLanes];
  uint8_t values[kLanes][16] = {};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = address;
    std::memcpy(values[lane], &results[lane], size);
    if (!(lanes >> lane & 1)) continue;
    const Place frame = place_of(warp, in.pc, Space::Local, address, lane, size);
    if (frame.host) std::memcpy(frame.host, &results[lane], size);
  }
  if (!warp.observer) return;
  DecodedInstruction store = in;
  store.access = trace::AccessKind::Store;
  store.space = Space::Local;
  store.size = size;
  store.vector = 1;
  publish(warp, store, lanes, addresses, values);
}

void fail_assertion(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lanes) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  const auto text = [&](size_t n) { return read_string(warp, in, argument(warp, in, n, lane, 8), lane); };
  block.trapped = true;
  block.fault(warp, trace::FaultKind::Trap, in.pc, lanes, lanes,
              Message("assertion `{}` failed at {}:{}", text(0), text(1), argument(warp, in, 2, lane, 4)));
}

void print_all(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lanes) {
  uint64_t results[kLanes] = {};
  for_each_lane(lanes, [&](uint32_t lane) { results[lane] = print(block, warp, in, lane); });
  return_values(warp, in, lanes, results, 4);
}

void allocate(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lanes) {
  uint64_t results[kLanes] = {};
  for_each_lane(lanes,
                [&](uint32_t lane) { results[lane] = block.memory.heap_allocate(argument(warp, in, 0, lane, 8)); });
  return_values(warp, in, lanes, results, 8);
}

void release_memory(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lanes) {
  for_each_lane(lanes, [&](uint32_t lane) {
    const uint64_t address = argument(warp, in, 0, lane, 8);
    if (address == 0 || block.trapped || block.memory.heap_free(address)) return;
    block.trapped = true;
    block.fault(warp, trace::FaultKind::Trap, in.pc, lanes, 1u << lane,
                Message("free() of 0x{:x}, which malloc() did not give or which is free already", address));
  });
  // The allocation that an instruction last touched may be gone.
  std::fill_n(warp.global, block.program.code.size(), Window{});
}

}  // namespace

void system_call(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lanes) {
  std::string name;
  for (const Operand& operand : in.text->operands)
    if (operand.kind == Operand::Kind::Function)
      name = block.program.module.functions[static_cast<size_t>(operand.index)].name;
  if (name == "__assertfail") return fail_assertion(block, warp, in, lanes);
  if (name == "vprintf") return print_all(block, warp, in, lanes);
  if (name == "malloc") return allocate(block, warp, in, lanes);
  if (name == "free") return release_memory(block, warp, in, lanes);
}

}  // namespace tilescope::emulator
