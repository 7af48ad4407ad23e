#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "engine/sim/sync.hpp"
#include "models/cache/hit_ratio.hpp"
#include "models/contract/own_links.hpp"
#include "models/storage/cache_params.hpp"
#include "models/storage/kinds.hpp"

/// A cache of its own servers in front of another storage system: Alluxio, JuiceFS, a file system
/// that loads from a bucket on first touch. Equations and range: docs/models/cache.md.
namespace stallcast::models {
namespace {

using namespace base;

// Of the space, what may be dirty when nothing is said: as Linux' dirty_ratio.
constexpr double kDirtyShare = 0.2;
// Data enter and leave in pieces of this share of the dirty limit, so that writes slow down
// smoothly; a large write enters in so many pieces at most.
constexpr double kPiece = 1.0 / 16.0, kPieces = 256.0;
constexpr double kAllFound = 1e-9;       // what is missed is less: rounding
constexpr double kRounded = 1.0 + 1e-9;  // files are shares of files
constexpr double kPartsAddUp = 1e-6;     // parts of files, to so much
// A write of so many times the dirty limit goes on as its bytes leave, from its beginning.
constexpr double kFewPieces = 64.0;

// Stands for no data at all.
constexpr Bytes kLeastData = Bytes::from(1.0, unit::B);

cache::Eviction eviction(const std::string& name) {
  if (name == "lru") return cache::Eviction::lru;
  return name == "random" ? cache::Eviction::random : cache::Eviction::none;
}

/// What was written through a cache so far, of one kind of content.
struct Written {
  Bytes all, kept;       ///< kept: and stays when it is clean, as far as there is space
  Bytes dirty, waiting;  ///< not yet behind; of that, not yet on its way
};
constexpr std::size_t kContents = 3;

class CacheStore final : public PooledStore {
 public:
  explicit CacheStore(const Component& component)
      : PooledStore(component), p_(cache_store_params(component)) {}

  bool fills() const override { return !p_.warm; }
  void describe(sim::Ledger& ledger) override { ledger.never(); }  // fills and drains over epochs

  std::optional<Backing> backing() const override {
    return Backing{p_.over, servers(), p_.link.value_or(Rate::infinity())};
  }
  void connect(StorageModel& backing, BackingPaths paths) override {
    behind_ = &backing;
    paths_ = std::move(paths);
    if (drain_.valid()) paths_.drain.push_back(drain_);
  }

  void build(graph::Topology& topology, const StorageLoad& load) override {
    PooledStore::build(topology, load);
    expect({});
  }

  void expect(Bytes written) override {
    coming_ += written;
    const Fraction cached =
        Fraction::from(space() / std::max({load().seen, coming_, kLeastData}), unit::ratio);
    ratio_ = {eviction(p_.eviction), cached, p_.warm};
    once_warm_ = {eviction(p_.eviction), cached, true};
  }

  ClientLimits client_limits() const override { return p_.client_limits(); }

  void attach(sim::Context& context, ResourceTable& resources, Seconds round_trip,
              std::uint64_t seed) override {
    PooledStore::attach(context, resources, round_trip, seed);
    drained_.emplace(context);
    if (p_.writes != "back") return;
    const auto link = [&](const std::string& called, Rate rate) {
      const sim::LinkId added = context.add_link(called, rate);
      resources.of_link.resize(added.index + 1, kNoResource);
      resources.of_link[added.index] = resources.index(name() + ".server");
      return added;
    };
    // What is written behind shares it, whoever writes.    [docs/models/cache.md, eq. 9]
    if (p_.drain) drain_ = link(name() + ".drain", *p_.drain);
    room_ = link(own_link(name() + ".space", "room"), p_.write * servers());
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files, false);
  }

