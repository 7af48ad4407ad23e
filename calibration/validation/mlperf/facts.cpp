#include "calibration/validation/mlperf/facts.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

#include "calibration/validation/mlperf/ranges.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using namespace literals;

/// A drive of which nothing is said: PCIe Gen4.
constexpr Rate kDrive = 7.0_GBps;
/// A cloud volume counts up to so many bytes as one operation, and gives no more than that rate.
constexpr Bytes kVolumeOperation = Bytes::from(256, unit::KiB);
constexpr Rate kCloudVolume = 4.0_GBps;
constexpr Bytes kUsualMemory = Bytes::from(256, unit::GiB);
constexpr ClientCpu kUnknownCpu{128.0, 307.2_GBps};

/// A server of storage that nothing describes reads so much, and one of a tier with a stated rate.
constexpr Rate kOfServer = 20_GBps, kOfTier = Rate::from(5000, unit::MiBps);
constexpr double kDrivesOfSized = 4.0, kMostDrives = 16.0;
/// Such servers do not limit below the most that storage may have been sized for (store.cpp).
constexpr double kMostSized = 8.0;
/// Of what its clients' ports take, where no demand is known: half; ports that are not known.
constexpr double kOfPorts = 0.5;
constexpr Rate kClientPort = 12.5_GBps;

DriveRate drive_of(const CsvTable& table, std::size_t row, const std::string& product) {
  const std::string& claimed = table.text(row, "drive_read_GBps_claimed");
  if (const auto rate = rate_of(claimed)) return {*rate};
  if (table.text(row, "drive_iface") == "EBS") {
    static const std::regex kOperations(R"((\d+) ?IOPS)");
    const auto operations = first_group(table.text(row, "drive_model"), kOperations);
    if (!operations) return {kCloudVolume};
    return {std::min(kCloudVolume, OpRate::from(*operations, unit::per_s) * kVolumeOperation)};
  }
  return drive_in(product + " " + table.text(row, "drive_iface"), kDrive);
}

}  // namespace

std::optional<Rate> rate_of(const std::string& cell) {
  if (const auto rate = written::rate_in(cell)) return rate;
  const auto number = written::amount_in(cell);
  if (!number) return std::nullopt;
  return Rate::from(*number, unit::GBps);
}

std::optional<written::Ports> ports_of(const std::string& rate, const std::string& count) {
  auto out = written::ports_of_cell(rate);
  if (!out) return out;
  const double beside = written::number_in(count).value_or(0.0);
  out->count = std::max({1.0, beside, out->count.value_or(1.0)});
  return out;
}

std::optional<double> first_group(const std::string& text, const std::regex& pattern) {
  std::smatch found;
  if (!std::regex_search(text, found, pattern)) return std::nullopt;
  return std::stod(found[1]);
}

std::optional<double> first_group(const std::string& text, const char* pattern) {
  return first_group(text, std::regex(pattern, std::regex::icase));
}

bool has(const std::string& text, const char* pattern) {
  return std::regex_search(text, std::regex(pattern, std::regex::icase));
}

bool Facts::says(const char* pattern) const { return has(product, pattern); }

std::optional<double> Facts::number(const char* pattern) const {
  return first_group(product, pattern);
}

bool Facts::rdma() const { return says(R"(\b(RDMA|RoCE)\b)"); }

bool Facts::tcp() const {
  static const std::regex kClouds("AWS|EBS");  // in words, not in names of folders
  if (rdma()) return false;
  return says("TCP|NFS") || std::regex_search(product, kClouds);
}

bool Facts::direct() const { return says("O_DIRECT|direct IO|dio read|forcedirect"); }

Rate Facts::sheets(double times) const {
  Rate out = drive.read * (drives * times);
  if (node_port > Rate{}) out = std::min(out, node_port * (nodes * node_ports));
  return out;
}

void Facts::note(std::string_view column, const std::string& cell, const std::string& taken) {
  notes.push_back("\"" + cell + "\" in column \"" + std::string(column) + "\" is taken as " +
                  taken);
}

std::optional<double> Facts::amount(std::string_view column, const std::string& cell) {
  if (written::negative(cell)) note(column, cell, "not known");
  return written::amount_in(cell);
}

