#include <algorithm>
#include <optional>

#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"

/// WEKA. Equations, sources and valid range: docs/models/weka.md.
namespace stallcast::models {
namespace {

using namespace base;

struct WekaParams : DeliveredParams,
                    MetadataParams,
                    ServerParams,
                    BufferedParams,
                    SharedFileParams {
  std::int64_t backends = 1;
  Rate read, write;
  Seconds service;
  std::int64_t data = 16, parity = 2;
  std::int64_t cores = 1;
  Rate core;
  Seconds commit;
};

constexpr std::string_view kAws =
    "IO500 SC19, WekaIO on AWS, 120 backends: read 325.6 and write 298.1 GiB/s, 7.71 M/s small "
    "files opened and read, 2.24 M/s created";

constexpr std::array<base::Field<WekaParams>, 18> kWekaFields{
    field("backend.count", &WekaParams::backends, kRequired,
          "backend servers; files lie on all of them, 4 KiB at a time", up_to(1e6)),
    field("backend.read", &WekaParams::read, "2.9 GB/s", "what one backend reads",
          between("2 GB/s", "60 GB/s", cited(kPositive, kAws),
                  "expert range: cloud nodes 2-3 GB/s; catalogue 32-90 of own flash")),
    field(
        "backend.write", &WekaParams::write, "3 GB/s",
        "what one backend writes to its drives, parity included",
        between("1.5 GB/s", "25 GB/s",
                cited(kPositive,
                      "IO500 SC19, WekaIO on AWS: 298.1 GiB/s over 120 backends, x 18/16 for 16+2"),
                "expert range: cloud nodes 2-3 GB/s; catalogue 13-31 of own flash")),
    field("backend.service", &WekaParams::service, "0.15 ms",
          "time of one data request on the backends besides its data",
          between("0.1 ms", "0.4 ms",
                  assumed(kNonNegative, "NVMe read 70-90 us and two hops in user space"),
                  "expert range: NVMe and two hops as cited; a line at the cores")),
    field("backend.nic", &WekaParams::nic, kOptional,
          "network rate of one backend, each direction; without it it does not limit", kPositive),
    field("backend.opens", &WekaParams::opens, "64 kops/s",
          "files opened a second for each backend: metadata lies on all of them",
          between("20 kops/s", "150 kops/s", cited(kPositive, kAws),
                  "expert range: one cloud system; cores per backend differ")),
    field("backend.creates", &WekaParams::creates, "18.6 kops/s",
          "files created a second for each backend",
          between("6 kops/s", "50 kops/s", cited(kPositive, kAws),
                  "expert range: one cloud system; cores per backend differ")),
    field("backend.open_service", &WekaParams::open_service, "0.15 ms",
          "time one open spends on idle backends",
          between("80 us", "0.5 ms", assumed(kNonNegative),
                  "expert range: as a data request, with more hops")),
    field("directory.creates", &WekaParams::directory_creates, "15 kops/s",
          "files created a second in one directory",
          between("3.9 kops/s", "440 kops/s",
                  cited(kPositive, "IO500 2018-2020, mdtest-hard create: 4-113 kops/s, ten runs"),
                  "as cited; 439 kops/s over 120 backends of version 3.5")),
    field("shared.write", &WekaParams::piece_write, "70 us", kSharedWrite,
          between("20 us", "0.3 ms",
                  cited(kNonNegative,
                        "IO500 2018-2020, ior-hard write: 0.16-1.5 GB/s a backend, "
                        "pieces of 47,008 bytes"),
                  "as cited, ten runs")),
    field("shared.read", &WekaParams::piece_read, "20 us", kSharedRead,
          between("5 us", "50 us",
                  cited(kNonNegative,
                        "IO500 2018-2020, ior-hard read: 0.8-2.3 GB/s a backend, "
                        "pieces of 47,008 bytes"),
                  "as cited, ten runs")),
    field("stripe.data", &WekaParams::data, "16",
          "data drives of a stripe (N of N+2); small clusters have fewer: backends less parity",
          assumed(kAtLeastOne, "the widest; 3 to 16 can be chosen")),
    field("stripe.parity", &WekaParams::parity, "2", "parity drives of a stripe",
          assumed(kNonNegative, "N+2 is usual, N+4 for large clusters")),
    field("client.cores", &WekaParams::cores, "1",
          "cores one host gives to the client; take them off its \"cores\"",
          assumed(kAtLeastOne, "product default, from memory")),
    field("client.core", &WekaParams::core, "6.5 GB/s", "what one client core moves with DPDK",
          between("4 GB/s", "8 GB/s",
                  assumed(kPositive, "5-8 GB/s; without DPDK (UDP mode) about 1 GB/s"),
                  "expert range: 5-8 GB/s as cited; slower cores 4")),
    kBufferedStream,
    kDelivered,
    field("commit", &WekaParams::commit, "0.3 ms",
          "time to make one written file durable on N+2 drives",
          between("0.1 ms", "1 ms",
                  assumed(kNonNegative, "writes are acknowledged once journalled on flash"),
                  "expert range: one journal write 0.1 ms; busy drives 1 ms"))};

class Weka final : public PooledStore {
 public:
  explicit Weka(const Component& component)
      : PooledStore(component),
        p_(as_delivered(base::bind<kWekaFields>(component), &WekaParams::read, &WekaParams::write,
                        &WekaParams::nic)) {}

