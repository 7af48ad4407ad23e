#include "engine/decide/plan/countables.hpp"

#include <array>
#include <vector>

#include "engine/base/design_values.hpp"
#include "engine/base/text.hpp"

namespace stallcast::plan {
namespace {

constexpr std::string_view kStorage = "storage[", kHost = "cluster.hosts[", kJob = "jobs[";

// A plan without a word about it counts the first of the storage system's.
constexpr std::array kCountables = {
    Countable{"osts", kStorage, "ost.count", "OSTs"},
    Countable{"controllers", kStorage, "head.count", "controllers"},
    Countable{"targets", kStorage, "target.count", "targets"},
    Countable{"backends", kStorage, "backend.count", "backends"},
    Countable{"servers", kStorage, "server.count", "servers"},
    Countable{"prefixes", kStorage, "prefixes", "prefixes"},
    Countable{"nodes", kStorage, "node.count", "nodes"},
    Countable{"datanodes", kStorage, "datanode.count", "DataNodes"},
    Countable{"devices", kStorage, "device.count", "devices"},
    Countable{"ports", kStorage, "port.count", "ports"},
    Countable{"osds", kStorage, "osd.count", "OSDs"},
    Countable{"oss", kStorage, "oss.count", "OSS"},
    Countable{"mdts", kStorage, "mdt.count", "MDTs"},
    Countable{"mds", kStorage, "mds.count", "MDS"},
    Countable{"shelves", kStorage, "shelf.count", "shelves"},
    Countable{"drives", kStorage, "drive.count", "drives"},
    Countable{"nics", kHost, "nic.count", "NICs"},
    Countable{"accelerators", kHost, "count", "hosts", false},
    Countable{"hosts", kHost, "count", "hosts", false},
    Countable{"cache", kJob, "dataset.cache.size", "cache"},
    Countable{"workers", kJob, "loader.workers", "workers", false, 64},
};

}  // namespace

const Countable* countable_at(std::string_view path) {
  for (const Countable& c : kCountables)
    if (path.starts_with(c.prefix) && path.ends_with("]." + std::string(c.field)) &&
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

std::span<const Countable> countables() { return kCountables; }

std::string default_path(const Design& design, const std::string& storage) {
  const Component* counted = design.find_storage(storage);
  for (const Countable& c : kCountables)
    if (counted != nullptr && c.prefix == kStorage && counted->find(c.field) != nullptr)
      return std::string(c.prefix) + storage + "]." + std::string(c.field);
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
  for (const Countable& c : kCountables)
    if (c.shortcut == word) countable = &c;
  if (countable == nullptr) return std::optional<std::string>{};
  std::vector<std::string> found, ids;
  for (const auto& [path, value] : base::values_of(design))
    if (countable_at(path) != nullptr && countable_at(path)->field == countable->field &&
        path.starts_with(countable->prefix) && (id.empty() || id == id_in(path))) {
      found.push_back(path);
      ids.push_back(word + ":" + id_in(path));
    }
  if (found.empty())
    return Failure{
        ExitCode::bad_input,
        id.empty() ? "nothing here has \"" + std::string(countable->field) + "\""
                   : "nothing named \"" + id + "\" has \"" + std::string(countable->field) + "\"",
        "give it a value in the scenario first, or name another path"};
  if (found.size() > 1)
    return Failure{ExitCode::bad_input, "\"" + name + "\" could be any of several",
                   "write one of " + base::join(ids, ", ")};
  return std::optional(found.front());
}

}  // namespace stallcast::plan
