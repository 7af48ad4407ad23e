#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "engine/sim/join.hpp"
#include "models/storage/kinds.hpp"
#include "models/storage/lustre_layout.hpp"
#include "models/storage/lustre_osts.hpp"
#include "models/storage/lustre_params.hpp"
#include "models/storage/pooled_store.hpp"

/// Lustre. Equations, sources and valid range: docs/models/lustre.md.
namespace stallcast::models {
namespace {

// Storage networks of hosts are slower: four ports of 800 Gb/s.
constexpr Rate kFastestHost = Rate::from(3.2, unit::Tbps);
// LNet's largest message.
constexpr Bytes kMessage = Bytes::from(1.0, unit::MiB);

class Lustre final : public PooledStore {
 public:
  explicit Lustre(const Component& component)
      : PooledStore(component), p_(lustre_params(component)), osts_(p_) {}

  // All buffered readers of a host share its read-ahead: Little's law.    [lustre.md, eq. 2]
  ClientLimits client_limits() const override {
    const Rate ahead = window_rate(p_.read_ahead_all, p_.rpc, turn(), Rate::infinity());
    ClientLimits out = p_.client_limits();
    if (!load().direct && ahead < kFastestHost) out.read = std::min(out.read, ahead);
    out.read = std::min(out.read, in_flight(p_.window(), osts_.read_rate()));
    out.write = std::min(out.write, in_flight(p_.window(p_.dirty), osts_.write_rate()));
    out.requests = static_cast<double>(p_.rpcs_in_flight) * osts_.count();
    if (p_.routers) {  // [lustre.md, eq. 11]
      const double messages = static_cast<double>(*p_.routers * p_.router_credits);
      const Rate passing = kMessage * messages / (round_trip() + kMessage / p_.router_rate);
      out.read = std::min(out.read, passing);
      out.write = std::min(out.write, passing);
    }
    // By the threads that send RPCs, alongside the process.    [lustre.md, eq. 10]
    if (p_.checksums) out.steps.push_back({CoreStep::Work::client, false, p_.checksum_rate});
    out.stream = p_.stream;
    return out;
  }

  void build(graph::Topology& topology, const StorageLoad& load) override {
    StorageLoad seen = load;
    seen.round_trip = routed(load.round_trip);
    PooledStore::build(topology, seen);
  }

  void attach(sim::Context& context, ResourceTable& resources, Seconds round_trip,
              std::uint64_t seed) override {
    PooledStore::attach(context, resources, routed(round_trip), seed);
    restores_.emplace(context, p_.hsm_agents);
    if (p_.dom == Bytes{}) return;
    mdt_link_ = context.add_link(name() + ".mdt.data", mdts() * p_.mdt_read);
    resources.of_link.resize(mdt_link_.index + 1, kNoResource);
    resources.of_link[mdt_link_.index] = resources.index(name() + ".mdt.data");
  }

  sim::Task<Served> open(const Client& client, double files) override {
    const Served opened = co_await metadata_ops(client, files, false);
    const double further = std::max(0.0, layout().objects(file_size(load())) - 1.0);
    co_await context().sleep(p_.mdt_service * (p_.object_cost.in(unit::ratio)*further * files));
    const double restores = to_restore(client.members * files);
    if (restores == 0.0) co_return opened;  // [lustre.md, eq. 9]
    co_await restores_->serve(restores,
                              p_.hsm_latency + load().stored / load().files / p_.hsm_rate);
    co_return Served{resource("hsm")};
  }