  // What is found comes from the cache, the rest is opened and read behind it and passes the cache
  // on its way.    [docs/models/cache.md, eq. 8]
  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    const double found = hit(request);
    const Bytes all = request.bytes * client.members;
    read_ += all;
    found_ += all * found;
    Served served;
    const Seconds began = context().now();
    if (found > 0.0)
      served = co_await read_files(client, {part(request, found), p_.service, p_.stream});
    if (found == 1.0) co_return served;
    const ReadRequest missed = part(request, 1.0 - found);
    Reader& through = reader(client, kept(request));
    const Client behind = through.of(client, p_.connection());
    // Of the files that were opened in front those that are missed, whole ones.
    const double opened = std::max(0.0, std::ceil(missed.opened - through.ahead - kPartsAddUp));
    through.ahead = std::max(0.0, through.ahead + opened - missed.opened);
    // The line is crossed for each open, and for the first byte of each range.  [cache.md, eq. 13]
    crossed_ += missed.bytes * client.members;
    const Seconds asked = context().now(), crossing = p_.link_rtt * (opened + missed.files);
    co_await answers(missed.files * missed.round_trips, p_.service);
    co_await context().sleep(crossing);
    const Seconds to_open = context().now();
    Served there;
    if (opened > 0.0) there = co_await behind_->open(behind, opened);
    const Seconds opening = context().now() - to_open;
    const Seconds looked = asked - began;
    Served read = co_await behind_->read(behind, missed);
    read.tail.mean *= 1.0 - found;  // requests are told as one mean of both
    read = blame_line(read, crossing, asked + opening);
    if (looked > context().now() - asked - opening) read.limited_by = served.limited_by;
    read.opening = opening;
    read.opened_by = there.limited_by;
    co_return read;
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    const bool at_once = request.bytes * client.members > dirty_limit() * kFewPieces;
    return p_.writes == "through" || at_once ? write_through(client, request)
                                             : write_back(client, request);
  }

  void remark(RunResult& out) const override {
    const auto metric = [&](const char* key, double value, const char* unit) {
      out.metrics[name() + "." + key] = {value, unit, {}};
    };
    if (read_ > Bytes{}) metric("hit", found_ / read_, "ratio");
    if (p_.link) metric("link.read", crossed_.in(unit::B), "B");
    if (p_.price > Money{})
      metric("link.price", crossed_ / Bytes::from(1.0, unit::TB) * p_.price.in(unit::USD), "USD");
    if (p_.writes == "back") metric("dirty.peak", peak_.in(unit::B), "B");
  }

  // The hit laws know no time at which a part of what is held is gone.
  double parts(StoragePart part) const override {
    return part == StoragePart::service ? PooledStore::parts(part) : 0.0;
  }
  std::string why_whole() const override {
    return "what a server of it holds is gone with the server, which is not modelled";
  }

  Countable countable() const override {
    return {.noun = "cache servers",
            .unit_read = std::min(p_.read, p_.network(1.0)),
            .unit_write = std::min(p_.write, p_.network(1.0))};
  }

 protected:
  PoolShape pool(const StorageLoad&) const override {
    return {.media = "space",
            .server = "server",
            .metadata = "metadata",
            .shared = servers() * std::max(p_.read, p_.write),
            .read = servers() * p_.read,
            .write = servers() * p_.write,
            .nic = p_.network(servers()),
            .targets = servers(),
            .servers = servers()};
  }

  MetadataShape metadata() const override {
    return {
        .servers = servers(), .opens = p_.opens, .creates = p_.opens, .service = p_.open_service};
  }

 private:
  double servers() const { return static_cast<double>(p_.servers); }
  Bytes space() const { return p_.size * servers(); }
  Bytes dirty_limit() const { return std::min(space(), p_.dirty.value_or(space() * kDirtyShare)); }
  bool too_large(Bytes bytes, double files) const {
    return p_.largest && bytes > *p_.largest * (files * kRounded);
  }
  bool kept(const ReadRequest& request) const {
    if (too_large(request.bytes, request.files)) return false;
    return p_.admit == "all" || request.revisits.passes > 0.0;
  }

  // The laws of a single reader over the space of all servers.    [docs/models/cache.md, eq. 7]
  double hit(const ReadRequest& request) {
    const double there = written_there(request);
    // The laws are about data sets: of saves what was written is all there is.
    if (request.save > Bytes{} || too_large(request.bytes, request.files)) return there;
    cache::Revisits revisits = request.revisits;
    if (p_.admit == "second-read") revisits.passes = std::max(0.0, revisits.passes - 1.0);
    const double found = std::max(there, ratio_.at(revisits));
    return found > 1.0 - kAllFound ? 1.0 : found;
  }

