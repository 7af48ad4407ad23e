#include "models/storage/pooled_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "models/contract/own_links.hpp"
#include "models/storage/others.hpp"

namespace stallcast::models {
namespace {

// Service threads of one metadata server: beyond it, the rate alone decides.
constexpr double kMostThreads = 1e4;

double threads_for(OpRate rate, Seconds service) {
  return std::clamp(std::round((rate * service).in(unit::ops)), 1.0, kMostThreads);
}

}  // namespace

void PooledStore::build(graph::Topology& topology, const StorageLoad& load) {
  using enum graph::NodeRole;
  load_ = load;
  PoolShape shape = pool(load);
  if (load.readers.size() + (load.anywhere ? 1 : 0) > 1) shape.read = find_own_reads(load);
  for (const StorageLoad::Writer& writer : load.writers)
    if (const double share = reach({&writer.to, 1}); share < 1.0)
      own_writes_[writer.who] = shape.write.rate * share;
  metadata_name_ = name_ + "." + shape.metadata;
  media_name_ = name_ + "." + shape.media;
  const std::string &media = media_name_, servers = name_ + "." + shape.server;
  const auto named = [&](const PartCeiling& ceiling, const char* way) {
    const std::string part = ceiling.part.value_or(shape.media);
    return name_ + (part.empty() ? "." : "." + part + ".") + way;
  };
  // A ceiling that cannot bind before what all share is not a resource of its own, but for media
  // that are not that: a target of theirs that rebuilds may make them the lower one.
  const auto below = [&](PartCeiling& most, Rate media) {
    if (most.rate < shape.shared) return most.rate;
    if (shape.behind.empty() || !media.finite()) return Rate::infinity();
    most = {shape.behind, most.rate};
    return std::max(media, shape.shared * kWider);
  };
  const Rate read = below(shape.read, shape.of_media.read);
  const Rate write = below(shape.write, shape.of_media.write);
  const std::string reads = named(shape.read, "read"), writes = named(shape.write, "write");
  reads_.most = std::min({shape.read.rate, shape.shared, shape.nic.read, shape.back.read});
  writes_.most = std::min({shape.write.rate, shape.shared, shape.nic.write, shape.back.write});
  media_in_ = topology.add_node(media + ".in", target);
  media_out_ = topology.add_node(media + ".out", target);
  const auto server_out = topology.add_node(servers + ".out", server);
  const auto server_in = topology.add_node(servers + ".in", server);
  egress_ = topology.add_node(name_ + ".egress", network);
  ingress_ = topology.add_node(name_ + ".ingress", network);
  topology.add_edge(media_in_, media_out_, media, shape.shared);
  // Where some of those who read have a ceiling of their own, what all read is counted: by a link
  // that nobody waits for.
  const bool counted = !own_reads_.empty() || jobs_together_.finite();
  topology.add_edge(media_out_, server_out, reads,
                    counted && !read.finite() ? shape.shared * kWider : read);
  topology.add_edge(server_in, media_in_, writes, write);
  graph::NodeId out = egress_, in = ingress_;
  // Further links of every byte, where they limit.
  const auto through = [&](const std::string& part, const BothWays& most) {
    if (!most.read.finite() && !most.write.finite()) return;
    const graph::NodeId to = out, from = in;
    out = topology.add_node(part + ".out", network);
    in = topology.add_node(part + ".in", network);
    topology.add_edge(out, to, part + ".read", most.read);
    topology.add_edge(from, in, part + ".write", most.write);
  };
  const std::string nic = servers + ".nic", back = servers + ".back_nic";
  through(name_ + ".router", shape.routers);
  through(back, shape.back);
  topology.add_edge(server_out, out, nic + ".read", shape.nic.read);
  topology.add_edge(in, server_in, nic + ".write", shape.nic.write);
  media_edges_ = {media, reads, writes};
  if (!shape.behind.empty()) media_alone_[media] = Rate::infinity();
  if (shape.of_media.read.finite()) media_alone_[reads] = shape.of_media.read;
  if (shape.of_media.write.finite()) media_alone_[writes] = shape.of_media.write;
  server_edges_ = {nic + ".read", nic + ".write", back + ".read", back + ".write"};
  attached_ = shape.attached;
}

// Where several read, each gets what the system gives reads like its own, and all together what it
// gives those that are easiest; so do all jobs beside others.    [docs/models/storage.md, eq. 12]
PartCeiling PooledStore::find_own_reads(const StorageLoad& load) {
  const auto given = [&](double concurrent, Bytes file,
                         std::span<const StorageLoad::Reader> readers) {
    StorageLoad one = load;
    one.concurrent_reads = concurrent, one.file = file;
    one.readers.assign(readers.begin(), readers.end());
    return pool(one).read;
  };
  PartCeiling together = Rate{}, jobs = Rate{};
  std::size_t of_jobs = 0;
  for (const StorageLoad::Reader& reader : load.readers) {
    const bool known = reader.concurrent_reads > 0.0;  // how many it reads at a time
    together =
        std::max(together, given(known ? load.concurrent_reads : 0.0, reader.file, load.readers));
    if (known) jobs = std::max(jobs, together);
    if (reader.who.empty()) continue;
    of_jobs += known ? 1 : 0;
    own_reads_[reader.who] = given(reader.concurrent_reads, reader.file, {&reader, 1}).rate;
  }
  const PartCeiling most =
      load.anywhere ? std::max(together, given(0.0, Bytes::infinity(), {})) : together;
  if (of_jobs > 1 && jobs < most) jobs_together_ = jobs.rate;
  std::erase_if(own_reads_, [&](const auto& own) { return own.second >= most.rate; });
  return most;
}

std::optional<OwnReads> PooledStore::own_reads(const std::string& who) const {
  const auto found = own_reads_.find(who);
  const Rate own = found == own_reads_.end() ? Rate::infinity() : found->second;
  if (!own.finite() && !jobs_together_.finite()) return {};
  return OwnReads{media_edges_[1], own, jobs_together_};
}

std::optional<OwnWrites> PooledStore::own_writes(const std::string& who) const {
  const auto found = own_writes_.find(who);
  if (found == own_writes_.end()) return {};
  return OwnWrites{media_name_, found->second};
}

// At most opens x servers / requests    [docs/models/bounds.md, eq. 2]
StorageModel::OpenLimit PooledStore::open_limit(double reads) const {
  return {metadata().opens * (metadata_servers() / open_requests(reads)), metadata_name_};
}

void PooledStore::attach(sim::Context& context, ResourceTable& resources, Seconds round_trip,
                         std::uint64_t seed) {
  context_ = &context;
  resources_ = &resources;
  load_.round_trip = round_trip;
  seed_ = seed;
  metadata_ = metadata();
  // m threads of service time s serve m / s requests a second: m is chosen so that an idle server
  // answers in `service` and a busy one reaches `opens`. A create takes of these threads' time what
  // they reach `creates` by.    [docs/models/storage.md, eq. 2]
  const double threads = threads_for(metadata_.opens, metadata_.service);
  const auto service = [](double threads, OpRate rate) {
    return Ops::from(threads, unit::ops) / rate;
  };
  // Of 3.9 servers' worth all whole threads work, each so much longer that they reach no more.
  const double whole = std::ceil(threads * metadata_.servers - kRounding);
  const double longer = whole / (threads * metadata_.servers);
  line_.emplace(context, static_cast<std::int64_t>(whole));
  open_ = {service(threads, metadata_.opens) * longer, service(threads, metadata_.opens)};
  // Threads of its own answer it: how many opens have does not say how long it takes.
  const double creating = threads_for(metadata_.creates, metadata_.service);
  create_ = {service(threads, metadata_.creates) * longer, service(creating, metadata_.creates),
             true};
  if (metadata_.creates < metadata_.opens) {
    const double all = std::max(std::floor(creating * metadata_.servers), 1.0);
    creates_.emplace(context, static_cast<std::int64_t>(all));
    paced_ = service(all, metadata_.creates * metadata_.servers);
  }
  // The directory's lock is held for one create at a time.    [docs/models/storage.md, eq. 3]
  const auto one_at_a_time = [](OpRate rate) {
    return rate.finite() ? Ops::from(1.0, unit::ops) / rate : Seconds{};
  };
  directory_service_ = one_at_a_time(metadata_.directory_creates);
  directory_open_service_ = one_at_a_time(metadata_.directory_opens);
  if (directory_service_ > Seconds{} || directory_open_service_ > Seconds{})
    directory_resource_ = resources.index(name_ + ".directory");
  // One operation a second, or one busy disk, is held as 1 B/s.    [docs/models/storage.md, eq. 14]
  std::vector<std::string> with_media = media_edges_;
  if (const WorkShape shape = work(); !shape.name.empty()) {
    const std::string work_name = name_ + "." + shape.name;
    work_most_ = shape.capacity;
    work_resource_ = resources.index(shape.part.empty() ? work_name : name_ + "." + shape.part);
    work_link_ = add_work(work_name, work_most_);
    // Uneven reads leave some of it idle.    [docs/models/storage.md, eq. 5]
    reads_.most_work = shape.reads > 0.0 ? std::min(shape.reads, work_most_) : work_most_;
    if (reads_.most_work < work_most_)
      work_of_reads_ = add_work(work_name + ".read", reads_.most_work);
    with_media.push_back(resources.name(work_resource_));
  }
  media_links_ = ScaledLinks(context, resources, with_media, media_alone_);
  server_links_ = ScaledLinks(context, resources, server_edges_);
  metadata_up_.emplace(context).set();
  metadata_resource_ = resources.index(metadata_name_);
  media_resource_ = resources.index(media_name_);
  const auto media = std::find(resources.of_link.begin(), resources.of_link.end(), media_resource_);
  if (media != resources.of_link.end())
    media_link_.index = static_cast<std::uint32_t>(media - resources.of_link.begin());
  stream_resource_ = resources.index(name_ + ".client.stream");
  if (load_.savers < 2 || !media_link_.valid()) return;
  // Links for saves that meet, as wide as all media: no report tells of them.
  for (const auto& [saves, what] : {std::pair(&saved_, "saves"), {&restored_, "restores"}}) {
    const Rate media = context.use(media_link_).capacity * kWider;
    const sim::LinkId link = context.add_link(own_link(media_name_, what), media);
    resources.of_link.resize(link.index + 1, kNoResource);
    resources.of_link[link.index] = media_resource_;
    saves->attach(context, link);
  }
  if (held_targets() == 0.0) return;
  pieces_link_ =
      context.add_link(own_link(media_name_, "pieces"), Rate::from(held_targets(), unit::Bps));
  resources.of_link.resize(pieces_link_.index + 1, kNoResource);
  resources.of_link[pieces_link_.index] = media_resource_;
}

sim::LinkId PooledStore::add_work(const std::string& name, double capacity) {
  const sim::LinkId link = context_->add_link(name, Rate::from(capacity, unit::Bps));
  resources_->of_link.resize(link.index + 1, kNoResource);
  resources_->of_link[link.index] = work_resource_;
  return link;
}

// As long as all bytes that may move ask for no more than there is, nobody waits for it.
void PooledStore::begin(Working& working, const Client& client, Work work, Way& way, Bytes bytes,
                        Seconds at_least) {
  if (!work_link_.valid() || !(work.amount > 0.0)) return;
  working.amount = work.amount * client.members;
  if (const Bytes one = bytes / work.amount; one < way.for_one) {
    way.for_one = one;
    scarce_ = scarce_ || reads_.work() + writes_.work() > work_most_ * (1.0 + kRounding) ||
              (work_of_reads_.valid() && reads_.work() > reads_.most_work * (1.0 + kRounding));
  }
  if (!scarce_) return;
  const std::array<sim::LinkId, 2> links{work_link_, work_of_reads_};
  const std::size_t crossed = &way == &reads_ && work_of_reads_.valid() ? 2 : 1;
  // No faster than the operation needs it.
  begin(working, client, std::span(links).first(crossed), work, work.amount / at_least.in(unit::s));
}

void PooledStore::begin(Working& working, const Client& client, std::span<const sim::LinkId> links,
                        Work work, double most) {
  working.on = true;
  working.began = context_->now();
  working.flow.start(*context_,
                     sim::weighted({.path = links,
                                    .bytes = Bytes::from(work.amount / work.copies, unit::B),
                                    .members = client.members * work.copies,
                                    .cap = Rate::from(most / work.copies, unit::Bps)},
                                   client.share));
}

sim::Task<Served> PooledStore::end(Working& working, Served served, ResourceIndex by) {
  const Seconds rest = context_->now();
  const sim::FlowOutcome flow = co_await working.flow.end();
  const Seconds rounding = (rest - working.began) * kRounding;
  const bool shared = flow.binding.valid() && flow.ended > rest - rounding;
  if (shared || flow.ended > rest + rounding) served.limited_by = by;
  co_return served;
}

sim::Task<Served> PooledStore::stream_in(const Client& client, Bytes bytes, StreamCap cap,
                                         Rate placed, Work work) {
  const Rate own = std::min(cap.rate, client.reads_at_most());
  Working working;
  begin(working, client, work, reads_, bytes, bytes / std::min(own, placed));
  const sim::Flow asked = sim::weighted({.path = client.read_path,
                                         .bytes = bytes,
                                         .members = client.members,
                                         .cap = std::min(own, placed)},
                                        client.share);
  const sim::FlowOutcome flow = co_await context_->transfer(asked);
  const bool by_media = !flow.binding.valid() && media_bind(cap, client.reads_at_most(), placed);
  Served served = by_media ? Served{media_resource_} : blame(flow);
  if (!by_media && !flow.binding.valid() && client.reads_at_most() <= cap.rate)
    served.limited_by = client.read_limit(stream_resource_);
  waits_for_others(client, *context_, asked, flow);
  if (ends(working)) co_return served;
  co_return co_await end(working, served, work_resource_);
}

// Copies and parity are further streams to the media, as fast as the data at most; so is parity of
// small files that clients send, past what limits what they write.
//    [docs/models/storage.md, eq. 13]
sim::Task<Served> PooledStore::stream_out(const Client& client, Bytes bytes, StreamCap cap,
                                          Rate placed, Outward how, Work work) {
  const Rate most = client.writes_at_most(how.sent);
  Rate own = std::min({cap.rate, most, placed});
  if (how.evenly > Seconds{} && bytes > Bytes{}) own = bytes / (how.evenly + bytes / own);
  const sim::Flow data = sim::weighted(
      {.path = client.write_path, .bytes = bytes, .members = client.members, .cap = own},
      client.share);
  Working working;
  begin(working, client, work, writes_, bytes, bytes / own);
  sim::FlowOutcome flow;
  std::array<sim::Flow, 3> flows{data, data, data};
  std::array<std::vector<sim::LinkId>, 2> past;  // links that the other flows take
  std::size_t n = 1;
  bool by_media = false;
  const auto goes_past = [&](double share, std::span<const sim::LinkId> plain, bool limit) {
    if (share <= kRounding) return;
    std::vector<sim::LinkId>& path = past[n - 1] = client.write_path;
    std::erase_if(path, [&](sim::LinkId link) {
      return (limit && link == client.limit) || std::ranges::find(plain, link) != plain.end();
    });
    flows[n].path = path;
    flows[n++].members *= share;
    flows[0].members -= data.members * share;
  };
  if (how.written > 1.0 && media_link_.valid()) {
    flows[n].path = {&media_link_, 1};
    flows[n++].members *= how.written - 1.0;
  } else {
    const double plain = client.plain.empty() ? 1.0 : 1.0 / how.sent;
    const double limited = client.limit.valid() ? std::min(1.0, sent() / how.sent) : 1.0;
    goes_past(limited - std::min(plain, limited), client.plain, false);
    goes_past(1.0 - limited, client.plain, true);
  }
  if (n > 1) {
    std::array<sim::FlowOutcome, 3> outcomes;
    co_await context_->transfer_all(std::span(flows).first(n), std::span(outcomes).first(n));
    flow = outcomes[0];
    for (std::size_t f = 1; f < n; ++f)
      by_media = by_media || outcomes[f].ended - flow.ended > (flow.ended - flow.began) * kRounding;
  } else {
    flow = co_await context_->transfer(data);
  }
  by_media = by_media || (!flow.binding.valid() && media_bind(cap, most, placed));
  const bool by_host = !flow.binding.valid() && most <= cap.rate;
  Served served = by_media ? Served{media_resource_} : blame(flow);
  if (by_host && !by_media) served.limited_by = client.write_limit(stream_resource_, how.sent);
  if (ends(working)) co_return served;
  co_return co_await end(working, served, work_resource_);
}

std::vector<sim::LinkId> PooledStore::past_media(const std::vector<sim::LinkId>& path) const {
  std::vector<sim::LinkId> out = path;
  std::erase_if(out, [&](sim::LinkId link) { return media_links_.has(link); });
  return out;
}

Served PooledStore::blame(const sim::FlowOutcome& flow) const {
  return {flow.binding.valid() ? resources_->of_link[flow.binding.index] : stream_resource_};
}

void PooledStore::describe(sim::Ledger& ledger) {
  line_->describe(ledger);
  if (creates_) creates_->describe(ledger);
  ledger.count(waited_longer_);
  for (auto& [owner, line] : directories_) line.describe(ledger);
  metadata_up_->describe(ledger);
  ledger.state(scarce_);
  ledger.state(apart_);
  saved_.describe(ledger);
  restored_.describe(ledger);
  ledger.count(unshared_);
}

double PooledStore::parts(StoragePart part) const {
  const PoolShape shape = pool({});
  return part == StoragePart::target     ? shape.targets
         : part == StoragePart::server   ? shape.servers
         : part == StoragePart::metadata ? metadata_servers()
                                         : 1.0;
}

void PooledStore::scale(StoragePart part, double factor) {
  const bool all = part == StoragePart::service;
  if (part == StoragePart::target) media_links_.scale_part(*context_, factor);
  if (all || (part == StoragePart::server && attached_)) media_links_.scale(*context_, factor);
  if (part == StoragePart::server) server_links_.scale(*context_, factor);
  if (!all && part != StoragePart::metadata) return;
  metadata_factor_ *= factor;
  if (metadata_factor_ > kStopped)
    metadata_up_->set();
  else
    metadata_up_->reset();
}

void PooledStore::report(Seconds wall, std::vector<ResourceUse>& out) const {
  ResourceUse use;
  use.name = metadata_name_;
  use.unit = "1/s";
  use.capacity = (metadata_.opens * metadata_.servers).in(unit::per_s);
  // Utilization is busy time over servers; as a rate, in opens.
  const double busy = line_->worked() / (wall * static_cast<double>(line_->servers()));
  use.throughput = use.capacity * busy;
  out.push_back(use);
  report_directory(wall, out);
  if (!work_link_.valid()) return;
  const std::string work_name = name_ + "." + work().name;
  for (ResourceUse& one : out)
    if (one.name == work_name) one.throughput += unshared_ / wall.in(unit::s);
}

std::vector<std::pair<std::string, double>> PooledStore::queues(Seconds wall) const {
  return {{metadata_name_,
           (line_->waited() + waited_longer_) / wall}};  // Little: requests x wait / time
}

}  // namespace stallcast::models
