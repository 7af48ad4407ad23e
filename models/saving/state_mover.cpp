#include "models/saving/state_mover.hpp"

#include <algorithm>
#include <utility>

#include "models/contract/operations.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

// DCP's .metadata and a marker are far below what a second write costs besides its bytes.
constexpr Bytes kMarker = Bytes::from(1.0, unit::MiB);

FileSharing file_sharing(const CheckpointParams& p) {
  if (p.sharing == "aligned") return FileSharing::aligned;
  return p.sharing == "interleaved" ? FileSharing::interleaved : FileSharing::own;
}

// The tier `local-nvme` is a store like those of kind `local`.    [docs/models/local.md, eq. 8]
CheckpointParams with_stores(CheckpointParams p, const std::string& host) {
  const auto place = [&](std::string& tier) {
    if (tier == kLocalNvme) tier = Plant::drives_of(host);
  };
  for (std::string& tier : p.tiers) place(tier);
  if (p.durable) place(*p.durable);
  if (p.restore_from) place(*p.restore_from);
  return p;
}

}  // namespace

StateMover::StateMover(const JobDesign& job, Plant& plant, sim::Context& context)
    : context_(context),
      plant_(plant),
      p_(with_stores(checkpoint_params(*job.checkpoint), job_params(job.job).hosts)),
      job_(job.job.id),
      host_(job_params(job.job).hosts),
      host_params_(plant.host(host_)),
      spread_(plant.layout(job_).spread()),
      past_memory_(plant.layout(job_).gds_saves),
      layout_(checkpoint_layout(p_, model_params(job.model), job_params(job.job), spread_.ranks,
                                spread_.most())) {
  for (const std::string& tier : p_.tiers)
    if (tier != kHostMemory) tiers_.push_back(tier);
  if (tiers_.empty() && p_.to != kHostMemory) tiers_.push_back(p_.to);
}

bool StateMover::is_storage(std::string_view tier) const { return !in_memory(tier); }

double StateMover::ranks_in(const HostGroup& group, const HostSpan& span) const {
  return spread_.on_first(std::min(group.end(), span.to)) -
         spread_.on_first(std::max(group.first, span.from));
}

std::vector<Mover> StateMover::movers(const std::vector<RankShare>& shares, JobWork work) {
  std::vector<std::string> used = tiers_;
  used.push_back(p_.to);
  if (p_.restore_from) used.push_back(*p_.restore_from);
  const std::vector<HostGroup>& groups = plant_.groups(host_);
  std::vector<Mover> out;
  const std::vector<HostSpan> spans = placed(shares, spread_);
  double all_ranks = 0.0;
  for (const RankShare& share : shares) all_ranks += share.members;
  const double at_once = std::min(all_ranks, spread_.most()) * static_cast<double>(p_.threads);
  for (std::size_t s = 0; s < shares.size(); ++s) {
    const RankShare& share = shares[s];
    bool first = true;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double there = groups[g].shared_with(spans[s].from, spans[s].to);
      if (there <= 0.0) continue;
      const double all = groups[g].hosts;
      Mover mover{g, share, all < 1.0 + kHostRounding || there > all - kHostRounding, at_once, {}};
      mover.share.members = share.members * there / spans[s].hosts();
      if (spread_.more() > 0.0 && fills_hosts(share, spread_)) {  // each group's hosts are alike
        const double has = ranks_in(groups[g], spans[s]);
        mover.share.members = share.members * has / ranks_in({.hosts = spread_.hosts}, spans[s]);
        mover.share.per_host = has / there;
      }
      mover.share.rank0 = share.rank0 && first;
      first = false;
      for (const std::string& tier : used) {
        if (!is_storage(tier) || mover.mounts.contains(tier)) continue;
        Client client = plant_.job_client(job_, host_, g, tier, mover.share.members, past_memory_);
        // Where links share out what those hosts have, none of it is kept for who is done.
        client.hosts = mover.apart ? all : there;  // [docs/models/host.md, eq. 7]
        client.asker = Asker::at(client.asker, work);
        plant_.many_to_one(client, at_once);
        mover.mounts.emplace(tier, std::move(client));
      }
      out.push_back(std::move(mover));
    }
  }
  return out;
}

// Where the ranks of one host move, or of all hosts of a group alike, the links share out what
// there is. Classes that sit on some of its hosts could draw on the links of all of them: each rank
// is held to its host's part.    [docs/models/checkpoint.md, eq. 17]
Rate StateMover::fair(const Mover& mover, Rate all) const {
  return mover.apart ? Rate::infinity() : all / mover.share.per_host;
}

Rate StateMover::per_host(const Mover& mover, sim::LinkId link) const {
  return context_.use(link).capacity / plant_.groups(host_)[mover.group].hosts;
}