  // The client's cores poll: they are all the host has, however many processes read.
  ClientLimits client_limits() const override {
    const Rate all = p_.core * static_cast<double>(p_.cores);
    // by DPDK on cores of its own
    return {.read = all, .write = all, .by_fabric = false, .stream = stream_cap(false)};
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files, false);
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      return read_pieces(client, request, p_.core, pieces(p_.read, p_.piece_read));
    return read_files(client, *file_reads(client, request));
  }
  std::optional<FileReads> file_reads(const Client&, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved) return std::nullopt;
    return FileReads{request, p_.service, stream_cap(request.direct)};  // [weka.md, eq. 1]
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    // What is left of a stripe is read and written again.    [storage.md, eq. 10]
    if (request.sharing == FileSharing::interleaved)
      return write_pieces(client, request, p_.core, p_.commit,
                          pieces(p_.write / overhead(), p_.piece_write));
    return write_files(client, request, p_.service, stream_cap(request.direct), p_.commit);
  }

  std::optional<std::string> single_copies() const override {
    if (p_.parity > 0) return {};
    return "stripe.parity";
  }

  Countable countable() const override {
    const PoolShape shape = pool({});
    return {.noun = "backends",
            .unit_read = p_.read,
            .unit_write = std::min(shape.write.rate, shape.nic.write) / backends()};
  }

 protected:
  // A byte written is (N + P) / N bytes on drives, which all but cross the backends' network once
  // more on their way from the backend that took it.    [weka.md, eq. 2]
  PoolShape pool(const StorageLoad&) const override {
    const Rate network = p_.network(backends());
    return {.media = "drives",
            .server = "backend",
            .metadata = "metadata",
            .shared = backends() * std::max(p_.read, p_.write),
            .read = backends() * p_.read,
            .write = backends() * p_.write / overhead(),
            .nic = {network, network / (1.0 + overhead())},
            .targets = backends(),
            .servers = backends()};
  }

  double held_targets() const override { return backends(); }
  double written(Bytes) const override { return overhead(); }
  MetadataShape metadata() const override { return p_.metadata(backends()); }

 private:
  double backends() const { return static_cast<double>(p_.backends); }
  double overhead() const {
    const double parity = static_cast<double>(p_.parity);
    const double data = std::clamp(backends() - parity, 1.0, static_cast<double>(p_.data));
    return (data + parity) / data;
  }
  SharedPieces pieces(Rate backend, Seconds hold) const {
    return {backends(), backend, hold, round_trip() + p_.service};
  }
  // One process reaches the backends through one client core.
  Rate stream_cap(bool direct) const { return direct ? p_.core : std::min(p_.core, p_.stream); }

  WekaParams p_;
};

}  // namespace

StorageKind weka_kind() { return {kInfos<kWekaFields>, make_storage<Weka>}; }

}  // namespace stallcast::models
