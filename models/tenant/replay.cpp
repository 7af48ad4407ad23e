#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "engine/sim/join.hpp"
#include "models/contract/priority.hpp"
#include "models/contract/replay_program.hpp"
#include "models/tenant/call_times.hpp"
#include "models/tenant/host_pages.hpp"
#include "models/tenant/replay_events.hpp"
#include "models/tenant/tenant.hpp"

/// The operations of a trace, each thread's one after the other with its think times between them.
/// docs/models/replay.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kSpeeds[] = {"keep", "fast"};
constexpr std::size_t kRead = 64;  // records of a thread in memory
// What a sync writes besides the data: the file's own block.
constexpr Bytes kBlock = Bytes::from(4.0, unit::KiB);
// Threads of fewer operations than these keep nearer to each other.    [replay.md, eq. 1]
constexpr double kApart = 32.0;
constexpr Bytes kReplayedTogether =
    Bytes::from(static_cast<double>(kMostReplayedTogether), unit::B);

struct ReplayParams {
  std::string program;
  std::optional<std::string> sha256;
  std::vector<std::string> also;
  std::optional<std::int64_t> per_host;
  std::string speed;
  bool direct = false;
};

constexpr std::array<Field<ReplayParams>, 6> kReplayFields{
    field("program", &ReplayParams::program, kRequired,
          "file that `stallcast replay --keep-program` wrote, relative to the file that names it"),
    field("sha256", &ReplayParams::sha256, kOptional,
          "what the file must be; absent: taken from the file"),
    field("also", &ReplayParams::also, kOptional,
          "storage systems of files that do not lie on `on`, in the order of --map"),
    field("per_host", &ReplayParams::per_host, kOptional,
          "processes on each host, in blocks; absent: those of a machine on one where the trace "
          "tells "
          "machines, else spread evenly",
          up_to(1e7)),
    field("speed", &ReplayParams::speed, "keep",
          "keep: as much time between operations as in the trace; fast: none", one_of(kSpeeds)),
    field("direct", &ReplayParams::direct, "false",
          "O_DIRECT: each call waits for the storage, nothing is kept in memory")};

class Replay final : public Tenant {
 public:
  Replay(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed)
      : Tenant(component, plant, context, seed),
        p_(bind<kReplayFields>(component)),
        program_(opened()),
        host_(plant.host(common().hosts)) {
    const auto hosts = static_cast<std::uint64_t>(host_.count);
    placement_ = replay_placement(program_.header(), hosts, p_.per_host);
    const Bytes used = host_.memory_process * static_cast<double>(placement_.per_host);
    const Bytes free = std::max(Bytes{}, host_.memory - host_.memory_reserved - used);
    dirty_most_ = free * host_.memory_dirty.in(unit::ratio);
    const std::size_t groups = plant.groups(common().hosts).size();
    for (std::size_t g = 0; g < groups; ++g)
      sites_.push_back(std::make_unique<Site>(context, free.in(unit::B)));
    if (program_.header().places > 1 + p_.also.size())
      throw std::runtime_error(p_.program + ": its files lie on " +
                               std::to_string(program_.header().places) +
                               " storage systems: name the others in \"also\"");
    for (const std::string& id : places_of(component)) {
      const bool pages = plant.storage(id).client_limits().page_cache;
      Place place{plant.storage(id), pages, {}, {}};
      for (std::size_t g = 0; g < groups; ++g) {
        Client client = id == common().on ? client_of(g) : plant.client(common().hosts, g, id, 1.0);
        client.share = weight_in_class(common().share, common().priority);
        client.owner = owner();
        plant.many_to_one(client, static_cast<double>(placement_.per_host));
        Client direct = client;
        if (pages) client.core = in_series(client.core, host_.cpu_copy);
        if (pages) direct.core = in_series(direct.core, host_.cpu_direct);
        place.clients.push_back(std::move(client));
        place.direct.push_back(std::move(direct));
      }
      places_.push_back(std::move(place));
    }
  }

  bool ends() const override { return true; }
  Seconds computed() const override { return computed_; }

