#include "calibration/validation/mlperf/store.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibration/validation/mlperf/ranges.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using base::Json;

double gbps(Rate rate) { return rate.in(unit::GBps); }
std::string text(Rate rate) { return with_unit(gbps(rate), "GB/s"); }
std::string ports_text(Rate rate) { return with_unit(rate.in(unit::Gbps), "Gb/s"); }

/// A rate that a vendor states for the whole: of the 5 rows that came near one, all gave more than
/// 83 % of it (docs/models/priors.md, table 1).
Json stated(Rate rate) {
  return between(gbps(rate), 0.83 * gbps(rate), gbps(rate), "GB/s",
                 "a stated rate; such systems gave 83-100 % of it");
}
/// Where none is stated. 62 % is the median of the rows of v1.0 without one.
Json share_of(Rate rate) {
  return between(0.62 * gbps(rate), 0.35 * gbps(rate), 0.95 * gbps(rate), "GB/s",
                 "no rate is stated: 35-95 % of what ports or drives could give");
}
/// Rates of which only the ports are known, or not even these.
Json rough(Rate rate, double middle, double low, double high, const char* why) {
  return between(middle * gbps(rate), low * gbps(rate), high * gbps(rate), "GB/s", why);
}

Json drive_rate(Rate rate) {
  return between(gbps(rate), 0.9 * gbps(rate), 1.03 * gbps(rate), "GB/s",
                 "sequential reads of NVMe: 90-103 %");
}
/// GB/s of one TCP flow (docs/models/nfs.md).
constexpr Guess kConnection{1.5, 0.4, 1.67};
constexpr double kMostConnections = 16.0;  // of `client.nconnect`: nconnect's own limit

/// A system that the catalogue has, by part of its name.
struct Known {
  const char* part;
  const char* product;
};
constexpr std::array kKnown = std::to_array<Known>({{"AI400X2 Turbo", "storage/ddn-ai400x2t"},
                                                    {"AI400X2T", "storage/ddn-ai400x2t"},
                                                    {"C500", "storage/hpe-c500"},
                                                    {"E1000", "storage/hpe-e1000"}});

/// Servers, and a ceiling over all of them: of the sheets where no rate is stated.
Json parallel(const Facts& f) {
  Json out = {
      {"type", "lustre"},
      {"ost",
       {{"count", whole(std::max(f.nodes, std::floor(f.drives / 4)))},
        {"read", text(f.drive * 4.0)}}},
      {"oss", {{"count", whole(f.nodes)}}},
      {"mdt", {{"count", whole(f.nodes)}}},
      {"read", f.stated ? stated(*f.stated) : share_of(f.sheets())},
      {"write", f.stated ? stated(*f.stated)
                         : rough(f.sheets(), 0.25, 0.1, 0.6,
                                 "no rate is stated: 10-60 % of what ports or drives read")}};
  if (f.node_port > Rate{}) out["oss"]["nic"] = ports_text(f.node_port * f.node_ports);
  return out;
}

/// Lustre, with the tunables that the notes of a submission give.
Json lustre(const Facts& f) {
  Json client = Json::object();
  auto rpcs = f.number(R"(max_rpcs_in_flight=(\d+))");
  if (f.workload != nullptr && f.workload->rules.id == "resnet50")
    if (const auto own = f.number(R"((\d+) for resnet50)")) rpcs = own;
  if (rpcs) client["rpcs_in_flight"] = whole(*rpcs);
  if (f.says("checksums=0")) client["checksums"] = false;
  if (f.says("max_pages_per_rpc=1M")) client["rpc"] = "1 MiB";
  const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const Known& one) { return f.says(one.part); });
  Json out = known == kKnown.end() ? parallel(f) : Json{{"use", known->product}};
  if (!client.empty()) out["client"] = std::move(client);
  return out;
}

/// A parallel file system of a make that is not modelled: shaped like Lustre, without checksums.
Json other_parallel(const Facts& f) {
  Json out = parallel(f);
  out["client"] = {{"checksums", false}};
  return out;
}

/// A NAS of nodes, all of which serve one export: a connection count for each of them.
Json nfs(const Facts& f) {
  const Rate each = f.node_port > Rate{} ? f.node_port * f.node_ports : f.sheets() / f.nodes;
  const double connections = f.number(R"(nconnect=(\d+))").value_or(1.0) * f.nodes;
  Json out = {
      {"type", "nfs"},
      {"head",
       {{"count", whole(f.nodes)},
        {"read", f.stated ? stated(*f.stated / f.nodes) : share_of(each)}}},
      {"shelf", {{"count", whole(f.drives)}, {"read", text(f.drive)}}},
      {"client",
       {{"nconnect", whole(std::min(kMostConnections, connections))},
        {"connection", spread(kConnection, "GB/s", "one TCP flow; a set of them for each node",
                              std::max(1.0, connections / kMostConnections))}}}};
  if (f.node_port > Rate{}) out["head"]["nic"] = ports_text(each);
  const auto ahead = f.number(R"(readahead (\d+)M)");
  out["client"]["read_ahead"] = ahead ? Json(with_unit(*ahead, "MiB"))
                                      : Json{{"value", "1 MiB"},
                                             {"low", "512 KiB"},
                                             {"high", "15 MiB"},
                                             {"why", "not stated; submitters tune it"}};
  return out;
}

/// What a backend of WEKA reads is known of the product, the cores of its client are not.
Json weka(const Facts& f) {
  return {{"use", "storage/wekapod-8"},
          {"backend", {{"count", whole(f.nodes)}}},
          {"client",
           {{"cores",
             {{"value", 6},
              {"low", 2},
              {"high", 12},
              {"why", "not published; 1 to 19 can be chosen"}}}}}};
}