  // What was written through it and is still there. Of data sets the rest of what is to come does
  // not exist yet, so that nobody reads it.    [docs/models/cache.md, eq. 14]
  double written_there(const ReadRequest& request) {
    const Written& data = written_[index(Content::dataset)];
    const Written& saves = written_[index(Content::save)];
    if (request.save > Bytes{})
      return std::min(1.0, std::max(saves.dirty, std::min(saves.kept, space())) / request.save);
    if (data.all <= Bytes{}) return 0.0;
    const Bytes exists = std::max(load().data - coming_, Bytes{}) + data.all;
    return std::min(
        1.0, std::max(data.dirty / exists, data.kept / exists * once_warm_.at(request.revisits)));
  }

  static std::size_t index(Content content) { return static_cast<std::size_t>(content); }
  /// So much of `request` is in the cache now. What is too large for it leaves when it is clean.
  void came_in(const WriteRequest& request, Bytes bytes) {
    Written& written = written_[index(request.content)];
    written.all += bytes;
    if (!too_large(request.bytes, request.ranges())) written.kept += bytes;
  }

  static ReadRequest part(const ReadRequest& request, double share) {
    ReadRequest out = request;
    out.bytes *= share;
    out.files *= share;
    out.opened *= share;
    return out;
  }

  // A client of the system behind whose data also cross this one, each link once.
  struct Reader {
    std::vector<sim::LinkId> path;
    double ahead = 0.0;  // files opened behind beyond those that were missed: part of one

    // As many of it as there are this time.
    [[nodiscard]] Client of(const Client& client, Rate connection) const {
      Client out = client;
      out.read_path = path;
      out.unseen = 0.0;  // whether a member's read misses is drawn by nobody
      out.host_read = std::min(client.host_read, connection);
      return out;
    }
  };
  Reader& reader(const Client& client, bool keep) {
    const auto [found, added] = readers_.try_emplace({client.id, keep});
    if (added) {
      found->second.path = keep ? paths_.fill : paths_.pass;
      append(found->second.path, client.read_path);
    }
    return found->second;
  }
  static bool has(const std::vector<sim::LinkId>& path, sim::LinkId link) {
    return std::find(path.begin(), path.end(), link) != path.end();
  }
  static void append(std::vector<sim::LinkId>& path, const std::vector<sim::LinkId>& more) {
    for (const sim::LinkId link : more)
      if (!has(path, link)) path.push_back(link);
  }

  // Most of the time since `asked`: the line's round trips, or `served`.    [cache.md, eq. 13]
  Served blame_line(Served served, Seconds crossing, Seconds asked) const {
    if (crossing * 2.0 > context().now() - asked) served.limited_by = resource("link");
    return served;
  }

  sim::Task<Served> write_through(Client client, WriteRequest request) {
    const Seconds asked = context().now();
    co_await metadata_ops(client, request.files, true);
    client.plain = client.write_path;
    std::erase_if(client.plain, [&](sim::LinkId link) { return has(paths_.drain, link); });
    append(client.write_path, paths_.drain);
    // Copies and parity are made behind it.
    client.host_write = std::min(client.host_write, client.port_write);
    client.port_write = p_.connection();
    client.limit = paths_.limit;
    co_await answers(request.requests, p_.service);
    const Seconds crossing = p_.link_rtt * (2.0 * request.files + request.requests);
    co_await context().sleep(crossing);
    const Served served = co_await behind_->write(client, request);
    came_in(request, request.bytes * client.members);
    co_return blame_line(served, crossing, asked);
  }

