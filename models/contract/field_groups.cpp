#include "models/contract/field_groups.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/text.hpp"

namespace stallcast::models {
namespace {

using enum FieldGroup;

constexpr std::array<std::string_view, 6> kTitles = {
    "Capacity and speed", "Network", "Metadata", "Failures and protection", "Cost", "Other"};

/// A word of dotted keys, and what a field with it is about.
struct Word {
  std::string_view word;
  FieldGroup group;
};

/// Sorted by word.
constexpr auto kWords = std::to_array<Word>({
    {"back_nic", network},
    {"bisection", network},
    {"boot", failure},
    {"code", failure},
    {"compute_link", network},
    {"compute_nic", network},
    {"connection", network},
    {"connections", network},
    {"converged", network},
    {"correlated", failure},
    {"corrupt", failure},
    {"create", metadata},
    {"creates", metadata},
    {"degraded", failure},
    {"degraded_rate", failure},
    {"detect", failure},
    {"directories", metadata},
    {"directory", metadata},
    {"endurance", failure},
    {"failed", failure},
    {"failover", failure},
    {"global", network},
    {"hops", network},
    {"incast", network},
    {"inode", metadata},
    {"interface", network},
    {"leaf", network},
    {"life", failure},
    {"link", network},
    {"lock", metadata},
    {"mds", metadata},
    {"mdt", metadata},
    {"meta", metadata},
    {"mtbf", failure},
    {"namenode", metadata},
    {"names", metadata},
    {"nconnect", network},
    {"nic", network},
    {"nvlink", network},
    {"open", metadata},
    {"open_requests", metadata},
    {"open_service", metadata},
    {"opens", metadata},
    {"oversubscription", network},
    {"parity", failure},
    {"path", network},
    {"paths", network},
    {"pcie", network},
    {"port", network},
    {"raid", failure},
    {"rebuild", failure},
    {"repair", failure},
    {"replace", failure},
    {"replicas", failure},
    {"retry", failure},
    {"router", network},
    {"routing", network},
    {"rtt", network},
    {"slow", failure},
    {"slowdown", failure},
    {"spares", failure},
    {"takeover", failure},
    {"tls", network},
    {"transport", network},
    {"verify", failure},
});
static_assert(std::ranges::is_sorted(kWords, {}, &Word::word));

constexpr auto kNames = [] {
  std::array<std::string_view, kWords.size()> out{};
  std::ranges::transform(kWords, out.begin(), &Word::word);
  return out;
}();

}  // namespace

std::span<const std::string_view> group_titles() { return kTitles; }

std::span<const std::string_view> grouped_words() { return kNames; }

FieldGroup group_of(Role role, const KindInfo& kind, const base::FieldInfo& field) {
  using enum Dimension;
  const Dimension d = field.dimension;
  if (is_for_costs(kind, field) || d == money || d == money_rate || d == power) return cost;
  if (role == Role::failure || role == Role::recovery) return failure;
  const std::vector<std::string> words = base::split(field.key, '.');
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    const auto row = std::ranges::lower_bound(kWords, *word, {}, &Word::word);
    if (row != kWords.end() && row->word == *word) return row->group;
  }
  const bool amount = d == count || d == bytes || d == rate || d == op_rate || d == flop_rate;
  return amount ? capacity : other;
}

}  // namespace stallcast::models
