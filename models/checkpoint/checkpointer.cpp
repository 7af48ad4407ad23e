#include "models/checkpoint/checkpointer.hpp"

#include <algorithm>

#include "engine/sim/join.hpp"
#include "models/rows.hpp"

namespace stallcast::models {
namespace {

// Share of host memory that snapshots may take before training would run out of memory.
constexpr double kStagingShare = 0.5;
// Tiers that are not a storage system's id.
constexpr std::string_view kHostMemory = "host-memory";
constexpr std::string_view kLocalNvme = "local-nvme";

}  // namespace

Checkpointer::Checkpointer(const JobDesign& job, Plant& plant, sim::Context& context)
    : context_(context),
      plant_(plant),
      p_(checkpoint_params(*job.checkpoint)),
      style_(checkpoint_row(job.checkpoint->kind).style()),
      host_(job_params(job.job).hosts),
      host_params_(plant.host(host_)),
      size_(p_.size.value_or(model_params(job.model).state())),
      buffers_(context, p_.buffers),
      idle_(context) {
  const RankLayout& layout = plant.layout(job.job.id);
  for (const std::string& tier : p_.tiers)
    if (tier != kHostMemory) tiers_.push_back(tier);
  if (tiers_.empty()) tiers_.push_back(p_.to);
  if (p_.writers == "all") {
    writer_count_ = layout.ranks;
    for (std::size_t g = 0; g < layout.groups; ++g)
      add_writer(g, layout.ranks / static_cast<double>(layout.groups), size_ / layout.ranks);
  } else {
    add_writer(0, 1.0, size_);
    // Every other rank's share crosses rank 0's NIC first.    [docs/models/checkpoint.md, eq. 4]
    gather_ = size_ * ((layout.ranks - 1.0) / layout.ranks) / host_params_.nic();
  }
  copy_resource_ = plant.resources().index("host." + host_ + ".gpu.copy");
  serialize_resource_ = plant.resources().index("job." + job.job.id + ".checkpoint.serialize");
  const Bytes staged = size_ * static_cast<double>(p_.buffers) / layout.hosts;
  if (!style_.blocking && staged > host_params_.memory * kStagingShare) {
    style_.blocking = true;
    warnings_.push_back(
        "job." + job.job.id +
        ".checkpoint: the snapshots do not fit in host memory; saves are synchronous");
  }
}

void Checkpointer::add_writer(std::size_t group, double members, Bytes bytes) {
  Writer writer{.group = group, .members = members, .bytes = bytes, .mounts = {}};
  for (const std::string& tier : tiers_)
    if (tier != kLocalNvme) writer.mounts.emplace(tier, plant_.client(host_, group, tier, members));
  writers_.push_back(std::move(writer));
}

bool Checkpointer::due(std::int64_t steps) const {
  if (p_.every_steps) return steps - last_steps_ >= *p_.every_steps;
  return p_.every && context_.now() - last_start_ >= *p_.every;
}

sim::Task<void> Checkpointer::snapshot(const Writer& writer) {
  // t = S_rank / min(copy rate, DRAM share)    [docs/models/checkpoint.md, eq. 2]
  const sim::LinkId memory = plant_.host_link(host_, writer.group, "memory.snapshot");
  co_await context_.transfer({.path = {&memory, 1},
                              .bytes = writer.bytes,
                              .members = writer.members,
                              .cap = host_params_.gpu_copy});
}

sim::Task<void> Checkpointer::read_back(const Writer& writer, std::string tier) {
  const Client& client = writer.mounts.find(tier)->second;
  co_await plant_.storage(tier).read(
      client, {.bytes = writer.bytes, .files = static_cast<double>(p_.files), .direct = p_.direct});
}

sim::Task<void> Checkpointer::write(const Writer& writer, std::string tier, bool from_nvme,
                                    ResourceIndex& limit) {
  const double ranks_per_host =
      std::max(1.0, writer_count_ / static_cast<double>(host_params_.count));
  if (tier == kLocalNvme) {
    const sim::LinkId nvme = plant_.host_link(host_, writer.group, "nvme.write");
    co_await context_.transfer({.path = {&nvme, 1},
                                .bytes = writer.bytes,
                                .members = writer.members,
                                .cap = *host_params_.nvme_write});
    limit = plant_.resources().of_link[nvme.index];
    co_return;
  }
  Client client = writer.mounts.find(tier)->second;
  if (from_nvme) {  // drained: read from the drive and sent on in one stream
    client.write_path.push_back(plant_.host_link(host_, writer.group, "nvme.read"));
    client.host_write = std::min(client.host_write, *host_params_.nvme_read / ranks_per_host);
  }
  const Served served =
      co_await plant_.storage(tier).write(client, {.bytes = writer.bytes,
                                                   .files = static_cast<double>(p_.files),
                                                   .writers = writer_count_,
                                                   .direct = p_.direct});
  limit = served.limited_by;
}

sim::Task<void> Checkpointer::snapshot_all() {
  const Seconds start = context_.now();
  co_await context_.sleep(gather_);
  std::vector<sim::Task<void>> parts;
  for (const Writer& writer : writers_) parts.push_back(snapshot(writer));
  co_await sim::join(context_, std::move(parts));
  took_.add(Phase::data, context_.now() - start, copy_resource_);
}

sim::Task<void> Checkpointer::serialise() {
  const Seconds time = p_.serializer == "torch" ? size_ / writer_count_ / p_.serialize : Seconds{};
  co_await context_.sleep(time);
  took_.add(Phase::cpu, time, serialize_resource_);
}

sim::Task<void> Checkpointer::write_all(std::string tier, std::string from) {
  const Seconds start = context_.now();
  ResourceIndex limit = kNoResource;
  std::vector<sim::Task<void>> parts;
  for (const Writer& writer : writers_) {
    parts.push_back(write(writer, tier, from == kLocalNvme, limit));
    if (!from.empty() && from != kLocalNvme && plant_.storage(from).local())
      parts.push_back(read_back(writer, from));  // drained: read while it is sent on
  }
  co_await sim::join(context_, std::move(parts));
  took_.add(Phase::data, context_.now() - start, limit);
  last_limit_ = limit;
}

sim::Task<void> Checkpointer::phases(std::vector<sim::Task<void>> parts) {
  if (p_.stream) {
    co_await sim::join(context_, std::move(parts));
    co_return;
  }
  for (sim::Task<void>& part : parts) {
    sim::Task<void> phase = std::move(part);
    co_await phase;
  }
}

sim::Task<void> Checkpointer::flush(Seconds began) {
  std::vector<sim::Task<void>> parts;
  if (style_.blocking) parts.push_back(snapshot_all());
  parts.push_back(serialise());
  parts.push_back(write_all(tiers_.front(), ""));
  co_await phases(std::move(parts));
  if (!style_.blocking) {  // the snapshot has left host memory
    staged_.add((context_.now() - began).in(unit::s));
    buffers_.release();
  }
  for (std::size_t t = 1; t < tiers_.size(); ++t) co_await write_all(tiers_[t], tiers_[t - 1]);
  durations_.add((context_.now() - began).in(unit::s));
  if (--flushing_ == 0) idle_.set();
}

sim::Task<void> Checkpointer::save(std::int64_t steps) {
  const Seconds began = context_.now();
  last_start_ = began;
  last_steps_ = steps;
  co_await context_.sleep(p_.quiesce);
  ++flushing_;
  idle_.reset();
  if (style_.blocking) {
    const WaitSplit before = took_;
    co_await flush(began);
    blamed_ += took_.since(before, context_.now() - began);
  } else {
    // max(0, end of the flush that holds the buffer - now)    [docs/models/checkpoint.md, eq. 3]
    const Seconds asked = context_.now();
    co_await buffers_.acquire();
    const Seconds start = context_.now();
    backpressure_.add((start - asked).in(unit::s));
    blamed_.add(Phase::data, start - asked, last_limit_);
    co_await snapshot_all();
    blamed_.add(Phase::data, context_.now() - start, copy_resource_);
    context_.spawn(flush(began));
  }
  const Seconds stall = context_.now() - began;
  stalls_.add(stall.in(unit::s));
  stalled_ += stall;
}

sim::Task<void> Checkpointer::drain() {
  if (flushing_ > 0) co_await idle_.wait();
}

void Checkpointer::report(const std::string& job, Seconds wall, RunResult& out) const {
  const std::string name = "job." + job + ".checkpoint.";
  out.metrics[name + "size"] = {size_.in(unit::B), "B", {}};
  out.metrics[name + "count"] = {static_cast<double>(stalls_.size()), "count", {}};
  out.metrics[name + "overhead"] = {stalled_ / wall, "ratio", {}};
  stalls_.report(name + "stall", "s", out);
  durations_.report(name + "duration", "s", out);
  backpressure_.report(name + "backpressure", "s", out);
  if (!durations_.empty())
    out.metrics[name + "bandwidth"] = {size_.in(unit::B) / durations_.mean(), "B/s", {}};
  else
    out.warnings.push_back("job." + job +
                           ".checkpoint: the run ended before the first save was due");
  const auto limit = [&](const char* metric, const WaitSplit& split) {
    if (split.worst() != kNoResource)
      out.limited_by[name + metric] = plant_.resources().name(split.worst());
  };
  limit("duration", took_);
  limit("bandwidth", took_);
  limit("stall", blamed_);
  limit("overhead", blamed_);
  if (last_limit_ != kNoResource)
    out.limited_by[name + "backpressure"] = plant_.resources().name(last_limit_);
  out.warnings.insert(out.warnings.end(), warnings_.begin(), warnings_.end());
}

}  // namespace stallcast::models
