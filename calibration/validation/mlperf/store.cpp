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
/// Of drives that no data sheet is known of: how much slower and faster they may be.
struct Unsure {
  double low = 1.0, high = 1.0;
};
Unsure unsure(const Facts& f) {
  if (f.drive.known) return {};
  return {f.drive.low, f.drive.high};
}

/// Where none is stated. 62 % is the median of the rows of v1.0 without one. `low` and `high`: with
/// the slowest and the fastest drives that it may have.
Json share_of(Rate rate, Rate low, Rate high) {
  return between(0.62 * gbps(rate), 0.35 * gbps(low), 0.95 * gbps(high), "GB/s",
                 "no rate is stated: 35-95 % of what ports or drives could give");
}
Json share_of_sheets(const Facts& f) {
  const Unsure drives = unsure(f);
  return share_of(f.sheets(), f.sheets(drives.low), f.sheets(drives.high));
}

/// Storage of which neither servers nor a rate are known: published systems were sized for their
/// clients, and those that are sold give more than one job asks for. An assumption.
constexpr Guess kSized{2.0, 0.35, 4.0};
Json sized_for(Rate asked) {
  return spread(kSized, "GB/s", "nothing is known of its servers: 0.7-8 times what clients ask for",
                gbps(asked));
}

/// What all of it reads, over `parts` servers.
Json reads(const Facts& f, double parts = 1.0) {
  if (f.stated) return stated(*f.stated / parts);
  if (f.asked) return sized_for(*f.asked / parts);
  return share_of_sheets(f);
}
/// Whether a rate is stated below what ports and drives could give.
bool stated_limits(const Facts& f) { return f.stated && *f.stated < f.sheets(); }
/// Rates of which only the ports are known, or not even these.
Json rough(Rate rate, double middle, double low, double high, const char* why) {
  return between(middle * gbps(rate), low * gbps(rate), high * gbps(rate), "GB/s", why);
}

Json drive_rate(const Facts& f) {
  const DriveRate& drive = f.drive;
  if (drive.known)
    return between(gbps(drive.read), 0.9 * gbps(drive.read), 1.03 * gbps(drive.read), "GB/s",
                   "sequential reads of NVMe: 90-103 %");
  return rough(drive.read, 1.0, drive.low, drive.high, "drives that are not named: of their kind");
}
/// What those write that read so much.
constexpr double kDriveWrites = 0.6;
Json drive_writes(const Facts& f, Rate read) {
  const Unsure times = unsure(f);
  return rough(read, kDriveWrites, 0.25 * times.low, 0.9 * times.high,
               "drives write 25-90 % of what they read");
}
/// Four of them: an OST.
Json target_rate(const Facts& f) {
  const Rate rate = f.drive.read * 4.0;
  if (f.drive.known || !f.nodes_said) return text(rate);
  return rough(rate, 1.0, f.drive.low, f.drive.high, "drives that are not named: of their kind");
}
/// GB/s of one TCP flow (docs/models/nfs.md).
constexpr Guess kConnection{1.5, 0.4, 1.67};
/// Over RDMA, where no processor copies: up to a port of 200 Gb/s.                  [assumption]
constexpr Guess kRdmaConnection{8.0, 0.3, 3.0};
constexpr double kMostConnections = 16.0;  // of `client.nconnect`: nconnect's own limit

/// A system that the catalogue has, by part of its name.
struct Known {
  const char* part;
  const char* product;
  double nodes, oss, osts;  ///< of the catalogue's
  Rate read;
};
constexpr Rate kDdn = Rate::from(110, unit::GBps);
constexpr std::array kKnown = std::to_array<Known>(
    {{"AI400X2 Turbo", "storage/ddn-ai400x2t", 1, 4, 8, kDdn},
     {"AI400X2T", "storage/ddn-ai400x2t", 1, 4, 8, kDdn},
     {R"(\bC500\b)", "storage/hpe-c500", 1, 2, 2, Rate::from(85, unit::GBps)},
     {R"(\bE1000\b)", "storage/hpe-e1000", 2, 4, 4, Rate::from(130, unit::GBps)}});

