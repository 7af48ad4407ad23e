#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace stallcast::calibration {

/// Fields of one message of protobuf, one after the other. Groups are refused: nobody writes them.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// The next field; false at the end, or when the bytes are no message (then `broken`).
  bool next() {
    if (rest_.empty() || broken) return false;
    const auto key = varint();
    if (!key) return false;
    field = *key >> 3U;
    switch (*key & 7U) {
      case 0:
        if (const auto value = varint()) number = *value;
        text = {};
        break;
      case 1:
        fixed(8);
        break;
      case 5:
        fixed(4);
        break;
      case 2: {
        const auto length = varint();
        if (!length || *length > rest_.size()) {
          broken = true;
          break;
        }
        text = rest_.substr(0, *length);
        rest_.remove_prefix(*length);
        break;
      }
      default:
        broken = true;
    }
    return !broken && field != 0;
  }

  std::uint64_t field = 0;
  std::uint64_t number = 0;  ///< of varints and fixed ones
  std::string_view text;     ///< of what has a length
  bool broken = false;

 private:
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80U) return value;
    }
    broken = true;
    return std::nullopt;
  }
  void fixed(std::size_t size) {
    if (rest_.size() < size) {
      broken = true;
      return;
    }
    number = 0;
    std::memcpy(&number, rest_.data(), size);
    rest_.remove_prefix(size);
    text = {};
  }

  std::string_view rest_;
};

}  // namespace stallcast::calibration
