#include "models/storage/s3_params.hpp"

#include <algorithm>
#include <array>

#include "models/contract/requests.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kGuide = "AWS S3 user guide, per prefix (read 2026-11)";
constexpr std::string_view kBoto = "boto3 and botocore defaults; from memory";

constexpr std::array<base::Field<S3Params>, 31> kS3Fields{
    field("prefixes", &S3Params::prefixes, "1",
          "key prefixes the objects lie under evenly; each has its own request rate", kAtLeastOne),
    field("get.rate", &S3Params::get_rate, "5.5 kops/s", "GET and HEAD a second, one prefix",
          between("3 kops/s", "8 kops/s", cited(kPositive, kGuide),
                  "expert range: the guide says at least; new prefixes share a partition")),
    field("get.parallel", &S3Params::get_parallel, "1",
          "range GETs one reader has in flight; 1: a whole object by one GET",
          assumed(kAtLeastOne, "a loader worker issues one GET at a time")),
    field("get.part", &S3Params::get_part, "8 MiB", "bytes of one range GET, if there are several",
          assumed(kPositive, kBoto)),
    field("put.rate", &S3Params::put_rate, "3.5 kops/s", "PUT and POST a second, one prefix",
          between("1 kops/s", "5 kops/s", cited(kPositive, kGuide),
                  "expert range: the guide says at least; GCS begins at 1 (catalogue)")),
    field("put.parallel", &S3Params::put_parallel, "10", "parts one writer uploads at one time",
          assumed(kAtLeastOne, kBoto)),
    field("put.part", &S3Params::put_part, "8 MiB",
          "bytes of one part; larger objects are uploaded in parts", assumed(kPositive, kBoto)),
    field("put.answer", &S3Params::answer, "60 ms",
          "median time from a PUT's last byte to its answer: durable then",
          between("15 ms", "250 ms", assumed(kNonNegative, "twice a GET's first byte"),
                  "expert range: regions and load differ as of first bytes")),
    field("copy.rate", &S3Params::copy, "11 MB/s",
          "what the store copies of one request, where an object gets another name",
          assumed(kPositive,
                  "171 GB by 40 requests at a time in 385 s on S3: s3-mp-copy, GitHub "
                  "mumrah/s3-multipart, pull request 13, 2013")),
    field("burst", &S3Params::burst, "1 s",
          "an idle prefix takes the requests of so long a time at once",
          between("0.2 s", "5 s", assumed(kNonNegative),
                  "expert range: not published; stores allow short bursts")),
    field("ramp.every", &S3Params::ramp_every, kOptional,
          "time that more than a rate must be asked for until it rises: 20 min in Google's guide, "
          "minutes with S3 (not published); absent: rates stay",
          kPositive),
    field("ramp.factor", &S3Params::ramp_factor, "2",
          "how far a rate rises at a time: a prefix that splits gives two, a bucket doubles",
          cited(kAtLeastOne, "Google Cloud Storage: request rate guidelines (doubling)")),
    field("ramp.most", &S3Params::ramp_most, "64", "most times of its first rate that a rate gets",
          assumed(kAtLeastOne)),
    field("first_byte", &S3Params::first_byte, "30 ms",
          "median time from a GET to its first byte, network included",
          between(
              "15 ms", "150 ms",
              assumed(kNonNegative, "15-100 ms; AWS guidance says 100-200 ms, less for small ones"),
              "15-100 ms, and 100-200 of AWS guidance, as cited")),
    field("first_byte_spread", &S3Params::spread, "5",
          "99th percentile over median of both times; 1: always the same",
          between("2.5", "10", assumed(kAtLeastOne, "5-10 seen by clients"),
                  "expert range: 5-10 as cited; quiet stores less")),
    field("connection.rate", &S3Params::connection, "90 MB/s", "most one connection carries",
          between("40 MB/s", "130 MB/s", assumed(kPositive, "40-90 MB/s"),
                  "expert range: 40-90 MB/s as cited; some stores more")),
    field("connection.setup", &S3Params::setup, "3 ms", "time to open a connection: TCP and TLS",
          between("1 ms", "20 ms", assumed(kNonNegative, "three round trips in one region"),
                  "expert range: one site 1 ms, far zones and name look-ups 20")),
    field("connection.requests", &S3Params::requests_per_connection, kOptional,
          "requests per connection; absent: connections stay open", kAtLeastOne),
    field(
        "client.rate", &S3Params::client, "2.25 GB/s",
        "most one process moves, all its connections, on one core: TCP, HTTP and copies; TLS apart",
        between("1 GB/s", "8 GB/s",
                assumed(kPositive, "Python 0.5-1 s of CPU per GB with TLS, AWS CRT 0.1-0.2 s"),
                "Python 0.5-1 s of CPU per GB with TLS, AWS CRT 0.1-0.2, as cited")),
    field(
        "client.put", &S3Params::client_put, "2.25 GB/s",
        "most one process uploads: what its library adds to each part (checksum, signature, copy)",
        between("0.4 GB/s", "4 GB/s", assumed(kPositive, "as client.rate"),
                "MLPerf Storage v3.0, AIStore: 64 writers save 0.44 GB/s each and load 0.94, the "
                "network half idle; libraries in C up to 4")),
    field("client.tls", &S3Params::tls, "true", "https: the process also decrypts (cpu.tls)"),
    field("open.requests", &S3Params::open_requests, "0", "HEAD requests before an object is read",
          kNonNegative),
    field("retry.base", &S3Params::retry_base, "100 ms",
          "longest wait before the first retry of a refused request, doubled each time",
          between("50 ms", "1 s", assumed(kPositive, "SDKs: 100-500 ms, full jitter"),
                  "expert range: 100-500 ms as cited; some SDKs 1 s")),
    field("retry.cap", &S3Params::retry_cap, "20 s", "longest wait before any retry",
          between("5 s", "60 s", assumed(kPositive, "SDK default; from memory"),
                  "expert range: SDKs differ threefold")),
    field("retry.tries", &S3Params::retry_tries, "5",
          "tries after which a client gives up: more are reported",
          assumed(kAtLeastOne, "SDKs: 3-5")),
    field("read", &S3Params::read_ceiling, kOptional, "most the account or system reads",
          kPositive),
    field("write", &S3Params::write_ceiling, kOptional, "most the account or system writes",
          kPositive),
    field("server.count", &S3Params::servers, kOptional,
          "servers of a store of your own; absent: servers do not limit", up_to(1e6)),
    field("server.read", &S3Params::server_read, "20 GB/s", "what one server reads from its drives",
          between("2.5 GB/s", "50 GB/s",
                  assumed(kPositive, "eight NVMe drives behind erasure coding"),
                  "expert range: 12 disks to 24 NVMe drives; the catalogue has 3 and 20")),
    field(
        "server.write", &S3Params::server_write, "10 GB/s", "what one server writes",
        between("1 GB/s", "25 GB/s", assumed(kPositive, "eight NVMe drives behind erasure coding"),
                "expert range: 12 disks to 24 NVMe drives; the catalogue has 1.5 and 10")),
    field("server.nic", &S3Params::server_nic, "200 Gb/s",
          "network rate of one server to clients, each direction",
          between("25 Gb/s", "400 Gb/s",
                  assumed(kPositive, "one port; shards of other servers go over another"),
                  "expert range: one 25 GbE port to one of 400 Gb/s"))};

// What no model needs, only costs do.
constexpr std::array kRequestPrices{
    FieldInfo{kPricedRequests[0].price, Dimension::money, kOptional,
              "price of 1,000 GET and HEAD requests", kNonNegative},
    FieldInfo{kPricedRequests[1].price, Dimension::money, kOptional,
              "price of 1,000 PUT and POST requests; each part of an upload is one", kNonNegative}};
constexpr auto kS3Infos = [] {
  std::array<FieldInfo, kS3Fields.size() + kRequestPrices.size()> out{};
  const auto prices = std::copy(kInfos<kS3Fields>.begin(), kInfos<kS3Fields>.end(), out.begin());
  std::copy(kRequestPrices.begin(), kRequestPrices.end(), prices);
  return out;
}();

}  // namespace

S3Params s3_params(const Component& component) { return bind<kS3Fields>(component); }
std::span<const FieldInfo> s3_fields() { return kS3Infos; }

}  // namespace stallcast::models
