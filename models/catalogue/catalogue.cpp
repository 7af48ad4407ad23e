#include "models/catalogue/catalogue.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

namespace stallcast::models {

/// {file name, content} of the JSON files of this folder.
std::span<const std::pair<std::string_view, std::string_view>> embedded_catalogue();

namespace {

using Json = nlohmann::ordered_json;

std::optional<Role> find_role(std::string_view name) {
  constexpr std::pair<std::string_view, Role> kNames[] = {{"host", Role::host},
                                                          {"fabric", Role::fabric},
                                                          {"storage", Role::storage},
                                                          {"model", Role::model}};
  for (const auto& [id, role] : kNames)
    if (id == name) return role;
  return std::nullopt;
}

// A file is {"role", "products": {id: {"kind", "summary", "values": {key: {"value", "source",
// "date", "assumption"}}}}}.
CatalogueEntry entry_of(const std::string& id, Role role, const Json& product) {
  CatalogueEntry entry;
  entry.id = id;
  entry.role = role;
  entry.kind = product.at("kind").get<std::string>();
  entry.summary = product.at("summary").get<std::string>();
  for (const auto& [key, value] : product.at("values").items())
    entry.values.push_back({key, value.at("value").get<std::string>(),
                            value.at("source").get<std::string>(),
                            value.at("date").get<std::string>(), value.value("assumption", false)});
  return entry;
}

void read_products(const Json& file, std::vector<CatalogueEntry>& out) {
  const Role role = find_role(file.at("role").get<std::string>()).value();
  for (const auto& [id, product] : file.at("products").items())
    out.push_back(entry_of(id, role, product));
}

/// Reads one product without the rest of its file: a scenario names few of a hundred. Its id
/// begins with its role, and stands before a colon nowhere else.
std::optional<CatalogueEntry> read_product(const std::string& id) {
  const auto role = find_role(std::string_view(id).substr(0, id.find('/')));
  if (!role) return std::nullopt;
  const std::string key = '"' + id + "\":";
  for (const auto& [name, content] : embedded_catalogue()) {
    const std::size_t at = content.find(key);
    if (at == std::string_view::npos) continue;
    std::istringstream rest{std::string(content.substr(at + key.size()))};
    Json product;
    rest >> product;  // to its closing brace
    if (product.contains("kind")) return entry_of(id, *role, product);
  }
  return std::nullopt;
}

/// Sets `low` and `high` of a figure that is one number.
void read_number(CatalogueFigure& figure) {
  const char* end = figure.value.data() + figure.value.size();
  const auto parsed = std::from_chars(figure.value.data(), end, figure.low);
  figure.number = parsed.ec == std::errc{} && parsed.ptr == end;
  figure.high = figure.low;
}

// A file is {"section", "figures": {id: {"name", "values": {parameter: {"value", "unit", "low",
// "high", "source", "date", "provenance"}}}}}; low and high only for ranges.
void read_figures(const Json& file, std::vector<CatalogueFigures>& out) {
  for (const auto& [id, thing] : file.at("figures").items()) {
    CatalogueFigures entry{
        id, thing.at("name").get<std::string>(), file.at("section").get<std::string>(), {}};
    for (const auto& [parameter, value] : thing.at("values").items()) {
      CatalogueFigure figure;
      figure.parameter = parameter;
      figure.value = value.at("value").get<std::string>();
      figure.unit = value.value("unit", "");
      if (value.contains("low")) {
        figure.low = value.at("low").get<double>();
        figure.high = value.at("high").get<double>();
      } else {
        read_number(figure);
      }
      figure.source = value.at("source").get<std::string>();
      figure.date = value.at("date").get<std::string>();
      figure.provenance = value.at("provenance").get<std::string>();
      figure.assumption = figure.provenance.find("memory") != std::string::npos;
      entry.values.push_back(std::move(figure));
    }
    out.push_back(std::move(entry));
  }
}

std::vector<CatalogueFigures> read_all_figures() {
  std::vector<CatalogueFigures> out;
  for (const auto& [name, content] : embedded_catalogue()) {
    const Json file = Json::parse(content);
    if (file.contains("figures")) read_figures(file, out);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::tie(a.section, a.id) < std::tie(b.section, b.id);
  });
  return out;
}

std::vector<CatalogueEntry> read_all() {
  std::vector<CatalogueEntry> out;
  for (const auto& [name, content] : embedded_catalogue()) {
    const Json file = Json::parse(content);
    if (file.contains("products")) read_products(file, out);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = read_all();
  return entries;
}

const CatalogueEntry* find_product(std::string_view id) {
  static std::mutex mutex;
  static std::map<std::string, CatalogueEntry, std::less<>> known;
  const std::lock_guard lock(mutex);
  if (const auto entry = known.find(id); entry != known.end()) return &entry->second;
  std::optional<CatalogueEntry> read = read_product(std::string(id));
  if (!read) return nullptr;
  return &known.emplace(std::string(id), *std::move(read)).first->second;
}

std::span<const CatalogueFigures> figures() {
  static const std::vector<CatalogueFigures> entries = read_all_figures();
  return entries;
}

const CatalogueFigures* find_figures(std::string_view id) {
  const auto all = figures();
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.id == id; });
  return it != all.end() ? &*it : nullptr;
}

std::string text_of(const CatalogueFigure& figure) {
  return figure.unit.empty() ? figure.value : figure.value + " " + figure.unit;
}

}  // namespace stallcast::models