 private:
  /// A storage system that files lie on.
  struct Place {
    StorageModel& storage;
    bool pages = true;            ///< the hosts keep what is read and written in memory
    std::vector<Client> clients;  ///< of each group of hosts
    std::vector<Client> direct;   ///< the same, past memory
  };
  /// Data written to one file that are on their way to the storage.
  struct Dirty {
    explicit Dirty(sim::Context& context) : clean(context) {}
    Bytes waiting;
    bool moving = false;
    sim::Signal clean;  ///< set when nothing is left
    ResourceIndex limited_by = kNoResource;
  };
  /// A host.
  struct Site {
    Site(sim::Context& context, double memory) : pages(memory), room(context) {}
    HostPages pages;
    Bytes dirty;
    sim::Signal room;  ///< some of it was written
    ResourceIndex limited_by = kNoResource;
    std::unordered_map<std::uint64_t, std::shared_ptr<Dirty>> files;
  };

  ReplayProgram opened() const {
    Result<ReplayProgram> found = ReplayProgram::open(p_.program);
    if (!found.ok()) throw std::runtime_error(found.failure().message);
    if (p_.sha256 && found->sha256() != *p_.sha256)
      throw std::runtime_error(p_.program + ": the program is not the one that was asked for");
    return std::move(found).value();
  }

  sim::Task<void> work() override {
    began_ = ended_ = context().now();
    events_.emplace(context(), program_.header().events, program_.threads().size());
    std::vector<sim::Task<void>> parts;
    for (std::size_t t = 0; t < program_.threads().size(); ++t) parts.push_back(thread(t));
    co_await sim::join(context(), std::move(parts));
    for (const auto& site : sites_) unwritten_ += site->dirty;
  }

  /// Whether a step passes the memory of its host by.
  bool is_direct(const ReplayStep& step) const { return p_.direct || step.direct != 0; }

  /// How far behind the others a thread without think times falls, as part of its first transfer:
  /// all different ones, evenly spread.    [docs/models/replay.md, eq. 1]
  static double lag_of(std::size_t thread, double steps) {
    constexpr double kGolden = 0.6180339887498949;
    const double turns = static_cast<double>(thread) * kGolden;
    return (turns - std::floor(turns)) * std::min(1.0, steps / kApart);
  }