  // In pieces, each as soon as it fits under the dirty limit.    [docs/models/cache.md, eq. 9]
  sim::Task<Served> write_back(Client client, WriteRequest request) {
    co_await metadata_ops(client, request.files, true);
    co_await answers(request.requests, p_.service);
    const Bytes limit = dirty_limit(), whole = request.bytes * client.members;
    const double pieces = std::clamp(std::ceil(whole / (limit * kPiece)), 1.0, kPieces);
    Served served;
    Client held = client;
    held.write_path.push_back(room_);
    for (double i = 0; i < pieces; ++i) {
      // What is leaving makes room for as much.
      while (dirty_ > Bytes{} && dirty_ - leaving_ + whole / pieces > limit) {
        drained_->reset();
        co_await drained_->wait();
      }
      const bool full = dirty_ > Bytes{} && dirty_ + whole / pieces > limit;
      if (full) served = *drained_by_;
      dirty_ += whole / pieces;
      peak_ = std::max(peak_, dirty_ - leaving_);
      // For what has left of it there is room already.
      const double gone = full ? std::min(1.0, left() / (whole / pieces)) : 1.0;
      const Bytes in = request.bytes / pieces;
      if (gone > 0.0) {
        const Served piece = co_await stream_out(client, in * gone, p_.stream);
        if (served.limited_by == kNoResource) served = piece;
      }
      if (gone < 1.0) co_await stream_out(held, in * (1.0 - gone), p_.stream);
      came_in(request, whole / pieces);
      written_[index(request.content)].dirty += whole / pieces;
      written_[index(request.content)].waiting += whole / pieces;
      waiting_ += whole / pieces;
      waiting_files_ += request.files * client.members / pieces;
      asker_ = client.asker, owner_ = client.owner;
      if (!std::exchange(draining_, true)) context().spawn(drain());
    }
    co_await context().sleep((p_.commit + round_trip() * 2.0) * request.files);
    co_return served;
  }

  // Of what is leaving, as fast as the last did.
  Bytes left() const {
    const Rate rate = context().use(room_).capacity;
    return std::min(leaving_, rate * (context().now() - leaves_since_));
  }

  // All servers write behind what has come in, several files each, until nothing is dirty.
  //    [docs/models/cache.md, eq. 9]
  sim::Task<void> drain() {
    Client all{.id = 0,
               .asker = asker_,
               .owner = owner_,
               .limit = paths_.limit,
               .read_path = {},
               .write_path = paths_.drain};
    while (waiting_ > Bytes{}) {
      const Bytes bytes = std::min(waiting_, dirty_limit() * kPiece);
      const double files = waiting_files_ * (bytes / waiting_);
      std::array<Bytes, kContents> parts;
      for (std::size_t i = 0; i < kContents; ++i) {
        parts[i] = written_[i].waiting * (bytes / waiting_);
        written_[i].waiting -= parts[i];
      }
      waiting_ -= bytes;
      waiting_files_ -= files;
      all.members = std::clamp(files, servers(), servers() * static_cast<double>(p_.drain_files));
      const Seconds asked = context().now();
      if (drained_by_) leaving_ = bytes;
      leaves_since_ = asked;
      drained_->set();
      const Seconds crossing = p_.link_rtt * (2.0 * files / all.members);
      co_await context().sleep(crossing);
      const WriteRequest part{
          .bytes = bytes / all.members, .files = files / all.members, .writers = all.members};
      drained_by_ = blame_line(co_await behind_->write(all, part), crossing, asked);
      dirty_ -= bytes;
      leaving_ = {};
      for (std::size_t i = 0; i < kContents; ++i) written_[i].dirty -= parts[i];
      drained_->set();
      // From now on room is made as fast.
      if (context().now() > asked) context().set_capacity(room_, bytes / (context().now() - asked));
    }
    draining_ = false;
  }

  CacheStoreParams p_;
  StorageModel* behind_ = nullptr;
  BackingPaths paths_;
  std::map<std::pair<std::uint64_t, bool>, Reader> readers_;
  cache::HitRatio ratio_, once_warm_;
  Bytes coming_;                            ///< that stages write in all
  std::array<Written, kContents> written_;  ///< by what it is
  Bytes read_, found_, crossed_;            ///< asked for, in the cache, over the line
  Bytes dirty_, peak_, waiting_, leaving_;
  Seconds leaves_since_;
  double waiting_files_ = 0.0;
  std::size_t asker_ = Asker::others, owner_ = 0;  ///< of what came in last
  sim::LinkId drain_, room_;  ///< room_: as fast as bytes leave that others wait for
  bool draining_ = false;
  std::optional<Served> drained_by_;  ///< what left last
  std::optional<sim::Signal> drained_;
};

}  // namespace

StorageKind cache_kind() { return {cache_store_fields(), make_storage<CacheStore>}; }

}  // namespace stallcast::models
