#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/contract/registry.hpp"

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
  bool operator==(const CatalogueValue&) const = default;
};

/// One product.
struct CatalogueEntry {
  std::string id;  ///< "host/dgx-h100"
  Role role = Role::host;
  std::string kind;     ///< registry row its fields belong to
  std::string summary;  ///< one line
  std::vector<CatalogueValue> values;
  bool operator==(const CatalogueEntry&) const = default;
};

/// One published number of a thing that no field of a scenario need use: a drive's data sheet, a
/// measured decode rate, a price.
struct CatalogueFigure {
  std::string parameter;  ///< "seq W"
  std::string value;      ///< "7.0", a range "9.3-10.5" or a list "125;250;500;1000"
  std::string unit;       ///< "GB/s"; "" for a plain number
  double low = 0.0;       ///< least and most in `unit`: equal when there is one number
  double high = 0.0;
  bool number = true;       ///< false for a list or a text: no `low` and `high`
  std::string source;       ///< publication, or the derivation
  std::string date;         ///< when it was read: "2026-11"
  std::string provenance;   ///< "read", "read (secondary)", "computed", "memory", "read+memory"
  bool assumption = false;  ///< from memory, at least in part
};

/// The figures of one thing.
struct CatalogueFigures {
  std::string id;       ///< "nvme/micron-9550"
  std::string name;     ///< "Micron 9550"
  std::string section;  ///< heading of the list: "Drives"
  std::vector<CatalogueFigure> values;
};

/// All products, sorted by id. Read once; a broken built-in file is a bug and throws.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();
/// nullptr when there is no such product. Reads that product only. Safe from several threads.
[[nodiscard]] const CatalogueEntry* find_product(std::string_view id);

/// All figures, sorted by section and id. No id is that of a product.
[[nodiscard]] std::span<const CatalogueFigures> figures();
/// nullptr when there are no such figures.
[[nodiscard]] const CatalogueFigures* find_figures(std::string_view id);
/// "9.3-10.5 GB/s".
[[nodiscard]] std::string text_of(const CatalogueFigure& figure);

}  // namespace stallcast::models
