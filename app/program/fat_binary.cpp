#include "program/fat_binary.h"

#include <algorithm>

#include <elf.h>
#include <lz4.h>
#include <zstd.h>

#include "base/elf.h"

namespace tilescope::program {
namespace {

constexpr uint32_t kMagic = 0xba55ed50;
constexpr uint64_t kMostBytes = uint64_t{256} << 20;  // Of one image, uncompressed.
constexpr uint16_t kPtxKind = 1, kCubinKind = 2;
constexpr uint64_t kLz4Flag = 0x2000, kZstdFlag = 0x8000;

struct ContainerHeader {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;  // Of the entries that follow.
};

struct EntryHeader {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t padded_bytes;      // To the next entry, from the end of this header.
  uint32_t compressed_bytes;  // 0 if it is not compressed.
  uint32_t options_offset;
  uint16_t minor, major;
  uint32_t capability;
  uint32_t name_offset, name_bytes;
  uint64_t flags, unused, uncompressed_bytes;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 64);

Diagnostic cut_short() {
  return error(Message("The fat binary of the program is cut short or corrupt; build the program again."));
}

/// Whether the payload can decompress to that many bytes: checked before they are allocated.
bool may_hold(const EntryHeader& header, std::string_view payload) {
  constexpr uint64_t kMostLz4Ratio = 255;  // By its format, which adds 255 to a length with each byte.
  constexpr uint64_t kMostRatio = 4096;
  uint64_t ratio = kMostLz4Ratio;
  if (header.flags & kZstdFlag) {
    const unsigned long long told = ZSTD_getFrameContentSize(payload.data(), payload.size());
    if (told != ZSTD_CONTENTSIZE_UNKNOWN) return told == header.uncompressed_bytes;
    ratio = kMostRatio;
  }
  return header.uncompressed_bytes / ratio <= header.compressed_bytes;
}

Result<std::string> uncompressed(const EntryHeader& header, std::string_view payload) {
  if (!(header.flags & (kLz4Flag | kZstdFlag))) return std::string(payload);
  if (header.uncompressed_bytes > kMostBytes || header.compressed_bytes > payload.size()) return cut_short();
  payload = payload.substr(0, header.compressed_bytes);
  if (!may_hold(header, payload)) return cut_short();
  std::string bytes(header.uncompressed_bytes, '\0');
  if (header.flags & kZstdFlag) {
    const size_t got = ZSTD_decompress(bytes.data(), bytes.size(), payload.data(), payload.size());
    if (ZSTD_isError(got) || got != bytes.size()) return cut_short();
    return bytes;
  }
  const int got = LZ4_decompress_safe(payload.data(), bytes.data(), static_cast<int>(payload.size()),
                                      static_cast<int>(bytes.size()));
  if (got < 0 || static_cast<size_t>(got) != bytes.size()) return cut_short();
  return bytes;
}

}  // namespace

Result<std::vector<Image>> read_fat_binary(std::string_view bytes) {
  const auto container = value_at<ContainerHeader>(bytes, 0);
  if (container.magic != kMagic)
    return error(Message("The program registers device code that is not a fat binary; build it with nvcc."));
  std::string_view rest = part_of(bytes, container.header_bytes, container.bytes);
  if (container.header_bytes < sizeof container || rest.size() < container.bytes) return cut_short();
  std::vector<Image> images;
  while (!rest.empty()) {
    const auto header = value_at<EntryHeader>(rest, 0);
    if (header.header_bytes < sizeof header || header.header_bytes > rest.size() ||
        header.padded_bytes > rest.size() - header.header_bytes)
      return cut_short();
    const std::string_view payload = rest.substr(header.header_bytes, header.padded_bytes);
    rest.remove_prefix(header.header_bytes + header.padded_bytes);
    if (header.kind != kPtxKind && header.kind != kCubinKind) continue;
    Result<std::string> plain = uncompressed(header, payload);
    if (!plain) return plain.errors();
    const bool is_ptx = header.kind == kPtxKind;
    if (is_ptx) plain->resize(std::min(plain->size(), plain->find('\0')));
    images.push_back({is_ptx ? Image::Kind::Ptx : Image::Kind::Cubin, header.capability, std::move(*plain)});
  }
  return images;
}

const Image* ptx_for(const std::vector<Image>& images, uint32_t capability) {
  const Image* best = nullptr;
  for (const Image& image : images)
    if (image.kind == Image::Kind::Ptx && image.capability <= capability &&
        (!best || image.capability > best->capability))
      best = &image;
  return best;
}

std::map<std::string, uint32_t> registers_of(std::string_view cubin) {
  constexpr uint8_t kSizedFormat = 4, kRegisterCount = 0x2f;  // EIFMT_SVAL, EIATTR_REGCOUNT
  const std::vector<ElfSection> sections = elf_sections(cubin);
  std::map<std::string, uint32_t> registers;
  for (const ElfSection& info : sections) {
    if (info.name != ".nv.info" || info.link >= sections.size()) continue;
    const ElfSection& symbols = sections[info.link];
    const std::string_view names = symbols.link < sections.size() ? sections[symbols.link].bytes : std::string_view();
    for (size_t at = 0; at + 4 <= info.bytes.size();) {
      const auto format = value_at<uint8_t>(info.bytes, at), attribute = value_at<uint8_t>(info.bytes, at + 1);
      const auto size = value_at<uint16_t>(info.bytes, at + 2);
      if (format == kSizedFormat && attribute == kRegisterCount) {
        const auto symbol = value_at<uint32_t>(info.bytes, at + 4);
        const auto entry = value_at<Elf64_Sym>(symbols.bytes, uint64_t{symbol} * sizeof(Elf64_Sym));
        registers[std::string(text_at(names, entry.st_name))] = value_at<uint32_t>(info.bytes, at + 8);
      }
      at += 4 + (format == kSizedFormat ? size : 0);
    }
  }
  return registers;
}

}  // namespace tilescope::program
