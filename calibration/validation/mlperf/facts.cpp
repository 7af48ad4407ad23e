#include "calibration/validation/mlperf/facts.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include "engine/base/text.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using namespace literals;

struct Product {
  std::string_view name;
  Rate rate;
};
/// Sequential reads of drives by the vendors' data sheets, by part of their names.
constexpr std::array kDrives = std::to_array<Product>({{"6500 ION", 6.8_GBps},
                                                       {"9400", 7.0_GBps},
                                                       {"9550", 14.0_GBps},
                                                       {"PM1733", 7.0_GBps},
                                                       {"PM1743", 14.0_GBps},
                                                       {"MTFDKCC", 6.8_GBps}});
/// Of which nothing is said: PCIe Gen4.
constexpr Rate kDrive = 7.0_GBps;
/// A cloud volume counts up to so many bytes as one operation, and gives no more than that rate.
constexpr Bytes kVolumeOperation = Bytes::from(256, unit::KiB);
constexpr Rate kCloudVolume = 4.0_GBps;
constexpr Bytes kUsualMemory = Bytes::from(256, unit::GiB);
constexpr ClientCpu kUnknownCpu{128.0, 307.2_GBps};

std::optional<double> first_number(const std::string& text) {
  static const std::regex kNumber(R"(([0-9]+(?:\.[0-9]+)?))");
  return first_group(text, kNumber);
}

Rate drive_of(const CsvTable& table, std::size_t row, const std::string& product) {
  if (const auto claimed = first_number(table.text(row, "drive_read_GBps_claimed")))
    return Rate::from(*claimed, unit::GBps);
  if (table.text(row, "drive_iface") == "EBS") {
    static const std::regex kOperations(R"((\d+) ?IOPS)");
    const auto operations = first_group(table.text(row, "drive_model"), kOperations);
    if (!operations) return kCloudVolume;
    return std::min(kCloudVolume, OpRate::from(*operations, unit::per_s) * kVolumeOperation);
  }
  for (const Product& one : kDrives)
    if (product.find(one.name) != std::string::npos) return one.rate;
  return kDrive;
}

}  // namespace

std::optional<double> first_group(const std::string& text, const std::regex& pattern) {
  std::smatch found;
  if (!std::regex_search(text, found, pattern)) return std::nullopt;
  return std::stod(found[1]);
}

bool Facts::says(const char* pattern) const {
  return std::regex_search(product, std::regex(pattern));
}

std::optional<double> Facts::number(const char* pattern) const {
  return first_group(product, std::regex(pattern));
}

bool Facts::tcp() const { return says("TCP|AWS|EBS|NFS"); }

bool Facts::direct() const { return says("O_DIRECT|direct IO|dio read|forcedirect"); }

Rate Facts::sheets() const {
  Rate out = drive * drives;
  if (node_port > Rate{}) out = std::min(out, node_port * (nodes * node_ports));
  return out;
}

Facts read_facts(const CsvTable& table, std::size_t row, const Workload& workload,
                 Seconds compute) {
  const auto text = [&](std::string_view column) -> const std::string& {
    return table.text(row, column);
  };
  const auto number = [&](std::string_view column, double otherwise) {
    const double found = first_number(text(column)).value_or(0.0);
    return found > 0.0 ? found : otherwise;
  };
  const BenchmarkRules& rules = workload.rules;
  Facts out;
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
  out.memory = Bytes::from(number("client_mem_GiB", kUsualMemory.in(unit::GiB)), unit::GiB);
  const ClientCpu cpu = client_cpu(text("client_cpu")).value_or(kUnknownCpu);
  out.cores = cpu.threads / 2.0;
  out.zen2 = cpu.zen2;
  out.memory_rate = cpu.memory;
  out.port = Rate::from(number("client_nic_Gbps", 0.0), unit::Gbps);
  out.ports = number("client_nics", 1.0);
  out.product = base::join(std::vector<std::string>{text("storage_product"), text("protocol_fs"),
                                                    text("drive_model"), text("sys_notes")},
                           " ");
  out.nodes = number("storage_nodes", 1.0);
  out.drives = number("drives_total", out.nodes);
  out.drive = drive_of(table, row, out.product);
  out.node_port = Rate::from(number("storage_nic_Gbps", 0.0), unit::Gbps);
  out.node_ports = number("storage_nics_per_node", 1.0);
  if (text("storage_nics_per_node").find("total") != std::string::npos) out.node_ports /= out.nodes;
  if (const double stated = number("stated_peak_read_GBps", 0.0); stated > 0.0)
    out.stated = Rate::from(stated, unit::GBps);
  return out;
}

}  // namespace stallcast::calibration::mlperf
