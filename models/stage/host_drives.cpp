#include "models/stage/host_drives.hpp"

#include <algorithm>

#include "engine/base/design_values.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/contract/replay_program.hpp"
#include "models/contract/rows.hpp"
#include "models/contract/storage.hpp"
#include "models/contract/training.hpp"

namespace stallcast::models {
namespace {

bool saves_to(const JobDesign& job, const std::string& storage) {
  if (!job.checkpoint) return false;
  const CheckpointParams p = checkpoint_params(*job.checkpoint);
  return p.to == storage || p.restore_from == storage ||
         std::count(p.tiers.begin(), p.tiers.end(), storage) > 0;
}

std::string hosts_of(const StageNode& node) {
  return node.job != nullptr ? job_params(node.job->job).hosts : node.move.hosts;
}

/// Who is at drives of hosts.
struct User {
  std::string id, hosts;
};

// One of those who use drives of hosts; nullptr: some on `hosts` do, or nobody.
const User* only_elsewhere(const std::vector<User>& users, const std::string& hosts) {
  const bool there = std::any_of(users.begin(), users.end(),
                                 [&](const User& user) { return user.hosts == hosts; });
  return users.empty() || there ? nullptr : users.data();
}

}  // namespace

bool in_each_host(const Design& design, const std::string& storage) {
  const Component* found = storage.empty() ? nullptr : design.find_storage(storage);
  return found != nullptr && own_of_host(*found);
}

std::set<std::string> hosts_that_use(const Design& design, const std::string& storage) {
  std::set<std::string> out;
  for (const JobDesign& job : design.jobs)
    if (reads_from(job, storage) || saves_to(job, storage)) out.insert(job_params(job.job).hosts);
  const auto add = [&](const Component& of, const std::vector<std::string>& places) {
    const Value* hosts = of.find("hosts");
    if (hosts != nullptr && std::count(places.begin(), places.end(), storage) > 0)
      out.insert(hosts->text);
  };
  for (const Component& tenant : design.tenants) add(tenant, places_of(tenant));
  for (const Component& stage : design.stages)
    for (const char* end : {"from", "to"})
      if (const Value* place = stage.find(end)) add(stage, {place->text});
  return out;
}

// What a job reads there, or a stage that writes it for such a job, is in full on each of its
// hosts.    [docs/models/stages.md, eq. 8]
void copy_to_each_host(const Design& design, std::vector<StageNode>& nodes) {
  for (std::size_t n = nodes.size(); n-- > 0;) {
    StageNode& node = nodes[n];
    if (node.job != nullptr) continue;
    node.hosts = base::number_of(*design.find_host(node.move.hosts), "count");
    if (!in_each_host(design, node.work.to)) continue;
    const bool in_full = std::any_of(nodes.begin(), nodes.end(), [&](const StageNode& later) {
      return hosts_of(later) == node.move.hosts && follows(nodes, later, n) &&
             (later.job != nullptr ? reads_from(*later.job, node.work.to)
                                   : later.copies > 1.0 && later.move.from == node.work.to);
    });
    if (in_full) node.copies = node.hosts;
  }
}

std::vector<StageFault> faults_of_host_drives(const Design& design,
                                              const std::vector<StageNode>& nodes) {
  std::vector<StageFault> out;
  if (design.stages.empty()) return out;
  const auto fault = [&](const Component& stage, const User& other) {
    out.push_back({.what = StageFault::What::other_hosts,
                   .component = &stage,
                   .key = "hosts",
                   .name = other.id,
                   .hosts = other.hosts});
  };
  for (const Component& storage : design.storage) {
    if (!in_each_host(design, storage.id)) continue;
    // Stages read what a job reads or saves there, or another stage writes.
    std::vector<User> users;
    for (const JobDesign& job : design.jobs)
      if (reads_from(job, storage.id) || saves_to(job, storage.id))
        users.push_back({job.job.id, job_params(job.job).hosts});
    for (const StageNode& node : nodes)
      if (node.work.to == storage.id) users.push_back({node.id, node.move.hosts});
    for (const StageNode& node : nodes)
      if (node.job == nullptr && node.move.from == storage.id)
        if (const User* other = only_elsewhere(users, node.move.hosts)) fault(*node.stage, *other);
    // Jobs read what the stages before them write.
    for (const StageNode& node : nodes) {
      if (node.job == nullptr || !reads_from(*node.job, storage.id)) continue;
      std::vector<User> before;
      const Component* brings = nullptr;
      for (std::size_t n = 0; n < nodes.size(); ++n)
        if (nodes[n].work.to == storage.id && follows(nodes, node, n)) {
          before.push_back({nodes[n].id, nodes[n].move.hosts});
          brings = nodes[n].stage;
        }
      if (only_elsewhere(before, hosts_of(node)) != nullptr)
        fault(*brings, {node.id, hosts_of(node)});
    }
  }
  return out;
}

}  // namespace stallcast::models
