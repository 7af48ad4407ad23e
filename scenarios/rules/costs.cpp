#include "models/contract/registry.hpp"
#include "scenarios/rules/support.hpp"

/// Rules of prices.
namespace stallcast::scenarios {

// A price of one says nothing where nobody says how many there are.
void check_prices(models::Role role, const Component& component, Diagnostics& report) {
  const models::KindInfo* kind = models::find_kind(role, component.kind);
  // After another fault the count may be there and not have been understood.
  if (kind == nullptr || report.has_errors()) return;
  for (const models::PartInfo* part : models::parts_of(*kind)) {
    if (part->count.empty() || component.find(part->count) != nullptr) continue;
    for (const base::FieldInfo* field : {&part->price, &part->rent, &part->power, &part->space})
      if (component.find(field->key) != nullptr)
        report.error("rule", pointer_of(component, field->key),
                     "\"" + std::string(field->key) + "\" of \"" + component.id +
                         "\" is that of one" + (part->in_tb() ? " TB" : "") +
                         ", but there is no \"" + std::string(part->count) + "\"",
                     "add \"" + std::string(part->count) + "\"");
  }
}

}  // namespace stallcast::scenarios