Rate StateMover::nic(std::size_t group) const {
  return host_params_.nic() * plant_.nic_share(host_, group);
}

sim::Task<Served> StateMover::copy(const Mover& mover, Bytes bytes) {
  // t = S_rank / min(copy rate, DRAM share)
  const sim::LinkId memory = plant_.host_link(host_, mover.group, "memory.snapshot");
  const Rate gpu =
      p_.snapshot == "pageable" ? host_params_.gpu_copy_pageable : host_params_.gpu_copy;
  std::vector<sim::LinkId> path{memory};
  if (const sim::LinkId up = plant_.host_link(host_, mover.group, "pcie.up"); up.valid())
    path.push_back(up);  // the uplinks of PCIe switches, where they limit    [host.md, eq. 1]
  const Rate of_memory = fair(mover, per_host(mover, memory));
  const sim::FlowOutcome flow = co_await context_.transfer({.path = path,
                                                            .bytes = bytes,
                                                            .members = mover.share.members,
                                                            .cap = std::min(gpu, of_memory)});
  if (flow.binding.valid()) co_return Served{plant_.resources().of_link[flow.binding.index]};
  co_return Served{host_resource(of_memory < gpu ? "memory.snapshot" : "gpu.copy")};
}

sim::Task<Served> StateMover::exchange(std::size_t group, double members, Rate each, Bytes bytes) {
  const std::vector<sim::LinkId> path{plant_.host_link(host_, group, "nic.write"),
                                      plant_.host_link(host_, group, "nic.read")};
  co_await context_.transfer({.path = path, .bytes = bytes, .members = members, .cap = each});
  co_return Served{host_resource("nic.read")};
}

// Each host sends and takes in as much: over all that it sends to a store by, and all that it reads
// from there by, with the cores of both.    [docs/models/checkpoint.md, eq. 14]
sim::Task<Served> StateMover::with_peers(const Mover& mover, Bytes bytes) {
  const Rate ports = nic(mover.group);
  const Plant::Narrowest narrowest = plant_.between_hosts(host_, mover.group);
  const Rate most = std::min(ports, fair(mover, std::min(ports, narrowest.rate)));
  const std::vector<sim::LinkId> way = plant_.links_between_hosts(host_, mover.group);
  const auto moving = [&]() -> sim::Task<Served> {
    const sim::FlowOutcome flow = co_await context_.transfer(
        {.path = way, .bytes = bytes, .members = mover.share.members, .cap = most});
    if (flow.binding.valid()) co_return Served{plant_.resources().of_link[flow.binding.index]};
    co_return Served{most < ports && narrowest.rate < ports
                         ? plant_.resources().index(narrowest.resource)
                         : host_resource("nic.read")};
  };
  HostCores cores = plant_.cores(host_, mover.group, std::string(kPeerMemory), mover.share.members);
  const Served served = co_await cores.beside(cores.beside(moving(), {Moves::write, bytes, most}),
                                              {Moves::read, bytes, most});
  uncontended_cpu_ += cores.uncontended;
  co_return served;
}

bool StateMover::passes_on(std::size_t group) const {
  return p_.broadcasts_over_nvlink() && plant_.host_link(host_, group, "nvlink").valid();
}

sim::Task<Served> StateMover::pass_on(std::size_t group, double members, Bytes bytes) {
  const sim::LinkId nvlink = plant_.host_link(host_, group, "nvlink");
  co_await context_.transfer({.path = {&nvlink, 1},
                              .bytes = bytes,
                              .members = members,
                              .cap = host_params_.nvlink_payload()});
  co_return Served{host_resource("nvlink")};
}

// max(S (1 - R / N) / nic, S (R - 1) / N / nvlink)    [docs/models/checkpoint.md, eq. 4 and 13]
sim::Task<void> StateMover::at_rank0(const Mover& mover, const char* port, WaitSplit& took,
                                     double part) {
  const Seconds outside = layout_.gathered * part / nic(mover.group);
  const Seconds inside = layout_.gathered_inside * part / host_params_.nvlink_payload();
  const Seconds time = std::max(outside, inside);
  if (time <= Seconds{}) co_return;
  co_await context_.sleep(time);
  took.add(Phase::data, time, host_resource(inside > outside ? "nvlink" : port));
}

// Names are looked up once for all saves.
const StateMover::WayOfHost& StateMover::way_of_host(std::size_t group, const std::string& tier) {
  std::vector<std::optional<WayOfHost>>& of_tier = ways_[tier];
  if (group >= of_tier.size()) of_tier.resize(group + 1);
  std::optional<WayOfHost>& way = of_tier[group];
  const auto one = [&](bool reading) {
    return plant_.of_one_host(host_, group, tier, reading, past_memory_).rate;
  };
  if (!way) way = {one(true), one(false)};
  return *way;
}

