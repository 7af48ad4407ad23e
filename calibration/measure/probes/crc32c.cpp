#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "calibration/measure/probes/memory.hpp"

/// CRC-32C: the checksum that TFRecord, iSCSI, ext4 and NVMe use.
namespace stallcast::calibration::probing {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78U;  // RFC 3720, appendix B.4, reflected
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[k][b]: remainder of byte b with k zero bytes behind it.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t r = b;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1U) ^ ((r & 1U) != 0 ? kPolynomial : 0U);
    tables[0][b] = r;
  }
  for (std::size_t k = 1; k < tables.size(); ++k)
    for (std::size_t b = 0; b < 256; ++b)
      tables[k][b] = (tables[k - 1][b] >> 8U) ^ tables[0][tables[k - 1][b] & 0xFFU];
  return tables;
}
constexpr Tables kTables = make_tables();

std::uint32_t step(std::uint32_t crc, std::byte byte) {
  return (crc >> 8U) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::span<const std::byte> bytes) {
  std::uint64_t crc = 0xFFFFFFFFU;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    crc = _mm_crc32_u64(crc, word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (; at < bytes.size(); ++at) rest = step(rest, bytes[at]);
  return ~rest;
}

bool has_instruction() { return __builtin_cpu_supports("sse4.2") != 0; }
#else
std::uint32_t by_instruction(std::span<const std::byte> bytes) { return crc32c_by_table(bytes); }
bool has_instruction() { return false; }
#endif

}  // namespace

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto byte = std::to_integer<std::uint32_t>(bytes[at + i]);
      next ^= kTables[7 - i][(i < 4 ? byte ^ (crc >> (8U * i)) : byte) & 0xFFU];
    }
    crc = next;
  }
  for (; at < bytes.size(); ++at) crc = step(crc, bytes[at]);
  return ~crc;
}

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  return has_instruction() ? by_instruction(bytes) : crc32c_by_table(bytes);
}

std::string_view crc32c_way() { return has_instruction() ? "sse4.2" : "table"; }

}  // namespace stallcast::calibration::probing
