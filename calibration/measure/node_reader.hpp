#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "stallcast/diagnostic.hpp"

/// What the readers of case and claims files share.
namespace stallcast::calibration {

/// A JSON file that is read member by member; faults go to the diagnostics with their places.
class NodeReader {
 public:
  /// Both must outlive this.
  NodeReader(const base::JsonDocument& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

 protected:
  void error(std::string_view code, const std::string& pointer, std::string message,
             std::string hint);
  /// "" after reporting why there is no text, or when it is absent and not required.
  std::string text_of(const base::Json& node, const std::string& at, const std::string& key,
                      bool required);
  /// The texts of a list; empty when the key is absent.
  std::vector<std::string> texts_of(const base::Json& node, const std::string& at,
                                    const std::string& key);
  /// Keys that begin with "x-" are anybody's.
  void check_keys(const base::Json& node, const std::string& at,
                  std::span<const std::string_view> allowed, const std::string& what);
  /// Takes over the faults of the scenario that `at` names under `key`, each once however often the
  /// scenario is named. Those without a place are pointed at here and begin with `who`.
  void take_faults(Diagnostics scenario, const std::string& at, const std::string& key,
                   const std::string& who);
  /// `name`, which is relative to the folder of this file.
  [[nodiscard]] std::string beside(const std::string& name) const;

  const base::JsonDocument& document_;
  Diagnostics& diagnostics_;
};

}  // namespace stallcast::calibration
