#pragma once

#include <cstddef>
#include <memory>

namespace stallcast::base {

/// Room for what is read next; on the heap, since stacks may be small. Nothing clears it: most
/// reads are short, and 64 KiB of zeros for each of them would be most of what the reading costs.
class ReadBuffer {
 public:
  [[nodiscard]] char* data() { return room_.get(); }
  /// bytes
  [[nodiscard]] static constexpr std::size_t size() { return 65536; }

 private:
  std::unique_ptr<char[]> room_ = std::make_unique_for_overwrite<char[]>(size());
};

}  // namespace stallcast::base
