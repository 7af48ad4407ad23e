#pragma once

#include <span>
#include <string_view>

/// The keys of a DLIO workload file that change nothing in a scenario, old spellings, and formats:
/// data that dlio.cpp reads. Key names from DLIO's configuration page and its LoadConfig.
namespace stallcast::scenarios {

/// A key, or with a trailing dot a whole section, and why it is left out.
struct IgnoredKey {
  std::string_view key;
  std::string_view reason;
};
[[nodiscard]] std::span<const IgnoredKey> ignored_dlio_keys();

/// Keys of saves, which count where a workload saves.
[[nodiscard]] std::span<const std::string_view> saving_dlio_keys();

/// A spelling of another round and today's.
struct RenamedKey {
  std::string_view old_key;
  std::string_view key;
};
[[nodiscard]] std::span<const RenamedKey> renamed_dlio_keys();

/// A data format of DLIO and the format of a scenario that reads like it.
struct DlioFormat {
  std::string_view name;
  std::string_view kind;
  std::string_view caveat;  ///< what the kind does not show; "" when it fits
  bool many = false;        ///< the kind reads samples by themselves out of files of many
};
[[nodiscard]] std::span<const DlioFormat> dlio_formats();

}  // namespace stallcast::scenarios
