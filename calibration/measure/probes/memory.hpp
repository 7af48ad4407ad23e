#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "calibration/measure/probes/probe.hpp"

namespace stallcast::calibration::probing {

/// How much a depth of looking takes.
struct MemoryEffort {
  std::vector<int> threads;
  std::size_t repeats = 3;
  double run_s = 0.4;         ///< of one run, at least
  std::uint64_t working = 0;  ///< bytes that all threads walk through; 0: by the caches' size
};
[[nodiscard]] MemoryEffort memory_effort(ProbeDepth depth);

/// The memory probe with an effort of the caller's.
[[nodiscard]] Result<MeasurementSet> run_memory(const ProbeOptions& options,
                                                const MemoryEffort& effort);

/// Bytes of the last-level caches of all sockets; 0 where the kernel does not report it.
[[nodiscard]] std::uint64_t last_level_cache();

/// CRC-32C, reflected polynomial 0x82F63B78 (RFC 3720, appendix B.4), as TFRecord files carry it.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes);
/// "sse4.2" where the CPU has an instruction for it, else "table".
[[nodiscard]] std::string_view crc32c_way();
/// The way that every CPU has: eight tables, eight bytes a step.
[[nodiscard]] std::uint32_t crc32c_by_table(std::span<const std::byte> bytes);

}  // namespace stallcast::calibration::probing
