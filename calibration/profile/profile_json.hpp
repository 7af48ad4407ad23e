#pragma once

#include <map>
#include <optional>
#include <string>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/diagnostic.hpp"

/// Calibration profiles as JSON, schema "stallcast.profile/1".
namespace stallcast::calibration {

/// Indented JSON that ends with a line end.
[[nodiscard]] std::string write_profile(const CalibrationProfile& profile);

/// Reads what `write_profile` wrote; faults (with file, line, column) go to `diagnostics`. Fills in
/// `sha256`.
[[nodiscard]] CalibrationProfile read_profile(const std::string& text, const std::string& file,
                                              Diagnostics& diagnostics);

/// A profile and the text it was read from.
struct ProfileFile {
  std::string text;
  CalibrationProfile profile;
};

/// Reads the profile at `path`; nullopt with a fault when there is no such file.
[[nodiscard]] std::optional<ProfileFile> read_profile_file(const std::string& path,
                                                           Diagnostics& diagnostics);

/// Profiles that were read, kept as long as scenarios may refer to them.
class ProfileFiles {
 public:
  /// nullptr with a fault when there is none at `path`.
  [[nodiscard]] const CalibrationProfile* read(const std::string& path, Diagnostics& diagnostics);

 private:
  std::map<std::string, CalibrationProfile> known_;
};

}  // namespace stallcast::calibration