  // A step begins its gap after the one before has ended, or its gap after that has begun and when
  // it has ended; not before the event that it waits for.    [docs/models/replay.md, eq. 1 and 7]
  sim::Task<void> thread(std::size_t index) {
    const ReplayThread& me = program_.threads()[index];
    const std::size_t host = me.process / placement_.per_host % sites_.size();
    Site& site = *sites_[host];
    const bool thinks = p_.speed == "keep";
    Seconds issued = began_;
    double lag = thinks ? 0.0 : lag_of(index, static_cast<double>(me.steps));
    LoopTimes::Loop loop;
    std::vector<ReplayStep> steps;
    for (std::uint64_t done = 0; done < me.steps; ++done) {
      if (done % kRead == 0) {
        steps.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kRead, me.steps - done)));
        if (!program_.read(me.first + done, steps))
          throw std::runtime_error(p_.program + ": the program cannot be read to its end");
      }
      const ReplayStep& step = steps[done % kRead];
      const Seconds gap = thinks ? Seconds::from(step.gap, unit::s) : Seconds{};
      Seconds since = step.from_start ? issued : context().now();
      if (events_->awaits(step)) {
        co_await events_->wait(step.file);
        since = std::max(since, context().now());
      }
      if (since + gap > context().now()) co_await context().sleep(since + gap - context().now());
      if (over()) break;
      issued = context().now();
      if (step.action == ReplayAction::post) events_->post(step.file);
      loops_.mark(step.action, context().now(), loop);
      ended_ = std::max(ended_, context().now());
      if (step.action >= ReplayAction::none) continue;
      const Place& place = places_[step.place];
      Client client = is_direct(step) ? place.direct[host] : place.clients[host];
      client.process = index;
      co_await issue(step, place, client, site);
      ended_ = std::max(ended_, context().now());
      if (lag <= 0.0 || step.action == ReplayAction::metadata || done + 1 == me.steps) continue;
      const Seconds behind = (context().now() - issued) * std::exchange(lag, 0.0);
      if (behind > Seconds{}) co_await context().sleep(behind);
    }
    events_->ended(over());
  }

  sim::Task<void> issue(const ReplayStep& step, const Place& place, const Client& client,
                        Site& site) {
    const Seconds began = context().now();
    Lane* shown = lane();
    switch (step.action) {
      default:
        break;
      case ReplayAction::read:
        open(shown, "read");
        co_await read_step(step, place, client, site);
        break;
      case ReplayAction::write:
        open(shown, "write");
        co_await write_step(step, place, client, site);
        break;
      case ReplayAction::sync:
        open(shown, "sync");
        co_await sync_step(step, place, client, site);
        break;
      case ReplayAction::metadata:
        open(shown, "metadata");
        co_await within_limit({}, static_cast<double>(step.calls));
        const Seconds asked = context().now();
        const Served served = co_await place.storage.open(client, static_cast<double>(step.calls));
        wait_since(asked, served.limited_by);
        break;
    }
    close(shown);
    const double calls = static_cast<double>(step.calls);
    times_[step.action].add((context().now() - began).in(unit::s) / calls, calls);
    count({}, {}, calls);
  }

  // What memory holds is copied; the rest comes from the storage: where the kernel reads ahead,
  // without a turn of its own, as a part of the request that calls close together would be.
  //    [docs/models/replay.md, eq. 2]
  sim::Task<void> read_step(const ReplayStep& step, const Place& place, const Client& client,
                            Site& site) {
    if (step.bytes == 0) co_return;
    const bool direct = is_direct(step), cached = place.pages && !direct;
    const bool placed = cached && step.file != 0 && step.offset != ReplayStep::kNoPosition;
    HostPages::Missing missing{step.bytes, 1};
    const std::uint64_t end = step.offset + step.bytes;
    if (placed) missing = site.pages.missing(step.file, step.offset, end);
    const Bytes held = Bytes::from(static_cast<double>(step.bytes - missing.bytes), unit::B);
    hits_ += held;
    co_await copy(held);
    if (missing.bytes == 0) co_return;
    const Bytes rest = Bytes::from(static_cast<double>(missing.bytes), unit::B);
    co_await within_limit(rest, static_cast<double>(step.calls));
    const Seconds asked = context().now();
    const bool ahead = !direct && step.goes_on && missing.pieces == 1;
    double files = static_cast<double>(direct ? step.calls : missing.pieces);
    if (ahead) files = std::min(1.0, rest / kReplayedTogether);
    const bool within = step.offset > 0 && step.offset != ReplayStep::kNoPosition;
    // Kept here: GCC 12 mistakes temporaries in awaited calls.
    const ReadRequest request{.bytes = rest,
                              .files = files,
                              .round_trips = ahead ? 0.0 : 1.0,
                              .direct = direct,
                              .as_asked = direct,
                              .opened = ahead || within ? 0.0 : 1.0,
                              .larger_file = step.offset > 0 ? Bytes::infinity() : Bytes{},
                              .goes_on = ahead};
    const Served served = co_await place.storage.read(client, request);
    wait_since(asked, served.most_of(context().now() - asked));
    count(rest, {}, 0.0);
    if (cached) computed_ += rest / host_.cpu_copy;
    if (placed) site.pages.add(step.file, step.offset, end);
  }

  // Into memory, unless it is full of what is not written yet.    [docs/models/replay.md, eq. 4]
  sim::Task<void> write_step(const ReplayStep& step, const Place& place, const Client& client,
                             Site& site) {
    if (step.bytes == 0) co_return;
    const Bytes bytes = Bytes::from(static_cast<double>(step.bytes), unit::B);
    co_await within_limit(bytes, static_cast<double>(step.calls));
    Seconds since = context().now();
    if (const bool direct = is_direct(step); direct || !place.pages) {
      const WriteRequest request{.bytes = bytes,
                                 .files = 0.0,
                                 .requests = static_cast<double>(step.calls),
                                 .direct = direct};
      const Served served = co_await place.storage.write(client, request);
      wait_since(since, served.limited_by);
      count({}, bytes, 0.0);
      co_return;
    }
    while (site.dirty > Bytes{} && site.dirty + bytes > dirty_most_) {
      site.room.reset();
      co_await site.room.wait();
    }
    wait(context().now() - since, 1.0, site.limited_by);
    co_await copy(bytes);
    site.dirty += bytes;
    if (step.file != 0 && step.offset != ReplayStep::kNoPosition)
      site.pages.add(step.file, step.offset, step.offset + step.bytes);
    std::shared_ptr<Dirty>& dirty = site.files[step.file];
    if (!dirty) dirty = std::make_shared<Dirty>(context());
    dirty->waiting += bytes;
    if (!dirty->moving) context().spawn(flush(step.file, dirty, place, client, site));
  }

  // All that waits goes at once; what comes meanwhile goes next.
  sim::Task<void> flush(std::uint64_t file, std::shared_ptr<Dirty> dirty, const Place& place,
                        Client client, Site& site) {
    dirty->moving = true;
    while (dirty->waiting > Bytes{}) {
      const Bytes bytes = std::exchange(dirty->waiting, Bytes{});
      const WriteRequest request{.bytes = bytes, .files = 0.0};
      const Served served = co_await place.storage.write(client, request);
      count({}, bytes, 0.0);
      site.limited_by = dirty->limited_by = served.limited_by;
      site.dirty = std::max(Bytes{}, site.dirty - bytes);
      site.room.set();
    }
    dirty->moving = false;
    dirty->clean.set();
    const auto found = site.files.find(file);
    if (found != site.files.end() && found->second == dirty) site.files.erase(found);
  }

  sim::Task<void> sync_step(const ReplayStep& step, const Place& place, const Client& client,
                            Site& site) {
    const Seconds began = context().now();
    const auto found = site.files.find(step.file);
    if (found != site.files.end()) {
      const std::shared_ptr<Dirty> dirty = found->second;
      co_await dirty->clean.wait();
      wait_since(began, dirty->limited_by);
    }
    const Seconds since = context().now();
    const double calls = static_cast<double>(step.calls);
    const WriteRequest request{.bytes = kBlock * calls, .files = calls, .direct = is_direct(step)};
    const Served served = co_await place.storage.write(client, request);
    wait_since(since, served.limited_by);
    count({}, request.bytes, 0.0);
  }

  sim::Task<void> copy(Bytes bytes) {
    if (bytes <= Bytes{}) co_return;
    const Seconds time = bytes / host_.cpu_copy;
    computed_ += time;
    co_await context().sleep(time);
    wait_for_cores(time, 1.0);
  }

  sim::Task<void> within_limit(Bytes bytes, double calls) {
    if (!common().limit && !common().limit_operations) co_return;
    const Seconds asked = context().now();
    const Operation operation{.bytes = bytes, .stands_for = calls};
    const Seconds due = co_await admit(operation);
    co_await context().sleep(std::max(Seconds{}, due - context().now()));
    wait(context().now() - asked, 1.0, own_limit());
  }

  void remark(const std::string& name, RunResult& out) const override {
    out.metrics[name + "makespan"] = {(ended_ - began_).in(unit::s), "s", {}};
    double all = 0.0;
    constexpr std::pair<ReplayAction, const char*> kNames[] = {
        {ReplayAction::read, "reads"},
        {ReplayAction::write, "writes"},
        {ReplayAction::sync, "syncs"},
        {ReplayAction::metadata, "metadata"}};
    for (const auto& [action, what] : kNames) {
      const auto found = times_.find(action);
      if (found == times_.end()) continue;
      found->second.report(name + what + ".latency", out);
      out.metrics[name + what + ".time"] = {found->second.sum(), "s", {}};
      out.metrics[name + what + ".count"] = {found->second.count(), "count", {}};
      all += found->second.sum();
    }
    for (const auto& [times, what] :
         {std::pair{&loops_.steps(), "step"}, std::pair{&loops_.waits(), "wait"}}) {
      if (times->count() <= 0.0) continue;
      times->report(name + what, out);
      out.metrics[name + what + ".time"] = {times->sum(), "s", {}};
      out.metrics[name + what + ".count"] = {times->count(), "count", {}};
    }
    out.metrics[name + "io"] = {all, "s", {}};
    out.metrics[name + "cached"] = {hits_.in(unit::B), "B", {}};
    out.metrics[name + "unwritten"] = {unwritten_.in(unit::B), "B", {}};
  }

  ReplayParams p_;
  ReplayProgram program_;
  const HostParams& host_;
  std::vector<Place> places_;
  ReplayPlacement placement_;
  Bytes dirty_most_;
  std::vector<std::unique_ptr<Site>> sites_;
  Seconds began_, ended_;
  Bytes hits_, unwritten_;
  Seconds computed_;  ///< core time of copies
  std::map<ReplayAction, CallTimes> times_;
  std::optional<ReplayEvents> events_;
  LoopTimes loops_;
};

}  // namespace

TenantKind replay_kind() { return {kInfos<kReplayFields>, make_tenant<Replay>}; }

}  // namespace stallcast::models
