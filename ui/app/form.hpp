#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/client.hpp"

/// What an editor of scenarios needs besides `Session`: the field tables, parameters, catalogue and
/// templates as plain values, and quantities to text and back.
namespace stallcast::client {

/// One field of a component, and its value if it has one.
struct FormField {
  std::string key;  ///< dotted path below the component: "ost.read"
  Dimension dimension = Dimension::number;
  std::string fallback;  ///< default as a user writes it; "" = must be given
  bool optional = false;
  std::string doc;  ///< one line
  double minimum = 0.0, maximum = 0.0;
  std::vector<std::string> choices = {};
  std::optional<Value> value = std::nullopt;  ///< none: optional and left out
  int group = 0;                              ///< what it is about: a place in field_groups()
  /// The value as it is written where it comes from, so that its unit can be kept: "1 GiB". "" for
  /// expressions, and where nobody wrote a text.
  std::string written = {};
  /// A price, power, room: it moves what a design costs, and nothing else.
  [[nodiscard]] bool is_of_costs() const;
  /// Nobody set it: the default holds, or it is left out.
  [[nodiscard]] bool untouched() const {
    return !value || value->source.kind == Source::Kind::default_value;
  }
};

/// What fields are about, in the order in which a form has them: "Capacity and speed", "Network".
[[nodiscard]] std::span<const std::string_view> field_groups();

/// One component of a design with its fields in the order of their table.
struct FormPart {
  /// Where it stands, as diagnostics and `explain` say it: "cluster.hosts[gpu]",
  /// "jobs[train].step".
  std::string path;
  std::string role;      ///< "storage"
  std::string kind;      ///< "lustre"
  std::string selector;  ///< key that names the kind: "type"; "" when there is only one
  std::string product;   ///< catalogue entry it was taken from, or ""
  std::string summary;   ///< of its kind, one line
  std::vector<std::string> kinds = {};     ///< of its role
  bool is_read = true, is_written = true;  ///< of storage: by anybody
  std::vector<FormField> fields = {};      ///< those of costs last
};

/// Everything of one scenario that can be edited, besides its text.
struct Form {
  std::vector<FormPart> parts;
  std::vector<Parameter> parameters;
  std::vector<std::string> variants;
};

/// REQUIRES: ok().
[[nodiscard]] Form form(const Scenario& scenario);

/// A product of the catalogue, for a picker.
struct Product {
  struct Figure {
    std::string key, text, source, date;
    bool assumption = false;
  };
  std::string id;  ///< "host/dgx-h100": what `use` takes
  std::string role, kind, summary;
  std::vector<Figure> figures;
};

/// All products, sorted by id.
[[nodiscard]] std::vector<Product> products();

/// A commented scenario to start from.
struct StartingPoint {
  std::string name, summary, text;
};

/// Sorted by name.
[[nodiscard]] std::vector<StartingPoint> starting_points();

/// Exact text as a scenario takes it ("25 GB/s"), in a unit of the sort that `like` has ("1.5 GiB"
/// like "1 GiB"), if it has one. REQUIRES: finite.
[[nodiscard]] std::string write_quantity(double base_value, Dimension dimension,
                                         std::string_view like = {});
/// How much one unit of a text is in the base unit, as in 2^30 of "1 GiB"; 1 without a unit.
[[nodiscard]] double unit_of(std::string_view text, Dimension dimension);
/// So many units of a text, as reading them gives.
[[nodiscard]] double in_unit_of(double number, std::string_view text, Dimension dimension);
/// Short text for people ("102.4 MB/s").
[[nodiscard]] std::string print_quantity(double base_value, Dimension dimension);

/// What the unit of a text says it is: "4 GB/s" is a rate; `number` without a unit.
[[nodiscard]] Dimension dimension_of(std::string_view text);

/// A number in the base unit, or what is wrong with the text and how to write it.
struct ReadQuantity {
  std::optional<double> value;
  std::string message, hint;
};
[[nodiscard]] ReadQuantity read_quantity(std::string_view text, Dimension dimension);

}  // namespace stallcast::client
