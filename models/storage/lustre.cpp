#include <algorithm>

#include "engine/base/fields.hpp"
#include "models/storage/pooled_store.hpp"
#include "models/storage/striping.hpp"

/// Lustre. Equations, sources and valid range: docs/models/lustre.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kPlacements[] = {"random", "round-robin"};

struct LustreParams {
  std::int64_t ost_count = 1;
  Rate ost_read, ost_write;
  Seconds ost_service;
  std::optional<std::int64_t> oss_count;
  Rate oss_nic;
  std::optional<Rate> read_ceiling, write_ceiling;
  std::int64_t mdt_count = 1;
  OpRate mdt_open, mdt_create;
  Seconds mdt_service;
  std::int64_t stripe_count = 1;
  Bytes stripe_size;
  std::string placement;
  Bytes rpc;
  std::int64_t rpcs_in_flight = 8;
  Rate stream, stream_direct;
  std::optional<Rate> client_read, client_write;
  Seconds commit;
};

constexpr std::string_view kNote = "public Lustre 2.15.3 tuning note (catalogue, read 2026-11)";
constexpr std::string_view kSmallFile = "cold small-file open 81-98 us (catalogue, read 2026-11)";

constexpr std::array<base::Field<LustreParams>, 22> kFields{
    field("ost.count", &LustreParams::ost_count, kRequired, "object storage targets", up_to(1e7)),
    field("ost.read", &LustreParams::ost_read, "4 GB/s", "what one OST reads from its media",
          cited(kPositive, "4.06 GB/s per OST, ALCF Eagle: 650 GB/s over 160 OSTs")),
    field("ost.write", &LustreParams::ost_write, "4 GB/s", "what one OST writes to its media",
          cited(kPositive, "4.06 GB/s per OST, ALCF Eagle: 650 GB/s over 160 OSTs")),
    field("ost.service", &LustreParams::ost_service, "0.25 ms",
          "time of one RPC on the server besides its data",
          assumed(kNonNegative, "0.2-0.3 ms per RPC on flash")),
    field("oss.count", &LustreParams::oss_count, kOptional,
          "object storage servers; without it their NICs do not limit", up_to(1e7)),
    field("oss.nic", &LustreParams::oss_nic, "400 Gb/s",
          "network rate of one OSS, each direction, all its ports",
          assumed(kPositive, "one NDR400 port per OSS")),
    field("read", &LustreParams::read_ceiling, kOptional,
          "most the whole system reads (data sheet figure)", kPositive),
    field("write", &LustreParams::write_ceiling, kOptional,
          "most the whole system writes (data sheet figure)", kPositive),
    field("mdt.count", &LustreParams::mdt_count, "1", "metadata targets", up_to(1e5)),
    field("mdt.open", &LustreParams::mdt_open, "80 kops/s", "opens one MDT serves",
          assumed(kPositive, "80-200 kops/s on flash; AI400X2T 264 kops/s create over 4 MDS")),
    field("mdt.create", &LustreParams::mdt_create, "50 kops/s", "creates one MDT serves",
          assumed(kPositive, "AI400X2T 264 kops/s over 4 MDS, IO500 2024")),
    field("mdt.service", &LustreParams::mdt_service, "90 us",
          "time one cold open spends in an idle MDS", cited(kPositive, kSmallFile)),
    field("stripe.count", &LustreParams::stripe_count, "1", "OSTs a file lies on; 0 = all of them",
          kNonNegative),
    field("stripe.size", &LustreParams::stripe_size, "1 MiB",
          "bytes on one OST before the next: a smaller file lies on one OST",
          cited(kPositive, "Lustre default")),
    field("placement", &LustreParams::placement, "round-robin",
          "how new files are spread over OSTs", base::one_of(kPlacements)),
    field("client.rpc", &LustreParams::rpc, "4 MiB", "largest RPC",
          cited(kPositive, "max_pages_per_rpc default since 2.12")),
    field("client.rpcs_in_flight", &LustreParams::rpcs_in_flight, "8",
          "RPCs in flight per client and OST", cited(kAtLeastOne, kNote)),
    field("client.stream", &LustreParams::stream, "2.5 GB/s",
          "most one buffered reader or writer moves (copy and page handling)",
          assumed(kPositive, "single buffered thread 2-3 GB/s")),
    field("client.stream_direct", &LustreParams::stream_direct, "5.37 GB/s",
          "the same with O_DIRECT, per stripe",
          cited(kPositive, "5.0 GiB/s, one client, one stripe (catalogue, read 2026-11)")),
    field("client.read", &LustreParams::client_read, kOptional,
          "most one host reads through its Lustre client", kPositive),
    field("client.write", &LustreParams::client_write, kOptional,
          "most one host writes through its Lustre client", kPositive),
    field("commit", &LustreParams::commit, "1 ms",
          "time to make one written file durable: fsync on its OSTs, then the MDT",
          assumed(kNonNegative))};