Client StateMover::threads_of(const Mover& mover, const std::string& tier) {
  Client client = mover.mounts.find(tier)->second;
  const double threads = static_cast<double>(p_.threads);
  client.members *= threads;
  client.directories = p_.directories == "own" ? Directories::own : Directories::one;
  const Rate ports = plant_.storage(tier).local() ? Rate::infinity() : nic(mover.group);
  const auto hold = [&](Rate& most, Rate host) {
    if (!mover.apart) most = std::min(most, fair(mover, std::min(most, host)));
    most = most / threads;
  };
  const WayOfHost& way = way_of_host(mover.group, tier);
  const double met = plant_.fabric().incast_share(mover.reads);  // [docs/models/network.md, eq. 4]
  hold(client.host_read, std::min(ports * met, way.read));
  hold(client.host_write, Rate::infinity());
  hold(client.port_write, std::min(ports, way.write));
  const auto each = plant_.of_one_process(host_, tier, false, past_memory_, threads);
  if (past_memory_ && each.rate < client.core) {
    client.core = each.rate;
    client.writes_by = plant_.resources().index(each.resource);
    client.reads_by = plant_.resources().index(
        plant_.of_one_process(host_, tier, true, past_memory_, threads).resource);
  }
  return client;
}

// What went to peers is still in the memory of its own host.
std::string StateMover::drained_from(std::size_t tier) const {
  while (tier > 0)
    if (tiers_[--tier] != kPeerMemory) return tiers_[tier];
  return {};
}

bool StateMover::is_local(const std::string& tier) const {
  return !tier.empty() && is_storage(tier) && plant_.storage(tier).local();
}

bool StateMover::holds_own(const std::string& tier) const {
  return in_memory(tier) ||
         (!tier.empty() && is_storage(tier) && plant_.storage(tier).own_of_host());
}

double StateMover::of_stored(std::string_view tier) const {
  return in_memory(tier) && p_.compresses_on_cpu() ? p_.compress_ratio : 1.0;
}

StateMover::Piece StateMover::piece(const Mover& mover, double part, double share) const {
  const double threads = static_cast<double>(p_.threads);
  return {p_.stored(mover.share.bytes) * part * share / threads,
          std::max(1.0, mover.share.files_in(part) / threads) * share};
}

sim::Task<void> StateMover::send(const Mover& mover, std::string tier, Piece piece,
                                 Served& served) {
  served = co_await write(mover, tier, piece);
}

sim::Task<void> StateMover::read_back(const Mover& mover, std::string tier, Piece piece,
                                      Served& served) {
  served = co_await plant_.storage(tier).read(
      threads_of(mover, tier), {.bytes = piece.bytes, .files = piece.files, .direct = direct()});
}

sim::Task<Served> StateMover::write(const Mover& mover, const std::string& tier, Piece piece) {
  const double threads = static_cast<double>(p_.threads);
  const double copies = static_cast<double>(p_.peers);
  if (tier == kPeerMemory)
    co_return co_await with_peers(mover, piece.bytes * (threads * of_stored(tier) * copies));
  Client client = threads_of(mover, tier);
  if (p_.flush_rate) {
    // Whoever writes more has as much more of it, so that all end together.
    const Rate each = *p_.flush_rate * (mover.share.bytes / layout_.size()) / threads;
    if (each <= client.host_write) client.held_to = own_resource("flush_rate");
    client.host_write = std::min(client.host_write, each);
  }
  StorageModel& storage = plant_.storage(tier);
  const bool cached = storage.client_limits().page_cache;
  if (cached && !direct()) buffered_ += piece.bytes * (threads * mover.share.members);
  const WriteRequest request{.bytes = piece.bytes,
                             .files = piece.files,
                             .writers = layout_.writer_count() * threads,
                             .company = layout_.company(mover.share),
                             .direct = direct(),
                             .sharing = file_sharing(p_),
                             .piece = p_.piece,
                             .content = Content::save,
                             .save = piece.save};
  const double sent = storage.sent();
  co_return co_await in_line(
      client, request.files, request.bytes, request.files,
      on_cores(mover, tier, client, storage.write(client, request),
               {Moves::write, request.bytes * sent, client.writes_at_most(sent)}));
}

