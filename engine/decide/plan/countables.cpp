#include "engine/decide/plan/countables.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/design_values.hpp"
#include "engine/base/text.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::plan {
namespace {

constexpr std::string_view kStorage = "storage[", kHost = "cluster.hosts[", kJob = "jobs[";

using models::Role;

/// Of a role whose components are parts of jobs, the key of the part is in `field`.
Countable countable(const models::RoleInfo& role, const models::Count& count) {
  if (role.role == Role::storage) return {count, kStorage, std::string(count.field)};
  if (role.role == Role::host) return {count, kHost, std::string(count.field)};
  return {count, kJob, std::string(role.id) + "." + std::string(count.field)};
}

std::vector<Countable> all_countables() {
  std::vector<Countable> out;
  for (const models::RoleInfo& role : models::roles()) {
    for (const models::Count& count : role.counts) out.push_back(countable(role, count));
    for (const models::KindInfo& kind : models::kinds(role.role))
      for (const models::Count& count : kind.counts)
        if (std::none_of(out.begin(), out.end(),
                         [&](const Countable& c) { return c.what.shortcut == count.shortcut; }))
          out.push_back(countable(role, count));
  }
  return out;
}

}  // namespace

std::span<const Countable> countables() {
  static const std::vector<Countable> all = all_countables();
  return all;
}

const Countable* countable_at(std::string_view path) {
  for (const Countable& c : countables())
    if (path.starts_with(c.prefix) && path.ends_with("]." + c.field) &&
        path.find(']') + 2 + c.field.size() == path.size())
      return &c;
  return nullptr;
}

std::string id_in(std::string_view path) {
  const std::size_t open = path.find('['), close = path.find(']');
  return open == std::string_view::npos || close == std::string_view::npos
             ? ""
             : std::string(path.substr(open + 1, close - open - 1));
}

std::string owner_of(std::string_view path) {
  const std::string_view kind = path.starts_with(kStorage) ? "storage "
                                : path.starts_with(kHost)  ? "host "
                                : path.starts_with(kJob)   ? "job "
                                                           : "";
  return kind.empty() ? "" : std::string(kind) + id_in(path);
}

std::string default_path(const Design& design, const std::string& storage) {
  const Component* counted = design.find_storage(storage);
  const models::KindInfo* kind =
      counted == nullptr ? nullptr : models::find_kind(Role::storage, counted->kind);
  if (kind == nullptr) return "";
  for (const models::Count& c : kind->counts)
    if (counted->find(c.field) != nullptr)
      return std::string(kStorage) + storage + "]." + std::string(c.field);
  return "";
}

bool same_path(std::string_view a, std::string_view b) {
  return base::plain_path(a) == base::plain_path(b);
}

Result<std::optional<std::string>> shortcut_path(const std::string& name, const Design& design) {
  const std::size_t colon = name.find(':');
  const std::string word = name.substr(0, colon);
  const std::string id = colon == std::string::npos ? "" : name.substr(colon + 1);
  const Countable* countable = nullptr;
  for (const Countable& c : countables())
    if (c.what.shortcut == word) countable = &c;
  if (countable == nullptr) return std::optional<std::string>{};
  std::vector<std::string> found, ids;
  const auto without_gpus = [&](const std::string& path) {
    const Component* host = design.find_host(id_in(path));
    const Value* gpus = host == nullptr ? nullptr : host->find("gpus");
    return gpus != nullptr && gpus->number <= 0.0;
  };
  for (const auto& [path, value] : base::values_of(design))
    if (countable_at(path) != nullptr && countable_at(path)->field == countable->field &&
        path.starts_with(countable->prefix) && (id.empty() || id == id_in(path))) {
      found.push_back(path);
      ids.push_back(word + ":" + id_in(path));
    }
  // Of several classes of hosts only those with accelerators can be meant.
  if (word == "accelerators" && found.size() > 1 &&
      !std::all_of(found.begin(), found.end(), without_gpus)) {
    std::erase_if(ids, [&](const std::string& name) {
      return without_gpus("[" + name.substr(name.find(':') + 1) + "]");
    });
    std::erase_if(found, without_gpus);
  }
  if (found.empty())
    return Failure{ExitCode::bad_input,
                   id.empty() ? "nothing here has \"" + countable->field + "\""
                              : "nothing named \"" + id + "\" has \"" + countable->field + "\"",
                   "give it a value in the scenario first, or name another path"};
  if (found.size() > 1)
    return Failure{ExitCode::bad_input, "\"" + name + "\" could be any of several",
                   "write one of " + base::join(ids, ", ")};
  return std::optional(found.front());
}

}  // namespace stallcast::plan
