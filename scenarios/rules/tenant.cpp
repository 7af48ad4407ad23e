#include "engine/base/quantity_text.hpp"
#include "scenarios/rules/support.hpp"

/// Rules of the other traffic on a design.
namespace stallcast::scenarios {

void check_tenant(const Design& design, const Component& tenant, Diagnostics& report) {
  check_reference(tenant, "on", ids_of(design.storage), "storage system", report);
  check_reference(tenant, "hosts", ids_of(design.hosts), "host class", report);
  const double burst = number(tenant, "burst", 1.0), share = number(tenant, "burst_share");
  if (burst > 1.0 && burst * share > 1.0)
    report.error("rule", pointer_of(tenant, "burst"),
                 "bursts of " + base::shortest(burst) + " times the mean rate during " +
                     base::print_quantity(share, Dimension::ratio) +
                     " of the time are more than all requests",
                 "\"burst\" x \"burst_share\" is at most 1");
  const Value *stop = tenant.find("stop"), *duration = design.run.find("duration");
  if (duration != nullptr && number(tenant, "start") >= duration->number)
    report.warn("rule", pointer_of(tenant, "start"),
                "the run ends before tenant \"" + tenant.id + "\" starts",
                "let it start earlier, or lengthen \"run\": { \"duration\": ... }");
  if (stop != nullptr && stop->number <= number(tenant, "start"))
    report.error("rule", pointer_of(tenant, "stop"),
                 "tenant \"" + tenant.id + "\" stops before it starts",
                 "\"stop\" is later than \"start\"");
}

}  // namespace stallcast::scenarios