/// It, of the size that the row says.
Json sized_as(const Known& known, const Facts& f) {
  Json out = {{"use", known.product}};
  // A stated rate says more than a number of boxes.
  const double by_nodes = f.nodes_said ? f.nodes / known.nodes : 1.0;
  const double times = f.stated ? *f.stated / known.read : by_nodes;
  if (times != 1.0) {
    out["ost"] = {{"count", whole(std::ceil(known.osts * times))}};
    out["oss"] = {{"count", whole(std::ceil(known.oss * times))}};
  }
  const Rate rate = f.stated.value_or(known.read * times);
  if (rate != known.read) out["read"] = stated(rate);
  return out;
}

/// What all of it writes.
Json writes(const Facts& f) {
  if (f.stated) return stated(*f.stated);
  if (f.asked) return sized_for(*f.asked * 0.5);
  const Unsure drives = unsure(f);
  return between(0.25 * gbps(f.sheets()), 0.1 * gbps(f.sheets(drives.low)),
                 0.6 * gbps(f.sheets(drives.high)), "GB/s",
                 "no rate is stated: 10-60 % of what ports or drives read");
}

/// Servers, and a ceiling over all of them: of the sheets where no rate is stated.
Json parallel(const Facts& f) {
  Json out = {
      {"type", "lustre"},
      {"ost",
       {{"count", whole(std::max(f.nodes, std::floor(f.drives / 4)))}, {"read", target_rate(f)}}},
      {"oss", {{"count", whole(f.nodes)}}},
      {"mdt", {{"count", whole(f.nodes)}}},
      {"read", reads(f)},
      {"write", writes(f)}};
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
  Json out = known == kKnown.end() ? parallel(f) : sized_as(*known, f);
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
  const bool ports = f.node_port > Rate{};
  const Rate each = ports ? f.node_port * f.node_ports : f.sheets() / f.nodes;
  const Unsure drives = ports ? Unsure{} : unsure(f);
  const double connections = f.number(R"(nconnect=(\d+))").value_or(1.0) * f.nodes;
  Json out = {
      {"type", "nfs"},
      {"head",
       {{"count", whole(f.nodes)},
        {"read", f.stated || f.asked ? reads(f, f.nodes)
                                     : share_of(each, each * drives.low, each * drives.high)}}},
      {"shelf", {{"count", whole(f.drives)}, {"read", text(f.drive.read)}}},
      {"client",
       {{"nconnect", whole(std::min(kMostConnections, connections))},
        {"connection", spread(f.rdma() ? kRdmaConnection : kConnection, "GB/s",
                              f.rdma() ? "one RDMA connection; a set of them for each node"
                                       : "one TCP flow; a set of them for each node",
                              std::max(1.0, connections / kMostConnections))}}}};
  if (f.node_port > Rate{}) out["head"]["nic"] = ports_text(each);
  if (f.third_round) out["shelf"]["write"] = drive_writes(f, f.drive.read);
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
  // The catalogue's backend.
  constexpr Rate kBackend = Rate::from(90, unit::GBps), kPorts = Rate::from(800, unit::Gbps),
                 kBackendWrites = Rate::from(31, unit::GBps);
  const Rate drives = f.drive.read * (f.drives / f.nodes);
  Json backend = {{"count", whole(f.nodes)}};
  if (const Rate ports = f.node_port * f.node_ports; ports > Rate{} && ports != kPorts)
    backend["nic"] = ports_text(ports);
  if (f.asked || stated_limits(f)) {
    backend["read"] = reads(f, f.nodes);
  } else if (drives < kBackend) {
    backend["read"] = rough(drives, 1.0, 0.5, unsure(f).high, "drives of a backend");
  }
  // Saves are asked of the third round alone, whose drives may be fewer than the catalogue's.
  if (f.third_round && !f.asked && drives * kDriveWrites < kBackendWrites)
    backend["write"] = drive_writes(f, drives);
  return {{"use", "storage/wekapod-8"},
          {"backend", std::move(backend)},
          {"client",
           {{"cores",
             {{"value", 6},
              {"low", 2},
              {"high", 12},
              {"why", "not published; 1 to 19 can be chosen"}}}}}};
}

/// Drives by name, those that the catalogue has.
Json named_drive(const Facts& f) {
  Json out = {{"use", f.says("PS1010") ? "storage/local-d7-ps1010" : "storage/local-d5-p5336"},
              {"client", {{"stream", spread({2.5, 0.4, 1.6}, "GB/s", "page cache, one process")}}},
              {"request",
               {{"value", "1 MiB"}, {"low", "512 KiB"}, {"high", "4 MiB"}, {"why", "not stated"}}}};
  if (f.drives > 1.0) out["drive"] = {{"count", whole(f.drives)}};
  return out;
}

