#include "scenarios/resolve/kind_meant.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"

namespace stallcast::scenarios {
namespace {

/// Whether one of the words of `text` is `word`, in capitals or not.
bool has_word(std::string_view text, std::string_view word) {
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && inside(text[end])) ++end;
    if (end > i && base::same_letters(text.substr(i, end - i), word)) return true;
    i = std::max(end, i + 1);
  }
  return false;
}

}  // namespace

KindMeant kind_meant(models::Role role, std::string_view word) {
  std::vector<std::string> names, told;
  for (const models::KindInfo& kind : models::kinds(role)) {
    names.emplace_back(kind.id);
    if (has_word(kind.summary, word)) told.emplace_back(kind.id);
  }
  if (const std::string near = base::nearest(word, names); !near.empty()) return {near, ""};
  if (told.size() == 1) return {told[0], ""};
  KindMeant out;
  for (const models::CatalogueEntry& entry : models::catalogue()) {
    if (entry.role != role || !has_word(entry.id, word)) continue;
    if (!out.id.empty() && out.id != entry.kind) return {};
    if (out.id.empty()) out = {entry.kind, ", as " + entry.id + " is"};
  }
  return out;
}

}  // namespace stallcast::scenarios
