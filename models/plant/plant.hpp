#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/name_map.hpp"
#include "engine/graph/topology.hpp"
#include "engine/sim/context.hpp"
#include "models/contract/host.hpp"
#include "models/contract/host_cores.hpp"
#include "models/contract/operations.hpp"
#include "models/contract/presumption.hpp"
#include "models/contract/resources.hpp"
#include "models/contract/storage.hpp"
#include "models/contract/training.hpp"
#include "models/plant/fabric.hpp"
#include "models/plant/host_groups.hpp"
#include "models/plant/rank_layout.hpp"
#include "models/plant/slow_hosts.hpp"
#include "models/stage/job_order.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models {

struct CheckpointParams;

/// The physical system of a design: one topology, the storage systems in it, and, once attached to
/// a context, one simulated link per edge of finite capacity.
class Plant {
 public:
  explicit Plant(const Design& design, Presumed presumed = {});

  /// Makes the links. Called once.
  void attach(sim::Context& context, std::uint64_t seed);

  [[nodiscard]] const graph::Topology& topology() const { return topology_; }
  [[nodiscard]] ResourceTable& resources() { return resources_; }
  [[nodiscard]] const RankLayout& layout(const std::string& job) const { return layouts_.at(job); }
  /// Groups its hosts are folded into.
  [[nodiscard]] const std::vector<HostGroup>& groups(const std::string& host) const {
    return hosts_.at(host).cut.groups;
  }
  /// What a host group has at present of the speed of its GPUs, and of the rate of its ports.
  [[nodiscard]] double gpu_speed(const std::string& host, std::size_t group) const;
  [[nodiscard]] double nic_share(const std::string& host, std::size_t group) const;
  /// A step of a job begins: stragglers are what they are at the present date. REQUIRES: attached.
  void begin_step();
  /// Others are in the place of the last `hosts` hosts of a class: they are no stragglers.
  /// REQUIRES: attached, and a border there.
  void replace(const std::string& host, double hosts);
  [[nodiscard]] const HostParams& host(const std::string& id) const { return hosts_.at(id).params; }
  [[nodiscard]] StorageModel& storage(const std::string& id) const { return *storages_.at(id); }
  [[nodiscard]] const JobOrder& order() const { return order_; }
  [[nodiscard]] const FabricParams& fabric() const { return fabric_.params(); }
  [[nodiscard]] const Fabric& network() const { return fabric_; }

