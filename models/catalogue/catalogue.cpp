#include "models/catalogue/catalogue.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace stallcast::models {

/// {file name, content} of the JSON files of this folder.
std::span<const std::pair<std::string_view, std::string_view>> embedded_catalogue();

namespace {

using Json = nlohmann::ordered_json;

Role role_of(std::string_view name) {
  constexpr std::pair<std::string_view, Role> kNames[] = {{"host", Role::host},
                                                          {"fabric", Role::fabric},
                                                          {"storage", Role::storage},
                                                          {"model", Role::model}};
  for (const auto& [id, role] : kNames)
    if (id == name) return role;
  throw std::logic_error("catalogue: no products of role \"" + std::string(name) + "\"");
}

// A file is {"role", "products": {id: {"kind", "summary", "values": {key: {"value", "source",
// "date", "assumption"}}}}}.
void read_products(const Json& file, std::vector<CatalogueEntry>& out) {
  const Role role = role_of(file.at("role").get<std::string>());
  for (const auto& [id, product] : file.at("products").items()) {
    CatalogueEntry entry;
    entry.id = id;
    entry.role = role;
    entry.kind = product.at("kind").get<std::string>();
    entry.summary = product.at("summary").get<std::string>();
    for (const auto& [key, value] : product.at("values").items())
      entry.values.push_back(
          {key, value.at("value").get<std::string>(), value.at("source").get<std::string>(),
           value.at("date").get<std::string>(), value.value("assumption", false)});
    out.push_back(std::move(entry));
  }
}

std::vector<CatalogueEntry> read_all() {
  std::vector<CatalogueEntry> out;
  for (const auto& [name, content] : embedded_catalogue()) read_products(Json::parse(content), out);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = read_all();
  return entries;
}

const CatalogueEntry* find_product(std::string_view id) {
  const auto all = catalogue();
  const auto it = std::lower_bound(
      all.begin(), all.end(), id,
      [](const CatalogueEntry& e, std::string_view wanted) { return e.id < wanted; });
  return it != all.end() && it->id == id ? &*it : nullptr;
}

}  // namespace stallcast::models