sim::Task<Served> StateMover::read(const Mover& mover, const std::string& tier, Bytes bytes,
                                   double files, SaveReaders by, double round_trips, double share) {
  if (tier == kHostMemory) co_return Served{};
  bytes = bytes * share;
  if (tier == kPeerMemory) co_return co_await with_peers(mover, bytes);
  const double threads = static_cast<double>(p_.threads);
  const Client client = threads_of(mover, tier);
  const double each = std::max(1.0, files / threads) * share;
  StorageModel& storage = plant_.storage(tier);
  const ReadRequest request{
      .bytes = bytes / threads,
      .files = each,
      .round_trips = round_trips,
      .direct = direct(),
      .opened = each,
      .sharing = file_sharing(p_),
      .piece = p_.piece,
      .readers = by.readers * threads,
      .saved = file_sharing(p_) == FileSharing::own ? by.files * threads : 1.0,
      .company = by.company,
      .save = by.save};
  const auto open_and_read = [&]() -> sim::Task<Served> {
    co_await storage.open(client, each);
    co_return co_await on_cores(mover, tier, client, storage.read(client, request),
                                {Moves::read, request.bytes, client.reads_at_most()});
  };
  co_return co_await in_line(client, each, request.bytes, each, open_and_read());
}

sim::Task<void> StateMover::compute(const Mover& mover, const CpuPasses& passes, WaitSplit& took) {
  const Seconds began = context_.now();
  HostCores cores = plant_.cores(host_, mover.group, p_.to,
                                 mover.share.members * static_cast<double>(p_.threads));
  co_await cores.compute(passes.total);
  uncontended_cpu_ += cores.uncontended;
  took.add(Phase::cpu, passes.total, own_resource(passes.worst));
  if (const Seconds waited = context_.now() - began - passes.total; waited > passes.total * 1e-9)
    took.add(Phase::cpu, waited, cores.resource);
}

// The storage's client runs on cores that loaders decode on.    [docs/models/host.md, eq. 3]
sim::Task<Served> StateMover::on_cores(const Mover& mover, const std::string& tier,
                                       const Client& client, sim::Task<Served> moving,
                                       HostCores::Operation operation) {
  HostCores cores = plant_.cores(host_, mover.group, tier, client.members);
  if (past_memory_) cores.rates = {};  // no core sees the bytes    [host.md, table 1]
  const Served served = co_await cores.beside(std::move(moving), operation);
  uncontended_cpu_ += cores.uncontended;
  co_return served;
}

sim::Task<Served> StateMover::metadata(const Mover& mover, const std::string& tier,
                                       double operations, std::optional<Bytes> renamed) {
  if (!is_storage(tier)) co_return Served{};
  const Client& client = mover.mounts.find(tier)->second;
  StorageModel& storage = plant_.storage(tier);
  // GCC 12 destroys a task twice that a conditional makes within what is awaited.
  sim::Task<Served> asked = renamed ? storage.rename(client, operations, *renamed / operations)
                                    : storage.open(client, operations);
  co_return co_await in_line(client, operations, {}, 0.0, std::move(asked));
}

sim::Task<Served> StateMover::mark(const std::string& tier) {
  if (!is_storage(tier)) co_return Served{};
  Client client = plant_.job_client(job_, host_, 0, tier, 1.0);
  client.asker = Asker::at(client.asker, JobWork::saves);
  co_return co_await plant_.storage(tier).write(client, {.bytes = kMarker});
}

// [docs/models/tenants.md, eq. 12]
sim::Task<Served> StateMover::in_line(const Client& client, double named, Bytes bytes, double files,
                                      sim::Task<Served> moving) {
  if (client.operations == nullptr) return moving;
  return until_begun(*client.operations, client.operations->admit(client, named, bytes, files),
                     std::move(moving));
}
sim::Task<Served> StateMover::until_begun(const OperationLine& line, Seconds begun,
                                          sim::Task<Served> moving) {
  const Served served = co_await moving;
  if (begun <= context_.now()) co_return served;
  co_await context_.sleep(begun - context_.now());
  co_return Served{line.resource()};
}

// Faster passes, and more cores, take off both.    [docs/models/checkpoint.md, eq. 7]
ResourceIndex StateMover::worst_of(const WaitSplit& took) const {
  const ResourceIndex worst = took.worst();
  if (worst == kNoResource) return worst;
  const auto of = [&](ResourceIndex resource) {
    const auto found = took.by_resource.find(resource);
    return found == took.by_resource.end() ? Seconds{} : found->second;
  };
  const ResourceIndex cores = host_resource("cpu");
  ResourceIndex pass = kNoResource;
  Seconds longest, sum = of(cores);
  for (const char* name : {"serialize", "compress", "checksum", "encrypt"}) {
    const ResourceIndex one = own_resource(name);
    sum += of(one);
    if (of(one) > longest) pass = one, longest = of(one);
  }
  if (pass == kNoResource || sum <= of(worst)) return worst;
  return of(cores) > longest * (1.0 + 1e-6) ? cores : pass;
}

ResourceIndex StateMover::host_resource(const std::string& what) const {
  return plant_.resources().index("host." + host_ + "." + what);
}
ResourceIndex StateMover::own_resource(std::string_view what) const {
  return plant_.resources().index(metric::checkpoint(job_, what));
}

}  // namespace stallcast::models
