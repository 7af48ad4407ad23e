#include "engine/decide/predict/busiest.hpp"

#include "engine/base/design_values.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::predict {

BusiestTenant busiest_tenant(const Design& design, const Prediction& prediction,
                             const ResourceUse& use) {
  const base::ResourceName name = base::resource_name(use.name);
  BusiestTenant out;
  if (name.role != "storage") return out;
  const auto moves = [&](const Component& tenant, const char* figure) {
    return figure_or_zero(prediction, metric::of_tenant(tenant.id, figure));
  };
  for (const Component& tenant : design.tenants) {
    const Value* on = tenant.find("on");
    if (on == nullptr || on->text != name.id) continue;
    double moved = 0.0;
    if (use.unit != "B/s") moved = moves(tenant, "metadata");
    if (use.unit == "B/s" && !use.name.ends_with(".write")) moved += moves(tenant, "read");
    if (use.unit == "B/s" && !use.name.ends_with(".read")) moved += moves(tenant, "write");
    if (moved > out.moved) out = {&tenant, moved};
  }
  return out;
}

}  // namespace stallcast::predict