Json local(const Facts& f) {
  if (f.says("D5-P5336|D7-PS1010")) return named_drive(f);
  Json drive = {{"count", whole(f.drives)},
                {"read", stated_limits(f) ? stated(*f.stated / f.drives) : drive_rate(f)}};
  if (f.third_round) drive["write"] = drive_writes(f, f.drive.read);
  return {{"type", "local"}, {"drive", std::move(drive)}};
}

/// Drives in targets, striped over all of them.
Json nvmeof(const Facts& f) {
  Json out = {
      {"type", "nvmeof"},
      {"transport", f.tcp() ? "tcp" : "rdma"},
      {"target", {{"count", whole(f.nodes)}}},
      {"drive", {{"count", whole(std::floor(f.drives / f.nodes))}, {"read", drive_rate(f)}}}};
  if (f.third_round) out["drive"]["write"] = drive_writes(f, f.drive.read);
  if (f.says("stripe") && !f.direct())
    out["request"] = {{"value", "1 MiB"},
                      {"low", "512 KiB"},
                      {"high", "4 MiB"},
                      {"why", "read-ahead of a striped volume: twice its stripe"}};
  if (f.asked || stated_limits(f)) {
    out["target"]["nic"] = reads(f, f.nodes);
  } else if (f.node_port > Rate{}) {
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
  const Rate port = f.node_port > Rate{} ? f.node_port * f.node_ports : kNode;
  // Sized for its clients: the same range around twice what they ask for.
  const Rate node = f.asked ? *f.asked * (2.0 / f.nodes) : port;
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
  if (f.stated || f.asked) {
    out["read"] = reads(f);
    out["write"] = writes(f);
  }
  if (f.nodes_said) {
    const Rate drives = f.drive.read * (f.drives / f.nodes);
    const Unsure times = unsure(f);
    out["server"] = {{"count", whole(f.nodes)},
                     {"read", share_of(drives, drives * times.low, drives * times.high)},
                     {"write", rough(drives, 0.25, 0.1 * times.low, 0.5 * times.high,
                                     "drives write 10-50 % of what they read")}};
    if (f.node_port > Rate{}) out["server"]["nic"] = ports_text(f.node_port * f.node_ports);
  }
  return out;
}

/// Cache servers before a bucket, filled: the data set is stated to fit.
Json cache(const Facts& f) {
  const Rate drives = f.drive.read * (f.drives / f.nodes);
  const Unsure times = unsure(f);
  Json out = {
      {"type", "cache"},
      {"over", "bucket"},
      {"warm", true},
      {"server",
       {{"count", whole(f.nodes)},
        {"size", "200 TB"},
        {"read", f.asked || stated_limits(f) ? reads(f, f.nodes)
                                             : rough(drives, 0.95, 0.6 * times.low, times.high,
                                                     "drives of the servers: 60-100 %")},
        {"write", rough(drives, 0.6, 0.3 * times.low, 0.9 * times.high,
                        "drives of instances write less than they read")}}},
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
                                                     {"JuiceFS|cache group|Alluxio", cache},
                                                     {"NVMe/TCP|NVMe-oF|NVMe over", nvmeof},
                                                     {"NFS|Nutanix|Hammerspace", nfs},
                                                     {"\\bS3\\b|object stor|MinIO", objects},
                                                     {"\\blocal\\b|D5-P5336|D7-PS1010", local},
                                                     {"", other_parallel}});

/// By the protocol alone, where the table has it, else by all words about the storage.
const Maker& maker_of(const Facts& f) {
  const auto of = [&](const std::string& text) {
    return std::find_if(kMakers.begin(), kMakers.end(),
                        [&](const Maker& one) { return has(text, one.pattern); });
  };
  const auto by_protocol = of(f.protocol);
  return by_protocol + 1 != kMakers.end() ? *by_protocol : *of(f.product);
}

}  // namespace

Json storage_of(const Facts& facts) {
  const auto make = facts.local ? local : maker_of(facts).make;
  Json first = make(facts);
  Json named = {{"id", "data"}};
  named.update(first);
  Json out = Json::array({named});
  if (make == cache) out.push_back({{"id", "bucket"}, {"use", "storage/s3-standard"}});
  return out;
}

}  // namespace stallcast::calibration::mlperf
