#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/measurement.hpp"

/// Pages that the buffers of reads and writes past the page cache lie on. A device takes a request
/// in segments of memory that hang together: on small pages it may take several where one would do.
namespace stallcast::calibration {

enum class BufferPages {
  huge,  ///< of 2 MiB
  small  ///< of 4 KiB, as malloc gives them
};

/// "huge", "small"
[[nodiscard]] std::string_view name_of(BufferPages pages);
[[nodiscard]] std::optional<BufferPages> parse_buffer_pages(std::string_view name);

/// What an io record says of its buffers: option "buffers" of our probes, "iomem" of fio's jobs.
/// nullopt when it does not, or went through the page cache.
[[nodiscard]] std::optional<BufferPages> buffer_pages_of(const Measurement& m);

/// Chooses one kind for all io records: `asked`, else huge where there is any such record, else
/// small. Those of the other kind get the flag "other-buffers", which leaves them out of fits, and
/// so do those that do not say, where their series (operation, pattern, path) has some of the
/// chosen kind. Returns what to say of that; "" when no record says anything.
[[nodiscard]] std::string choose_buffers(std::vector<MeasurementSet>& sets,
                                         std::optional<BufferPages> asked);

}  // namespace stallcast::calibration