constexpr auto kInfos = base::infos(kFields);

class Lustre final : public PooledStore {
 public:
  explicit Lustre(const Component& component)
      : PooledStore(component), p_(base::bind(kFields, component)) {}

  ClientLimits client_limits() const override {
    return {p_.client_read.value_or(Rate::infinity()), p_.client_write.value_or(Rate::infinity())};
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files, false);
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    // [lustre.md, eq. 1]
    return read_files(client, request, p_.ost_service,
                      stream_cap(p_.ost_read, request.bytes / request.files, request.direct));
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    const Bytes file = request.bytes / request.files;  // a writer's files come one after the other
    return write_files(
        client, request, stream_cap(p_.ost_write, file, request.direct), p_.commit,
        striping().placed(p_.placement, request.writers, file, p_.ost_write, seed(), name()));
  }

  Countable countable() const override {
    return {.unit_read = p_.ost_read, .unit_write = p_.ost_write};
  }

 protected:
  PoolShape pool(const StorageLoad& load) const override {
    const Rate none = Rate::infinity();
    return {.media = "ost",
            .server = "oss",
            .metadata = "mdt",
            .shared = osts() * std::max(p_.ost_read, p_.ost_write),
            .read = std::min(osts() * p_.ost_read * striping().evenness(load),
                             p_.read_ceiling.value_or(none)),
            .write = std::min(osts() * p_.ost_write, p_.write_ceiling.value_or(none)),
            .nic = p_.oss_count ? p_.oss_nic * static_cast<double>(*p_.oss_count) : none,
            .targets = osts(),
            .servers = static_cast<double>(p_.oss_count.value_or(0)),
            .attached = false};
  }

  MetadataShape metadata() const override {
    return {.servers = static_cast<double>(p_.mdt_count),
            .opens = p_.mdt_open,
            .creates = p_.mdt_create,
            .service = p_.mdt_service};
  }

 private:
  double osts() const { return static_cast<double>(p_.ost_count); }
  Striping striping() const {
    return {osts(), static_cast<double>(p_.stripe_count), p_.stripe_size};
  }
  // One stream over c stripes: c times what the RPC window carries (Little's law), not more than
  // the OSTs give or the client's copy allows.
  //     c k rpc / (rtt + service + rpc / b)    [storage.md, eq. 4]
  Rate stream_cap(Rate ost, Bytes file, bool direct) const {
    const Bytes window = p_.rpc * static_cast<double>(p_.rpcs_in_flight);
    const double stripes = striping().of(file);
    const Rate per_object = window_rate(window, p_.rpc, round_trip() + p_.ost_service, ost);
    return std::min(stripes * per_object, direct ? stripes * p_.stream_direct : p_.stream);
  }

  LustreParams p_;
};

}  // namespace

std::unique_ptr<StorageModel> make_lustre(const Component& component) {
  return std::make_unique<Lustre>(component);
}
std::span<const base::FieldInfo> lustre_fields() { return kInfos; }

}  // namespace stallcast::models