  // Both parts of a file are asked for at the same time.    [lustre.md, eq. 1 and 4]
  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      return read_pieces(client, request, p_.stream, shared_pieces(request),
                         ost_work(request.bytes / shared_pieces(request).target, true));
    const LustreLayout::Parts file = layout().split(request.range(), request.whole());
    return file.mdt == Bytes{} ? read_files(client, osts_reads(client, request, file))
                               : read_both(client, request, file);
  }
  std::optional<FileReads> file_reads(const Client& client, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved) return std::nullopt;
    const LustreLayout::Parts file = layout().split(request.range(), request.whole());
    return file.mdt > Bytes{} ? std::nullopt : std::optional(osts_reads(client, request, file));
  }
  sim::Task<Served> read_both(const Client& client, ReadRequest request, LustreLayout::Parts file) {
    PartRead mdt, osts;
    std::vector<sim::Task<void>> parts;
    const double trips = file.asked_of_mdt(request.round_trips, request.range());
    const Client there = at_mdt(client);
    parts.push_back(timed(
        longer_of(metadata_line(client, request.files * file.at_mdt * trips, p_.mdt_data_service),
                  stream_in(there, file.mdt * request.files, p_.stream_mdt)),
        mdt));
    // Of ranges that lie in one or the other, one after the other.
    const bool at_once = file.at_mdt + file.at_osts() > 1.0 + LustreLayout::kRounding;
    if (!at_once) co_await sim::join(context(), std::exchange(parts, {}));
    if (file.on_osts() > Bytes{})
      parts.push_back(timed(read_files(client, osts_reads(client, request, file)), osts));
    co_await sim::join(context(), std::move(parts));
    if (file.on_osts() == Bytes{}) co_return mdt.served;
    // It was waited for what ended last.
    if (mdt.ended > osts.ended) osts.served.limited_by = mdt.served.limited_by;
    co_return osts.served;
  }