Json local(const Facts& f) {
  return {{"type", "local"},
          {"drive", {{"count", whole(f.drives)}, {"read", drive_rate(f.drive)}}}};
}

/// Drives in targets, striped over all of them.
Json nvmeof(const Facts& f) {
  Json out = {
      {"type", "nvmeof"},
      {"transport", f.tcp() ? "tcp" : "rdma"},
      {"target", {{"count", whole(f.nodes)}}},
      {"drive", {{"count", whole(std::floor(f.drives / f.nodes))}, {"read", drive_rate(f.drive)}}}};
  if (f.says("stripe") && !f.direct())
    out["request"] = {{"value", "1 MiB"},
                      {"low", "512 KiB"},
                      {"high", "4 MiB"},
                      {"why", "read-ahead of a striped volume: twice its stripe"}};
  if (f.node_port > Rate{}) {
    const double rate = (f.node_port * f.node_ports).in(unit::Gbps);
    out["target"]["nic"] =
        between(rate, 0.5 * rate, rate, "Gb/s",
                "ports that limited 66-99 %; processors of targets are not stated");
  }
  return out;
}

/// Data nodes of pNFS: a parallel file system whose nodes are not described further.
Json pnfs(const Facts& f) {
  constexpr Rate kNode = Rate::from(30, unit::GBps);
  const Rate node = f.node_port > Rate{} ? f.node_port * f.node_ports : kNode;
  const char* why = "data nodes without a stated rate: 10-60 GB/s each";
  Json out = {{"type", "lustre"},
              {"ost", {{"count", whole(f.nodes)}, {"read", "400 GB/s"}, {"write", "400 GB/s"}}},
              {"oss", {{"count", whole(f.nodes)}, {"nic", "6400 Gb/s"}}},
              {"mdt", {{"count", whole(f.nodes)}}},
              {"stripe", {{"count", 0}}},
              {"read", rough(node * f.nodes, 1.0, 0.35, 2.0, why)},
              {"write", rough(node * f.nodes, 1.0, 0.35, 2.0, why)},
              {"client", {{"checksums", false}}}};
  return out;
}

/// An object store of servers, in the same data centre; its readers ask for parts at one time.
Json objects(const Facts& f) {
  Json out = {
      {"type", "s3"},
      {"prefixes", 4096},
      {"get",
       {{"parallel",
         {{"value", 8}, {"low", 1}, {"high", 32}, {"why", "GETs a reader issues at once"}}}}},
      {"first_byte",
       {{"value", "5 ms"}, {"low", "1 ms"}, {"high", "40 ms"}, {"why", "not published"}}},
      {"connection",
       {{"rate", spread({0.6, 0.2, 2.5}, "GB/s", "one connection, same data centre")}}},
      {"client",
       {{"rate", spread({1.5, 0.3, 2.0}, "GB/s", "one process, its GETs or its PUT")},
        {"tls", false}}}};
  if (f.nodes > 1.0) {
    out["server"] = {{"count", whole(f.nodes)},
                     {"read", share_of(f.drive * (f.drives / f.nodes))},
                     {"write", rough(f.drive * (f.drives / f.nodes), 0.25, 0.1, 0.5,
                                     "drives write 10-50 % of what they read")}};
    if (f.node_port > Rate{}) out["server"]["nic"] = ports_text(f.node_port * f.node_ports);
  }
  return out;
}

/// Drives by name, those that the catalogue has.
Json named_drive(const Facts& f) {
  return {{"use", f.says("PS1010") ? "storage/local-d7-ps1010" : "storage/local-d5-p5336"},
          {"client", {{"stream", spread({2.5, 0.4, 1.6}, "GB/s", "page cache, one process")}}},
          {"request",
           {{"value", "1 MiB"}, {"low", "512 KiB"}, {"high", "4 MiB"}, {"why", "not stated"}}}};
}

/// Cache servers before a bucket, filled: the data set is stated to fit.
Json cache(const Facts& f) {
  const Rate drives = f.drive * (f.drives / f.nodes);
  Json out = {
      {"type", "cache"},
      {"over", "bucket"},
      {"warm", true},
      {"server",
       {{"count", whole(f.nodes)},
        {"size", "200 TB"},
        {"read", rough(drives, 0.95, 0.6, 1.0, "drives of the servers: 60-100 %")},
        {"write", rough(drives, 0.6, 0.3, 0.9, "drives of instances write less than they read")}}},
      {"writes", "back"}};
  if (f.node_port > Rate{}) out["server"]["nic"] = ports_text(f.node_port * f.node_ports);
  return out;
}

/// The kinds that say most come first.
struct Maker {
  const char* pattern;
  Json (*make)(const Facts&);
};
constexpr std::array kMakers = std::to_array<Maker>({{"Lustre", lustre},
                                                     {"WEKA", weka},
                                                     {"pNFS \\(Flash|^pNFS", pnfs},
                                                     {"D5-P5336|D7-PS1010", named_drive},
                                                     {"^S3", objects},
                                                     {"JuiceFS|cache group|Alluxio", cache},
                                                     {"NVMe/TCP|NVMe-oF|NVMe over", nvmeof},
                                                     {"NFS|Nutanix|Hammerspace", nfs},
                                                     {"local", local},
                                                     {"", other_parallel}});

}  // namespace

Json storage_of(const Facts& facts) {
  const auto maker = std::find_if(kMakers.begin(), kMakers.end(),
                                  [&](const Maker& one) { return facts.says(one.pattern); });
  Json first = maker->make(facts);
  Json named = {{"id", "data"}};
  named.update(first);
  Json out = Json::array({named});
  if (maker->make == cache) out.push_back({{"id", "bucket"}, {"use", "storage/s3-standard"}});
  return out;
}

}  // namespace stallcast::calibration::mlperf
