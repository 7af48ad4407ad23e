#include <algorithm>

#include "engine/base/text.hpp"
#include "stallcast/label.hpp"

/// What resources that limit together are called.
namespace stallcast::label {
namespace {

constexpr std::string_view kAnd = " and ";

}  // namespace

std::string several(std::span<const std::string> resources) { return base::join(resources, kAnd); }

bool are_several(std::string_view name) { return name.find(kAnd) != std::string_view::npos; }

std::vector<std::string> each_of(std::string_view name) {
  std::vector<std::string> out;
  for (std::size_t end = 0; (end = name.find(kAnd)) != std::string_view::npos;
       name.remove_prefix(end + kAnd.size()))
    out.emplace_back(name.substr(0, end));
  out.emplace_back(name);
  return out;
}

std::string of_several(std::span<const std::string> resources) {
  std::vector<std::string> labels;
  for (const std::string& resource : resources) labels.push_back(of_resource(resource));
  if (labels.empty()) return "";
  const std::string last = labels.back();
  for (std::size_t of = last.find(" of "); of != std::string::npos;
       of = last.find(" of ", of + 1)) {
    const std::string whose = last.substr(of);
    const auto theirs = [&](const std::string& one) { return one.ends_with(whose); };
    if (!std::all_of(labels.begin(), labels.end(), theirs)) continue;
    for (std::size_t i = 0; i + 1 < labels.size(); ++i)
      labels[i].resize(labels[i].size() - whose.size());
    break;
  }
  labels.pop_back();
  return labels.empty() ? last : base::join(labels, ", ") + std::string(kAnd) + last;
}

}  // namespace stallcast::label
