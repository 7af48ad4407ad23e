#include "engine/base/design_values.hpp"

namespace stallcast::base {
namespace {

void add_values(const Component& component, const std::string& path,
                std::vector<std::pair<std::string, const Value*>>& out) {
  for (const auto& [key, value] : component.values) out.emplace_back(path + "." + key, &value);
}

}  // namespace

std::vector<std::pair<std::string, const Value*>> values_of(const Design& design) {
  std::vector<std::pair<std::string, const Value*>> out;
  for (const Component& host : design.hosts)
    add_values(host, "cluster.hosts[" + host.id + "]", out);
  add_values(design.fabric, "cluster.fabric", out);
  for (const Component& storage : design.storage)
    add_values(storage, "storage[" + storage.id + "]", out);
  for (const JobDesign& job : design.jobs) {
    const std::string path = "jobs[" + job.job.id + "]";
    add_values(job.job, path, out);
    add_values(job.model, path + ".model", out);
    add_values(job.step, path + ".step", out);
    if (job.dataset) add_values(*job.dataset, path + ".dataset", out);
    if (job.loader) add_values(*job.loader, path + ".loader", out);
    if (job.checkpoint) add_values(*job.checkpoint, path + ".checkpoint", out);
    if (job.communication) add_values(*job.communication, path + ".communication", out);
    if (job.recovery) add_values(*job.recovery, path + ".recovery", out);
    if (job.elastic) add_values(*job.elastic, path + ".elastic", out);
  }
  for (const Component& tenant : design.tenants)
    add_values(tenant, "tenants[" + tenant.id + "]", out);
  for (const Component& failure : design.failures)
    add_values(failure, "failures[" + failure.id + "]", out);
  add_values(design.run, "run", out);
  return out;
}

std::string plain_path(std::string_view path) {
  std::string out;
  for (const char c : path)
    if (c == '[')
      out += '.';
    else if (c != ']')
      out += c;
  return out;
}

}  // namespace stallcast::base
