#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/registry.hpp"

/// Products and their sourced numbers: data, never classes. The JSON files of this folder are built
/// into the library.
namespace stallcast::models {

/// One number of a product, as a scenario would write it.
struct CatalogueValue {
  std::string key;          ///< field of the kind's table: "nic.rate"
  std::string text;         ///< "400 Gb/s"
  std::string source;       ///< publication the figure was read in, or the derivation
  std::string date;         ///< when it was read: "2026-11"
  bool assumption = false;  ///< from memory or expert value
};

/// One product.
struct CatalogueEntry {
  std::string id;  ///< "host/dgx-h100"
  Role role = Role::host;
  std::string kind;     ///< registry row its fields belong to
  std::string summary;  ///< one line
  std::vector<CatalogueValue> values;
};

/// All products, sorted by id. Read once; a broken built-in file is a bug and throws.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();
/// nullptr when there is no such product.
[[nodiscard]] const CatalogueEntry* find_product(std::string_view id);

}  // namespace stallcast::models
