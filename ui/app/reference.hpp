#pragma once

#include <string>
#include <vector>

#include "stallcast/design.hpp"

/// What is looked up: how scenarios are written, what products there are, a design in full.
namespace stallcast::client {

/// The JSON Schema of a scenario.
[[nodiscard]] std::string scenario_schema();
/// The page on all of its fields, in Markdown.
[[nodiscard]] std::string field_reference();

/// `design` as a scenario that leaves nothing to defaults, catalogue or parameters. `provenance`:
/// with a comment at each value on who set it.
[[nodiscard]] std::string resolved(const Design& design, bool provenance = false);

/// One thing of the catalogue: a kind, a product, or published figures.
struct CatalogueItem {
  struct Number {
    std::string text;  ///< "ost.read = 4 GB/s"
    bool assumption = false;
    std::string source;  ///< and its date; may be empty
  };
  std::string heading;  ///< of the part of the list it is in
  std::string id;       ///< "host/dgx-h100"
  std::string summary;  ///< one line
  std::vector<Number> numbers;
  std::string json;  ///< all of it as an object
};

/// All of them: kinds, then products, then figures.
[[nodiscard]] std::vector<CatalogueItem> catalogue_items();
/// The same as a JSON array.
[[nodiscard]] std::string catalogue_json();

}  // namespace stallcast::client
