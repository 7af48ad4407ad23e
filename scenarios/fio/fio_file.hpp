#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/jsonc.hpp"

/// Job files of fio (ini), as fio takes them: options of [global] first, what comes last holds, `;`
/// and `#` begin comments, k is 1024. Says what of a job is its load; docs/models/tenants.md.
namespace stallcast::scenarios {

/// An option as it is written.
struct FioLine {
  std::string key, value;  ///< key in small letters
  std::size_t number = 0;  ///< of the line, from 1
};

/// One that is part of the load.
struct FioLoad {
  std::string field;                ///< of a tenant of type "fio"
  std::optional<base::Json> value;  ///< absent: cannot be read
  FioLine line;
};

/// Something of the load that is not as the file says it, or is left out.
struct FioRemark {
  std::string field;  ///< that it is about; "" for an option that no field takes
  std::string message;
  std::size_t line = 0;
};

struct FioJob {
  std::string name;
  std::size_t number = 0;       ///< line of its [name]
  std::vector<FioLine> lines;   ///< all of it, those of [global] first
  std::vector<FioLoad> load;    ///< what holds, one of a field
  std::vector<FioRemark> left;  ///< in their order
  /// What holds of an option; nullptr where it is not there.
  [[nodiscard]] const FioLine* find(std::string_view key) const;
};

/// The jobs of a file, [global] is none of them. With a fault there are none.
struct FioFile {
  std::vector<FioJob> jobs;
  std::optional<FioRemark> fault;  ///< jobs with more options than are read, at the line of one
};
[[nodiscard]] FioFile read_fio_file(const std::string& text);
/// Whether a text is such a file: a section, and an option that only fio has.
[[nodiscard]] bool is_fio_file(std::string_view text);
/// What values are taken, for a hint.
inline constexpr const char* kFioValues =
    "one value for all directions, sizes and counts above 0, shares up to 100: bs=128k, rate=50m, "
    "rwmixread=70";
/// Seconds of a time of fio: "30", "500ms", "2m"; absent where it is none.
[[nodiscard]] std::optional<double> fio_seconds(const std::string& value);

}  // namespace stallcast::scenarios