std::optional<Rate> Facts::total(std::string_view column, const std::string& cell) {
  if (written::negative(cell)) note(column, cell, "not known");
  return rate_of(cell);
}

void Facts::unread_ports(std::string_view column, const std::string& cell) {
  if (has(cell, R"(\d)") && written::number_in(cell) != 0.0) note(column, cell, "not known");
}

void Facts::count_servers(std::optional<double> drives_said, Rate rate) {
  nodes_said = false;
  if (drives_said) {
    drives = *drives_said;
    nodes = std::ceil(drives / kMostDrives);
    return;
  }
  nodes = stated ? std::ceil(*stated / kOfTier) : std::ceil(kMostSized * rate / kOfServer);
  drives = kDrivesOfSized * nodes;
  if (stated) return;
  asked = rate;
  node_port = Rate{};
  notes.emplace_back("nothing says how many servers there are: sized for its clients, " +
                     with_unit(rate.in(unit::GBps), "GB/s"));
}

Facts read_facts(const CsvTable& table, std::size_t row, const Workload& workload,
                 Seconds compute) {
  const auto text = [&](std::string_view column) -> const std::string& {
    return table.text(row, column);
  };
  const BenchmarkRules& rules = workload.rules;
  Facts out;
  const auto number = [&](std::string_view column, double otherwise) {
    return out.amount(column, text(column)).value_or(otherwise);
  };
  out.id = text("case_id");
  out.workload = &workload;
  out.compute = compute;
  out.hosts = number("num_hosts", 1.0);
  out.read_threads = number("read_threads", rules.threads);
  out.prefetch = text("prefetch_size") == "0" ? 0.0 : number("prefetch_size", 2.0);
  out.map_threads = number("computation_threads", 1.0);
  out.torch = workload.step.prefetching_workers;
  out.format = text("format").empty() ? (out.torch ? "npz" : "tfrecord") : text("format");
  out.samples_per_file = out.format == "tfrecord" ? rules.samples_per_file : 1.0;
  out.barrier = text("anomaly").find("barrier removed") == std::string::npos;
  out.memory = written::memory_in(text("client_mem_GiB")).value_or(kUsualMemory);
  const ClientCpu cpu = client_cpu(text("client_cpu")).value_or(kUnknownCpu);
  out.cores = cpu.threads / 2.0;
  out.zen2 = cpu.zen2;
  out.memory_rate = cpu.memory;
  const std::string& client = text("client_nic_Gbps");
  if (const auto ports = ports_of(client, text("client_nics"))) {
    out.port = ports->rate;
    out.ports = *ports->count;
  } else {
    out.unread_ports("client_nic_Gbps", client);
    if (const auto all = out.total("client_net_GBps_total", text("client_net_GBps_total")))
      out.port = *all / out.hosts;
  }
  out.product = base::join(std::vector<std::string>{text("storage_product"), text("protocol_fs"),
                                                    text("drive_model"), text("sys_notes")},
                           " ");
  out.drive = drive_of(table, row, out.product);
  out.stated = out.total("stated_peak_read_GBps", text("stated_peak_read_GBps"));
  out.nodes = number("storage_nodes", 1.0);
  const bool local = out.says(R"(\blocal\b)");
  out.drives = number("drives_total", local ? out.nodes : kDrivesOfServer * out.nodes);
  if (!out.drive.known)
    if (const auto all = out.total("drives_GBps_total", text("drives_GBps_total")))
      out.drive = {*all / out.drives};
  if (!written::amount_in(text("storage_nodes")) && !local) {
    out.count_servers(
        written::amount_in(text("drives_total")),
        (out.port > Rate{} ? out.port * out.ports : kClientPort) * out.hosts * kOfPorts);
  }
  const std::string& servers = text("storage_nic_Gbps");
  if (const auto ports = ports_of(servers, text("storage_nics_per_node"))) {
    if (out.asked) return out;
    out.node_port = ports->rate;
    out.node_ports = *ports->count;
    if (text("storage_nics_per_node").find("total") != std::string::npos)
      out.node_ports /= out.nodes;
  } else {
    out.unread_ports("storage_nic_Gbps", servers);
    if (const auto all = out.total("storage_net_GBps_total", text("storage_net_GBps_total")))
      out.node_port = *all / out.nodes;
  }
  return out;
}

}  // namespace stallcast::calibration::mlperf