  /// Id of the store that the drives of a host class (`nvme`) are. REQUIRES: a job uses them.
  [[nodiscard]] static std::string drives_of(const std::string& host) {
    return "host." + host + ".nvme";
  }
  /// A new class of `members` processes in host group `group`. REQUIRES: attached.
  /// `gds`: it reads into GPUs and writes out of them, past host memory.
  [[nodiscard]] Client client(const std::string& host, std::size_t group,
                              const std::string& storage, double members, bool gds = false);
  /// Of clients of who is no job: the files they create are no other's.
  [[nodiscard]] std::size_t another_owner() { return 1 + qos_.size() + others_++; }
  /// The same for processes of job `job`, with its weight and behind its limit.
  [[nodiscard]] Client job_client(const std::string& job, const std::string& host,
                                  std::size_t group, const std::string& storage, double members,
                                  bool gds = false);
  /// The same for those that read samples: behind what the storage system gives such reads.
  [[nodiscard]] Client reading_client(const std::string& job, const std::string& host,
                                      std::size_t group, const std::string& storage, double members,
                                      bool gds = false);
  /// `client` of a tenant or a stage, held to what the targets give on which its few files lie.
  ///    [docs/models/storage.md, eq. 5]
  void hold_to_files(Client& client, const std::string& who, const std::string& storage) const;
  /// `client`, of whose kind one host has so many reads under way at a time, held to what these
  /// fill of its port where they come from many.    [docs/models/network.md, eq. 4]
  void many_to_one(Client& client, double reads) const;
  /// The least of several rates, and which it is: "host.gpu.nic.write".
  struct Narrowest {
    Rate rate = Rate::infinity();
    std::string resource;
  };
  /// What all processes of one host of group `group` read from `storage`, or send to it, together:
  /// the least of its ports, memory and drives, of reads of its client, too.
  ///    [docs/models/host.md, eq. 7]
  [[nodiscard]] Narrowest of_one_host(const std::string& host, std::size_t group,
                                      const std::string& storage, bool reading,
                                      bool gds = false) const;
  /// The least of these and of its client.
  [[nodiscard]] Narrowest narrowest_in_host(const std::string& host, std::size_t group,
                                            const std::string& storage, bool reading,
                                            bool gds = false) const;
  /// What one host of group `group` sends to the memory of others of its class, or takes from
  /// there: the least of its memory, PCIe, links between sockets and ports.
  ///    [docs/models/checkpoint.md, eq. 14]
  [[nodiscard]] Narrowest between_hosts(const std::string& host, std::size_t group) const;
  /// The links of that way. REQUIRES: attached.
  [[nodiscard]] std::vector<sim::LinkId> links_between_hosts(const std::string& host,
                                                             std::size_t group) const;
  /// What one process moves at most, of `threads` that share the path of a GPU: its core, cuFile,
  /// that path. Without a resource it is its core.    [docs/models/host.md, eq. 4]
  [[nodiscard]] Narrowest of_one_process(const std::string& host, const std::string& storage,
                                         bool reading, bool gds = false,
                                         double threads = 1.0) const;
  /// The cores of host group `group`, as `members` processes that use `storage` take their time.
  [[nodiscard]] HostCores cores(const std::string& host, std::size_t group,
                                const std::string& storage, double members);
  /// A link of host group `group`: "cpu", "memory.snapshot", "nic.read". Invalid when
  /// the host has none. REQUIRES: attached.
  [[nodiscard]] sim::LinkId host_link(const std::string& host, std::size_t group,
                                      std::string_view what) const;
  /// Links that join the hosts of group `group` with all storage, out of their area and into it;
  /// those that can limit. REQUIRES: attached.
  [[nodiscard]] std::vector<sim::LinkId> uplinks(const std::string& host, std::size_t group) const;
  /// Node where reads from `storage` end on the hosts of group `group` / where writes begin.
  [[nodiscard]] graph::NodeId mount(const std::string& host, std::size_t group,
                                    const std::string& storage, bool reading,
                                    bool gds = false) const;
  /// The same of every group of the class.
  [[nodiscard]] std::vector<graph::NodeId> mounts(const std::string& host,
                                                  const std::string& storage, bool reading,
                                                  bool gds = false) const;
  /// How many there are on average, by resource name.
  using Queues = std::map<std::string, double>;
  /// Requests waiting at every line.
  [[nodiscard]] Queues queues(Seconds wall) const;
  /// What every link carried up to now, members of a class together, plus the queues of the storage
  /// systems. Transfers under way on links are added to `under_way_on`, if it is given.
  [[nodiscard]] std::vector<ResourceUse> report(const sim::Context& context, Seconds wall,
                                                Queues* under_way_on = nullptr) const;
  /// What to know of drives inside hosts that are busy on one class and idle on another, of which
  /// `report` has the mean.
  [[nodiscard]] std::vector<std::string> unevenly_busy(const sim::Context& context,
                                                       Seconds wall) const;
  /// Credits that storage systems have at present; those that live on some.
  [[nodiscard]] std::map<std::string, std::vector<CreditLevel>> credits() const;
  /// The run is over, which took `wall`: restores may follow.
  void over(Seconds wall);
  /// What storage systems served so far that has a price or takes credits, by who asked for it.
  [[nodiscard]] RequestCounts requests() const;
  void describe(sim::Ledger& ledger);
  /// What else the storage systems report.
  void remark(RunResult& out) const;
  /// Whether equal reads from `storage`, or from what lies behind it, take different times.
  [[nodiscard]] bool varied(const std::string& storage) const;

