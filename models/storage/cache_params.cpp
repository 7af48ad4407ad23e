#include "models/storage/cache_params.hpp"

#include <array>
#include <string_view>

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kEvictions[] = {"lru", "none", "random"};
constexpr std::string_view kAdmissions[] = {"all", "second-read"};
constexpr std::string_view kWrites[] = {"back", "through"};

constexpr std::array<Field<CacheStoreParams>, 25> kCacheStoreFields{
    field("over", &CacheStoreParams::over, kRequired,
          "id of the storage system that holds the data"),
    field("server.count", &CacheStoreParams::servers, kRequired, "cache servers", up_to(1e6)),
    field("server.size", &CacheStoreParams::size, kRequired, "cache space of one server",
          kPositive),
    field("server.read", &CacheStoreParams::read, "10 GB/s", "what one server reads from its cache",
          between("5 GB/s", "26 GB/s", assumed(kPositive, "two Gen4 NVMe drives"),
                  "expert range: one Gen3 pair to four Gen4 drives (catalogue)")),
    field("server.write", &CacheStoreParams::write, "5 GB/s",
          "what one server writes into its cache",
          between("2 GB/s", "14 GB/s", assumed(kPositive, "two Gen4 NVMe drives, steady state"),
                  "expert range: one Gen3 pair to four Gen4 drives (catalogue)")),
    kServerNic,
    field("server.service", &CacheStoreParams::service, "0.3 ms",
          "time of one data request on a server besides its data",
          between("0.1 ms", "1 ms", assumed(kNonNegative),
                  "expert range: native services 0.1 ms, JVM ones 1 ms")),
    field("server.opens", &CacheStoreParams::opens, "20 kops/s",
          "files opened a second for each server",
          between("5 kops/s", "80 kops/s", assumed(kPositive),
                  "expert range: products differ fourfold")),
    field("server.open_service", &CacheStoreParams::open_service, "0.3 ms",
          "time one open spends on an idle server",
          between("0.1 ms", "1 ms", assumed(kNonNegative),
                  "expert range: native services 0.1 ms, JVM ones 1 ms")),
    field("eviction", &CacheStoreParams::eviction, "lru",
          "what makes room: lru, random, or none: what came first stays", one_of(kEvictions)),
    field("admit", &CacheStoreParams::admit, "all",
          "what is kept: all that is read, or what is read the second time", one_of(kAdmissions)),
    field("largest", &CacheStoreParams::largest, kOptional,
          "larger files or ranges pass through and are not kept", kPositive),
    field("warm", &CacheStoreParams::warm, "false",
          "filled before the run: the first epoch finds what later ones find"),
    field(
        "writes", &CacheStoreParams::writes, "through",
        "through: a write ends when it is durable behind the cache; back: when it is in the cache",
        one_of(kWrites)),
    field("dirty", &CacheStoreParams::dirty, kOptional,
          "most bytes of all servers that wait to be written behind; absent: a fifth of the space",
          kPositive),
    field("drain", &CacheStoreParams::drain, kOptional,
          "most that is written behind in the background, all servers together", kPositive),
    field("drain_files", &CacheStoreParams::drain_files, "1",
          "files that one server writes behind at one time",
          assumed(kAtLeastOne,
                  "loads of Alluxio in MLPerf Storage v3.0 while saves drain; "
                  "JuiceFS, from memory, uploads 20 blocks at one time")),
    field("client.stream", &CacheStoreParams::stream, "1.5 GB/s",
          "most one reader or writer moves (FUSE)",
          between("0.8 GB/s", "3 GB/s", assumed(kPositive, "FUSE 1-2 GB/s a stream"),
                  "expert range: FUSE 1-2 GB/s as cited; new kernels more")),
    field("client.read", &CacheStoreParams::client_read, kOptional,
          "what the client of one host reads, all processes together", kPositive),
    field("client.write", &CacheStoreParams::client_write, kOptional,
          "what the client of one host writes, all processes together", kPositive),
    field("commit", &CacheStoreParams::commit, "1 ms",
          "time to make one written file durable in the cache",
          between("0.2 ms", "5 ms", assumed(kNonNegative),
                  "expert range: cache with battery 0.3 ms, flash that is flushed 5 ms")),
    field("link.rate", &CacheStoreParams::link, kOptional,
          "line to the store behind, each direction: a WAN between sites or clouds", kPositive),
    field("link.rtt", &CacheStoreParams::link_rtt, "0 ms", "round trip over that line",
          kNonNegative),
    field("link.window", &CacheStoreParams::window, "6 MiB",
          "most that one connection has under way on that line",
          between("3 MiB", "16 MiB", cited(kPositive, "Linux default maximum of net.ipv4.tcp_rmem"),
                  "expert range: half of the buffer is window; WAN hosts are tuned")),
    field("link.price_per_tb", &CacheStoreParams::price, "0 USD",
          "price of 1 TB that leaves the store behind (egress)", kNonNegative)};

}  // namespace

CacheStoreParams cache_store_params(const Component& component) {
  return bind<kCacheStoreFields>(component);
}
std::span<const FieldInfo> cache_store_fields() { return kInfos<kCacheStoreFields>; }

}  // namespace stallcast::models
