#include "sass/sass.h"

#include <gelf.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace tilescope::sass {
namespace {

constexpr size_t kInstructionBytes = 16;
constexpr uint64_t kNoRegister = 0xff;
constexpr std::string_view kTextPrefix = ".text.";

struct ElfDeleter {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfDeleter>;

/// An opcode's low nine bits; the next three say only which operand is a register, an immediate or a constant.
struct Opcode {
  uint32_t bits;
  std::string_view name;
  bool has_width;
};

/// Found by assembling PTX of known meaning and width with CUDA 13.0's ptxas for sm_75, sm_80, sm_86, sm_89 and sm_90.
constexpr std::array kOpcodes = {
    Opcode{0x020, "FMUL", false},     Opcode{0x021, "FADD", false},  Opcode{0x023, "FFMA", false},
    Opcode{0x03b, "LDSM", false},     Opcode{0x11d, "BAR", false},   Opcode{0x180, "LD", true},
    Opcode{0x181, "LDG", true},       Opcode{0x183, "LDL", true},    Opcode{0x184, "LDS", true},
    Opcode{0x185, "ST", true},        Opcode{0x186, "STG", true},    Opcode{0x187, "STL", true},
    Opcode{0x188, "STS", true},       Opcode{0x189, "SHFL", false},  Opcode{0x18a, "ATOM", false},
    Opcode{0x18b, "ATOM.CAS", false}, Opcode{0x18c, "ATOMS", false}, Opcode{0x18d, "ATOMS.CAS", false},
    Opcode{0x18e, "RED", false},      Opcode{0x1a8, "ATOMG", false}, Opcode{0x1a9, "ATOMG.CAS", false},
    Opcode{0x1ae, "LDGSTS", true},
};

/// Bits 73 to 75 of a memory instruction.
constexpr std::array<std::string_view, 8> kWidths = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".?"};

std::optional<std::string> mnemonic_of(const unsigned char* instruction) {
  uint64_t low = 0, high = 0;
  std::memcpy(&low, instruction, sizeof low);
  std::memcpy(&high, instruction + sizeof low, sizeof high);
  for (const Opcode& opcode : kOpcodes) {
    if ((low & 0x1ff) != opcode.bits) continue;
    // From sm_80 on ptxas puts loads of shared memory into no register (RZ) in front of cp.async.
    if (opcode.name == "LDS" && (low >> 16 & 0xff) == kNoRegister) return std::nullopt;
    const std::string_view width = opcode.has_width ? kWidths[high >> 9 & 7] : "";
    return std::string(opcode.name).append(width);
  }
  return std::nullopt;
}

Kernel read_kernel(std::string name, const Elf_Data& text) {
  Kernel kernel;
  kernel.name = std::move(name);
  const auto* bytes = static_cast<const unsigned char*>(text.d_buf);
  kernel.instructions = static_cast<uint32_t>(text.d_size / kInstructionBytes);
  for (uint32_t i = 0; i < kernel.instructions; ++i) {
    const auto offset = static_cast<uint32_t>(i * kInstructionBytes);
    if (auto mnemonic = mnemonic_of(bytes + offset)) kernel.listed.push_back({offset, std::move(*mnemonic)});
  }
  return kernel;
}

/// The section's kernel; nullopt if the section holds no machine code.
std::optional<Kernel> kernel_in(Elf* elf, Elf_Scn* section, size_t name_table) {
  GElf_Shdr header;
  if (!gelf_getshdr(section, &header)) return std::nullopt;
  const char* name = elf_strptr(elf, name_table, header.sh_name);
  if (!name || !std::string_view(name).starts_with(kTextPrefix)) return std::nullopt;
  const Elf_Data* text = elf_rawdata(section, nullptr);
  if (!text || !text->d_buf) return std::nullopt;
  return read_kernel(name + kTextPrefix.size(), *text);
}

bool is_cubin(Elf* elf) {
  GElf_Ehdr header;
  return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) && gelf_getclass(elf) == ELFCLASS64 &&
         header.e_machine == EM_CUDA;
}

}  // namespace

Summary summarise(const Kernel& kernel) {
  Summary summary;
  for (const Instruction& instruction : kernel.listed) ++summary[instruction.mnemonic];
  return summary;
}

Result<std::vector<Kernel>> read_cubin(std::string_view cubin) {
  elf_version(EV_CURRENT);
  std::string copy(cubin);  // libelf takes writable memory
  const ElfHandle elf(elf_memory(copy.data(), copy.size()));
  if (!elf || !is_cubin(elf.get()))
    return error(
        "This is not a cubin (a 64-bit ELF file for the CUDA machine); compile with ptxas or NVRTC to get one.");
  size_t name_table = 0;
  if (elf_getshdrstrndx(elf.get(), &name_table) != 0)
    return error("The cubin is damaged: its section names cannot be read. Compile the kernel again.");
  std::vector<Kernel> kernels;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section; section = elf_nextscn(elf.get(), section))
    if (auto kernel = kernel_in(elf.get(), section, name_table)) kernels.push_back(std::move(*kernel));
  if (kernels.empty()) return error("The cubin holds no kernel; check that the source has a __global__ function.");
  return kernels;
}

}  // namespace tilescope::sass