 private:
  struct HostClass {
    HostParams params;
    SlowHosts stragglers;
    HostCut cut = {};
    std::vector<std::string> names = {};  ///< of its groups: "host.gpu[2]"
    bool direct = true;                   ///< every job on it reads with O_DIRECT
    bool gds = false;                     ///< some job on it moves data past host memory
    std::size_t first_group = 0;          ///< number of its first group, over all classes
    std::vector<FabricPorts> areas = {};  ///< of the fabric that each group lies in
    bool nvlink = false;                  ///< some job passes data from GPU to GPU there
    bool drives = false;                  ///< some job uses the drives of the host
    double processes = 0.0;               ///< those on one server
    double asking = 0.0;  ///< of these, threads that may wait for storage at one time
    double busy = 0.0;    ///< cores that these and threads beside them can keep busy
    /// Of stragglers.
    struct SlowPort {
      std::size_t group;
      sim::LinkId link;
      Rate full;
    };
    std::vector<SlowPort> slow_ports = {};
    /// Whether the hosts of a group are slow at present.
    [[nodiscard]] bool slow(std::size_t group) const {
      return cut.groups[group].slow && stragglers.slow();
    }
    [[nodiscard]] FabricSite site() const {
      return {static_cast<double>(params.count), static_cast<double>(params.nic_count),
              params.nic_rate};
    }
  };
  /// What a job may take of storage that others use, too.
  struct JobQos {
    double share = 1.0;
    std::optional<Rate> limit = std::nullopt;
    std::optional<OpRate> operations = std::nullopt;
    std::size_t number = 0;  ///< of the job in the design
  };
  void fold(const Design& design);
  /// Who may wait for storage on a server at one time.
  void count_askers(const Design& design);
  /// Ranks of a job, where its hosts are known.
  [[nodiscard]] RankLayout unfolded(const JobDesign& job) const;
  /// Whether loaders can be presumed to keep up: of a job, and of the design.
  [[nodiscard]] bool may_keep_up(const JobDesign& job, const RankLayout& layout) const;
  [[nodiscard]] bool loaders_may_keep_up(const Design& design) const;
  /// Classes a job is to be simulated as, where its ranks may act alike.
  [[nodiscard]] double classes(const RunParams& run, const JobDesign& job,
                               const RankLayout& layout) const;
  /// Whether samples or reads do.
  [[nodiscard]] bool ranks_differ(const JobDesign& job, const RankLayout& layout) const;
  /// Whether data on `from` are in the end read from `storage`: itself, or behind caches.
  [[nodiscard]] bool leads_to(std::string from, const std::string& storage) const;
  /// Whether jobs read what they saved from `storage`.
  [[nodiscard]] bool reads_saves(const Design& design, const std::string& storage) const;
  /// Jobs that save to it, or behind caches to it.
  /// Saves of jobs that may be under way at one time, of each at most so many.
  [[nodiscard]] std::size_t savers_of(const Design& design, const std::string& storage,
                                      std::size_t most = 2) const;
  /// Whether a place of `saves` leads to it: a tier, their end, or where they are read from.
  [[nodiscard]] bool leads_any_to(const CheckpointParams& saves, const std::string& storage) const;
  void build_host_drives();
  void build_hosts(const Design& design);
  /// Whether hosts of the class can have `storage` mounted: not the drives of other hosts.
  [[nodiscard]] bool reaches(const std::string& host, const std::string& storage) const;
  /// Whether a link is that of drives in hosts of a class that does not use them, while others do.
  ///    [docs/models/local.md, eq. 10]
  [[nodiscard]] bool of_idle_drives(std::string_view link) const;
  /// The host class that a group of hosts is of.
  [[nodiscard]] const std::string& class_of(std::size_t group) const;
  /// Cores that jobs can keep busy on each server.    [docs/models/host.md, eq. 2]
  void count_cores(const Design& design);
  /// What cores move between a host class and a storage system, the host's own copies left out.
  [[nodiscard]] CoreRates core_rates_to(const std::string& host, const std::string& storage) const;
  [[nodiscard]] HostCpu cpu(const std::string& host, std::size_t group);
  [[nodiscard]] const std::string& group_name(const std::string& host, std::size_t group) const {
    return hosts_.at(host).names[group];
  }
  [[nodiscard]] std::vector<sim::LinkId> links(graph::NodeId from, graph::NodeId to) const;
  /// How the jobs, tenants and stages of the design use that storage system.
  [[nodiscard]] StorageLoad load_of(const Design& design, const std::string& storage) const;
  void add_stages(const Design& design, const std::string& storage, StorageLoad& load) const;
  /// `client` reads behind what `storage` gives each of those whose reads these are.
  void hold_reads(Client& client, const std::string& storage,
                  const std::vector<std::string>& of) const;
  [[nodiscard]] std::vector<sim::LinkId> links_of(const std::vector<graph::EdgeId>& way) const;
  /// From a storage system to the mount of a host group, or back.
  [[nodiscard]] std::vector<graph::EdgeId> route_of(const std::string& host, std::size_t group,
                                                    const std::string& storage, bool reading,
                                                    bool gds) const;
  [[nodiscard]] std::vector<graph::EdgeId> route_between_hosts(const std::string& host,
                                                               std::size_t group) const;
  [[nodiscard]] Narrowest narrowest_of(const std::vector<graph::EdgeId>& way) const;
  /// Invalid when there is none.
  [[nodiscard]] sim::LinkId link_named(std::string_view name) const;

  JobOrder order_;
  graph::Topology topology_;
  Fabric fabric_;
  std::map<std::string, HostClass> hosts_;
  std::map<std::string, std::unique_ptr<StorageModel>> storages_;
  std::set<std::string> host_drives_;  ///< of these, drives of host classes
  /// Beginnings of names of links of drives inside hosts, and the ends of those that nobody uses.
  std::map<std::string, std::set<std::string, std::less<>>> idle_drives_;
  std::map<std::string, RankLayout> layouts_;
  std::vector<std::string> users_;  ///< of storage: jobs, stages and tenants
  std::uint64_t clients_ = 0;
  std::size_t others_ = 0;  ///< owners of files that are no jobs
  sim::Context* context_ = nullptr;
  Seconds began_;  ///< date at which the run did
  ResourceTable resources_;
  std::vector<sim::LinkId> link_of_edge_;
  std::vector<double> hosts_of_edge_;  ///< that have it inside, together; 0: shared by all
  base::NameMap<sim::LinkId> link_by_name_;
  std::map<std::uint32_t, sim::LinkId> meeting_;  ///< by link: part of it that reads of many fill
  std::map<std::string, JobQos> qos_;             ///< by job
  std::map<std::string, OperationLine> operations_;  ///< of jobs that may begin only so many
  Presumed presumed_;
  std::map<std::string, CoreMeter> meters_;  ///< by host group
};

}  // namespace stallcast::models
