#include <set>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "scenarios/rules_support.hpp"

/// Rules of caches: storage systems in front of others.
namespace stallcast::scenarios {
namespace {

// The storage system a cache stands in front of exists, and does not in turn rest on the cache.
void check_over(const Design& design, const Component& storage, Reporter& report) {
  if (storage.find("over") == nullptr) return;
  check_reference(storage, "over", ids_of(design.storage), "storage system", report);
  std::set<std::string> seen{storage.id};
  const Component* at = &storage;
  while (at != nullptr && at->find("over") != nullptr) {
    const std::string& next = at->find("over")->text;
    if (next == storage.id) {
      report.error("rule", pointer_of(storage, "over"),
                   "storage \"" + storage.id + "\" is a cache in front of itself",
                   "\"over\" names the storage system that holds the data");
      return;
    }
    if (!seen.insert(next).second) return;  // a ring further behind is its own members' fault
    at = design.find_storage(next);
  }
}

}  // namespace

void check_caches(const Design& design, Reporter& report) {
  for (const Component& storage : design.storage) check_over(design, storage, report);
}

}  // namespace stallcast::scenarios