  // A writer's files come one after the other.    [lustre.md, eq. 4]
  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    if (request.sharing != FileSharing::own) return write_shared(client, request);
    const LustreLayout::Parts file = layout().split(request.bytes / request.files);
    if (file.mdt > Bytes{}) return write_both(client, request, file);
    return write_osts(client, request, file);
  }
  sim::Task<Served> write_both(const Client& client, WriteRequest request,
                               LustreLayout::Parts file) {
    const Client there = at_mdt(client);
    co_return co_await longer_of(
        longer_of(metadata_line(client, request.files, p_.mdt_data_service),
                  stream_out(there, file.mdt * request.files, p_.stream_mdt)),
        write_osts(client, request, file));
  }
  sim::Task<Served> write_osts(const Client& client, WriteRequest request,
                               LustreLayout::Parts file) {
    WriteRequest rest = request;
    rest.bytes = request.bytes - file.mdt * request.files;
    const Bytes piece = request.requests > 0.0 ? request.range() : p_.rpc;
    co_return co_await write_files(
        client, rest, p_.ost_service, stream_cap(file, request.direct, false), p_.commit,
        {request, [&](double writers) { return media_share(file, writers, piece, request.apart); }},
        writing(client, file, request, piece));
  }

  void describe(sim::Ledger& ledger) override {
    PooledStore::describe(ledger);
    if (p_.hsm_released > Fraction{}) ledger.never();  // how many files are left to restore decides
    ledger.count(opened_);
  }

  Countable countable() const override {
    return {.unit_read = osts_.read_rate(), .unit_write = osts_.write_rate()};
  }
  double reach(std::span<const StorageLoad::FileSet> files) const override {
    return files.empty() ? 1.0 : layout().last(files[0].size).reached(files, p_.placement);
  }

 protected:
  PoolShape pool(const StorageLoad& load) const override {
    const Rate none = Rate::infinity();
    const Striping striping = layout().last(file_size(load));
    const double stripes = striping.of(load.file), share = reach_of(load);
    const Rate one = osts_.reads(std::min(load.file / stripes, p_.rpc),
                                 load.concurrent_reads * stripes / (osts_.count() * share));
    const Rate media = one * osts_.count() * striping.evenness(load, share);
    const Rate writes = osts_.count() * osts_.write_rate();
    const Rate most_read = p_.read_ceiling.value_or(none);
    const Rate most_written = p_.write_ceiling.value_or(none);
    // A partner carries the OSTs of two: of even traffic, twice its share.    [lustre.md, eq. 8]
    const double partners = p_.oss_failed > 0 ? 2.0 : 1.0;
    return {.media = "ost",
            .server = "oss",
            .metadata = "mdt",
            .shared = osts_.count() * std::max(osts_.read_rate(), osts_.write_rate()),
            .read = std::min(PartCeiling(media), PartCeiling("", most_read)),
            .write = std::min(PartCeiling(writes), PartCeiling("", most_written)),
            .of_media = {media, writes},
            .nic = p_.oss_count ? p_.oss_nic * static_cast<double>(*p_.oss_count) / partners : none,
            .routers = p_.routers ? p_.router_rate * static_cast<double>(*p_.routers) : none,
            .targets = osts_.count(),
            .servers = static_cast<double>(p_.oss_count.value_or(0)),
            .attached = false};
  }

  BothWays one_request() const override { return {osts_.read_rate(), osts_.write_rate()}; }
  double metadata_servers() const override { return mdts(); }  // where directories lie is drawn
  // Time of the OSTs, where that of disks or of parity is told.    [lustre.md, eq. 7]
  WorkShape work() const override {
    return drives_told() ? WorkShape{"ost.busy", osts_.count(), "ost"} : WorkShape{};
  }

  MetadataShape metadata() const override {  // [lustre.md, eq. 5]
    double busy = mdts();  // MDTs' worth of directories, if the fullest MDT is never idle
    if (p_.directories && !p_.directory_striped) {
      const double count = static_cast<double>(*p_.directories);
      busy = count / DrawnFiles(1.0, mdts(), seed(), name() + ".directories").fullest(count);
    }
    const bool one = mdts() > 1.0 && !p_.directory_striped;
    return {.servers = busy,
            .opens = p_.mdt_open,
            .creates = p_.mdt_create,
            .service = p_.mdt_service,
            .directory_creates =
                p_.directory_striped
                    ? OpRate::infinity()
                    : p_.directory_creates.value_or(one ? p_.mdt_create : OpRate::infinity()),
            .in_many = p_.directories.value_or(1) > 1,
            .directory_on_server = one,
            .directory_opens = one ? p_.mdt_open : OpRate::infinity()};
  }

 private:
  double mdts() const { return static_cast<double>(p_.mdt_count); }
  // What lies on the MDTs crosses them, and no OST.    [lustre.md, eq. 4]
  Client at_mdt(const Client& client) const {
    Client out = client;
    for (std::vector<sim::LinkId>* path : {&out.read_path, &out.write_path}) {
      *path = past_media(*path);
      path->push_back(mdt_link_);
    }
    return out;
  }

  LustreLayout layout() const {
    const auto over = [&](std::int64_t count) {
      return Striping{osts_.count(), static_cast<double>(count), p_.stripe_size};
    };
    return {p_.dom, p_.pfl_end.value_or(Bytes{}), over(p_.pfl_count), over(p_.stripe_count)};
  }

  static Bytes file_size(const StorageLoad& load) {  // of one that is read
    return load.whole ? load.file : load.files > 0.0 ? load.stored / load.files : Bytes::infinity();
  }

  // A message and its answer pass a router each.
  Seconds routed(Seconds round_trip) const {
    return p_.routers ? round_trip + p_.router_latency * 2.0 : round_trip;
  }
  // What data that do not fit in the reply of their RPC wait for, besides moving.
  Seconds turn() const { return round_trip() + p_.ost_service * p_.ost_bulk; }

  // What OSTs give one of so many files of a save that are read together.
  auto saved_share(double readers, Bytes file) const {
    return [this, readers, file](double files) {
      const auto over = [&](const Striping& striping, Bytes part) {
        const double stripes = striping.of(part);
        const Rate one =
            osts_.reads(std::min(part / stripes, p_.rpc), readers * stripes / osts_.count());
        return striping.placed(placement_, files, part, one, seed(), name());
      };
      return in_turn(layout().split(file), over);
    };
  }
  FileReads osts_reads(const Client& client, ReadRequest request,
                       const LustreLayout::Parts& file) const {
    request.bytes = file.on_osts() * request.files;
    request.files *= file.at_osts();
    Seconds service = p_.ost_service + p_.seek;
    if (file.on_osts() > p_.short_io * file.at_osts() && request.round_trips > 0.0)
      service = service + p_.ost_service * ((p_.ost_bulk - 1.0) / request.round_trips);
    return {request,
            service,
            stream_cap(file, request.direct, true),
            {request, saved_share(request.readers, request.file())},
            reading(client, file, request.bytes)};
  }
  // One stream through the components in turn, each over c stripes: c times what the window of
  // RPCs, read-ahead or dirty bytes carries, not more than the OSTs give or the client's copy
  // allows. The component that takes longest tells what holds it.
  //    [lustre.md, eq. 2 and 3]
  StreamCap stream_cap(const LustreLayout::Parts& file, bool direct, bool reading) const {
    const Rate ost = reading ? osts_.read_rate() : osts_.write_rate();
    Seconds longest;
    bool by_osts = false;
    const auto over = [&](const Striping& striping, Bytes part) {
      const double stripes = striping.of(part);
      const Bytes held = direct ? Bytes::infinity() : reading ? p_.read_ahead / stripes : p_.dirty;
      const Bytes window = p_.window(held);
      const StreamCap one = window_cap(window, std::min(p_.rpc, window), turn(), ost)
                                .times(stripes)
                                .within(direct ? stripes * p_.stream_direct : p_.stream);
      if (const Seconds takes = part / one.rate; takes > longest) {
        longest = takes;
        by_osts = one.by_media;
      }
      return one.rate;
    };
    const Rate rate = in_turn(file, over);
    return {rate, by_osts};
  }

  bool drives_told() const { return p_.seek > Seconds{} || p_.raid_data; }
  // Seconds of OSTs that each member asks for; a seek comes before the data.    [lustre.md, eq. 7]
  static Work ost_work(Seconds time, bool at_once) {
    return {.amount = time.in(unit::s), .at_once = at_once};
  }
  Work reading(const Client& client, const LustreLayout::Parts& file, Bytes bytes) const {
    if (!drives_told()) return {};
    const auto over = [&](const Striping& striping, Bytes part) {
      const double stripes = striping.of(part);
      return osts_.reads(std::min(part / stripes, p_.rpc),
                         client.processes() * stripes / osts_.count());
    };
    return ost_work(bytes / in_turn(file, over), true);
  }
  Work writing(const Client& client, const LustreLayout::Parts& file, const WriteRequest& request,
               Bytes piece) const {
    if (!drives_told()) return {};
    const double writers = std::max(request.writers, client.processes());
    const auto over = [&](const Striping& striping, Bytes part) {
      const double stripes = striping.of(part);
      return osts_.writes(std::min({part / stripes, p_.rpc, piece}),
                          writers * stripes / osts_.count());
    };
    return ost_work((request.bytes - file.mdt * request.files) / in_turn(file, over), false);
  }

  // What all a host has in flight moves, where that is less than the OSTs give it.
  //    [lustre.md, eq. 12]
  Rate in_flight(Bytes window, Rate ost) const {
    const Rate one = window_rate(window, std::min(p_.rpc, window), turn(), ost),
               all = one * osts_.count();
    return one < ost && all < kFastestHost ? all : Rate::infinity();
  }

  // What the OSTs give one of `writers` equal files: of new files the fullest OST finishes last.
  Rate media_share(const LustreLayout::Parts& file, double writers, Bytes piece, bool apart) const {
    const auto over = [&](const Striping& striping, Bytes part) {
      const double stripes = striping.of(part);
      const Rate one = osts_.writes(std::min({part / stripes, p_.rpc, piece}),
                                    writers * stripes / osts_.count());
      return apart ? striping.apart(p_.placement, writers, part, one)
                   : striping.placed(placement_, writers, part, one, seed(), name());
    };
    return in_turn(file, over);
  }

  // The rate of a file whose components move one after the other, each at rate(striping, bytes).
  template <class RateOf>
  Rate in_turn(const LustreLayout::Parts& file, RateOf rate) const {
    const LustreLayout at = layout();
    const bool one = file.first == Bytes{} || file.rest == Bytes{} || !file.rest.finite();
    const auto first = [&] { return rate(at.first, file.first / file.at_first); };
    const auto rest = [&] { return rate(at.rest, file.rest / file.at_rest); };
    if (one) return file.rest > Bytes{} ? rest() : first();
    const Seconds time = file.first / first() + file.rest / rest();
    return file.on_osts() / time;
  }

  // One file over the stripes of its last component. Parts that end where stripes end keep their
  // lock; pieces in turn hand it over at every piece.    [lustre.md, eq. 6]
  sim::Task<Served> write_shared(const Client& client, WriteRequest request) {
    const double files = request.files;
    co_await metadata_ops(client, files / request.writers, true);
    co_await metadata_ops(client, files, false);
    const Bytes file = request.bytes / files * request.writers;
    const Striping striping = layout().last(file);
    const double stripes = striping.of(file);
    const bool in_pieces = request.sharing == FileSharing::interleaved;
    const Bytes piece = in_pieces ? request.piece : p_.rpc;
    const Rate ost =
        osts_.writes(std::min(piece, p_.rpc), request.writers * stripes / osts_.count());
    const StreamCap cap = stream_cap({{}, {}, request.bytes / files}, request.direct, false);
    const auto of_one = [&](double all) {
      return std::min(ost * stripes, striping.placed(placement_, all, file, ost, seed(), name()));
    };
    // An OST waits for no lock while it serves others: only whole parts meet them.
    const PlacedRate placed =
        in_pieces
            ? PlacedRate(window_rate(piece, piece, p_.lock, ost) * (stripes / request.writers))
            : PlacedRate(request, of_one);
    const Served served =
        co_await move_out(client, request, cap, placed, {}, ost_work(request.bytes / ost, false));
    co_await context().sleep((p_.commit + round_trip() * 2.0) * files);
    const bool waits = in_pieces && p_.lock > piece / ost;
    co_return waits&& served.limited_by == resource("ost") ? Served{resource("ost.lock")} : served;
  }

  // The same file read in pieces: each is a request of its own to its OST.    [storage.md, eq. 10]
  SharedPieces shared_pieces(const ReadRequest& request) const {
    const Bytes file = request.bytes * request.readers;
    const double stripes = layout().last(file).of(file);
    const Rate ost = osts_.reads(request.piece, request.readers * stripes / osts_.count());
    return {stripes, ost, p_.piece_read, round_trip() + p_.ost_service};
  }

  // Of files opened for the first time, those that only the archive holds, in whole numbers.
  double to_restore(double opened) {
    const double first = std::clamp(load().files - opened_, 0.0, opened);
    opened_ += opened;
    restore_ += first * p_.hsm_released.in(unit::ratio);
    const double whole = std::floor(restore_ + 1e-9);
    restore_ -= whole;
    return whole;
  }

  LustreParams p_;
  Placement placement_{p_.placement};
  LustreOsts osts_;
  double opened_ = 0.0, restore_ = 0.0;  // files opened; a part of a file to restore
  std::optional<sim::ServerQueue> restores_;
  sim::LinkId mdt_link_;  // data on the MDTs
};

}  // namespace

StorageKind lustre_kind() { return {lustre_fields(), make_storage<Lustre>}; }

}  // namespace stallcast::models
