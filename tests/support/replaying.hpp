#pragma once

#include <string>

#include "tests/support/designs.hpp"
#include "tests/support/filer.hpp"
#include "tests/support/programs.hpp"

namespace stallcast::testing {

/// Hosts on an NFS filer of one 5 GB/s controller: a request that waits takes 10 us there and back
/// and 250 us of service; memory copies 10 GB/s; nothing else limits.
inline constexpr double kTurn = 260e-6, kRate = 5e9, kCopy = 10e9;

[[nodiscard]] inline Design replaying(const std::string& program, Settings settings = {},
                                      const char* hosts = "2") {
  Design design = small_design();
  design.jobs.clear();
  design.run.values.erase("duration");
  design.hosts[0] = component(models::Role::host, "host", "gpu",
                              {{"count", hosts}, {"cpu.copy", "10 GB/s"}, {"nic.rate", "8 Tb/s"}});
  design.fabric = component(models::Role::fabric, "switched", "fabric", {{"rtt", "10 us"}});
  design.storage[0] = filer_of_one_head({{"commit", "1 ms"},
                                         {"client.transport", "rdma"},
                                         {"client.connection", "100 GB/s"},
                                         {"client.stream", "100 GB/s"}});
  Component tenant = component(models::Role::tenant, "replay", "replay", settings);
  set(tenant, models::Role::tenant, "on", "scratch");
  set(tenant, models::Role::tenant, "hosts", "gpu");
  set(tenant, models::Role::tenant, "program", program.c_str());
  design.tenants = {tenant};
  return design;
}

[[nodiscard]] inline double makespan(const Design& design) {
  return metric(run(design), "tenant.replay.makespan");
}

}  // namespace stallcast::testing
