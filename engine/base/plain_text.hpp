#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace stallcast::base {

/// Text of JSON that stands for itself, looked at eight bytes at a time: ASCII without quotes,
/// backslashes and controls.
inline constexpr std::size_t kWord = sizeof(std::uint64_t);

/// A byte in eight of them.
constexpr std::uint64_t in_all(unsigned char byte) { return 0x0101010101010101U * byte; }

/// The highest bit of the first byte, the lowest of the word, that does not stand for itself, and
/// of some behind it; 0 where all do.
constexpr std::uint64_t unusual(std::uint64_t bytes) {
  const auto has = [&](unsigned char byte) { return (bytes ^ in_all(byte)) - in_all(1); };
  return (bytes | (bytes - in_all(0x20)) | has('"') | has('\\')) & in_all(0x80);
}

/// How many bytes of a word stand for themselves before the first that does not. REQUIRES: `found`
/// is what `unusual` says of it, not 0.
constexpr std::size_t plain_before(std::uint64_t found) {
  static_assert(std::endian::native == std::endian::little);
  return static_cast<std::size_t>(std::countr_zero(found)) / 8;
}

}  // namespace stallcast::base
