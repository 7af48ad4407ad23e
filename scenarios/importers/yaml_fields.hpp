#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diagnostic.hpp"

/// A YAML mapping read into flat dotted keys, each with its place, that remembers which keys were
/// asked for.
namespace stallcast::scenarios {

/// One leaf: a scalar, or a list of scalars.
struct YamlField {
  std::string key;  ///< "reader.read_threads"
  std::string text;
  std::vector<std::string> list;
  bool is_list = false;
  Position position;
  bool used = false;
};

class YamlFields {
 public:
  /// Faults are added to `diags`: what is not YAML, duplicate keys, a document that is not a
  /// mapping, interpolations, nesting or size beyond any workload file. A single top-level key
  /// `wrapper` is left out of the keys.
  YamlFields(const std::string& text, const std::string& file, std::string_view wrapper,
             Diagnostics& diags);

  /// Sets a key from "++workload.reader.read_threads=8": leading plus signs and `wrapper` are
  /// optional.
  void set(const std::string& assignment, std::string_view wrapper, Diagnostics& diags);

  /// Renames `old_key` to `key`. Both present is a warning and `key` wins.
  void alias(std::string_view old_key, std::string_view key, Diagnostics& diags);

  /// nullptr when absent or null. Marks the key as used.
  const YamlField* take(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const { return fields_.contains(key); }

  /// Values of the right kind; a value of another kind is a diagnostic and counts as absent.
  std::optional<double> number(std::string_view key, Diagnostics& diags);
  std::optional<std::int64_t> whole(std::string_view key, Diagnostics& diags);
  std::optional<bool> boolean(std::string_view key, Diagnostics& diags);
  std::optional<std::string> text(std::string_view key, Diagnostics& diags);

  /// By key.
  [[nodiscard]] const std::map<std::string, YamlField, std::less<>>& all() const { return fields_; }

 private:
  const YamlField* scalar(std::string_view key, std::string_view wanted, Diagnostics& diags);
  std::map<std::string, YamlField, std::less<>> fields_;
};

/// The JSON pointer of a dotted key: "/reader/read_threads".
[[nodiscard]] std::string pointer_of(std::string_view dotted);

}  // namespace stallcast::scenarios
