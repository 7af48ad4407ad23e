#include <algorithm>
#include <cmath>
#include <regex>

#include "calibration/validation/mlperf/facts.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using namespace literals;

/// The tiers are sold in MB/s per TiB of 1024^2 bytes; the table has them in thousands of these.
Rate provisioned(double table_gbps) { return Rate::from(table_gbps * 1000.0, unit::MiBps); }

std::optional<double> found_in(const std::string& text, const char* pattern) {
  return first_group(text, std::regex(pattern));
}

/// `read_threads` of unet3d_b200.yaml, v3.0, and of other workloads.
constexpr double kThreadsUnet3d = 32.0, kThreads = 8.0;
/// NVMe of instances (i3en: 8 drives read 16 GB/s, from memory), and of servers.
constexpr Rate kInstanceDrive = 2_GBps, kServerDrive = 6.5_GBps;
constexpr double kOfServer = 5.0;  // GB/s
constexpr double kUnknownCores = 64.0, kUnknownMemory = 512.0;

}  // namespace

Facts read_facts_v3(const CsvTable& table, std::size_t row, const Workload* workload,
                    Seconds compute) {
  const auto text = [&](std::string_view column) -> const std::string& {
    return table.text(row, column);
  };
  const auto number = [&](std::string_view column, double otherwise) {
    const double found = found_in(text(column), R"(([0-9]+(?:\.[0-9]+)?))").value_or(0.0);
    return found > 0.0 ? found : otherwise;
  };
  Facts out;
  out.id = text("case_id");
  out.workload = workload;
  out.compute = compute;
  out.hosts = number("hosts", 1.0);
  const bool unet3d = workload != nullptr && workload->rules.id == "unet3d";
  out.read_threads = number("read_threads", unet3d ? kThreadsUnet3d : kThreads);
  out.torch = true;
  out.third_round = true;
  out.format = unet3d ? "npz" : "jpeg";
  out.memory = Bytes::from(number("host_mem_GiB", kUnknownMemory), unit::GiB);
  const std::string about = text("system") + " " + text("note");
  double threads = 2.0 * kUnknownCores;
  if (const auto azure = found_in(about, R"(Standard_[A-Z]+(\d+))")) threads = *azure;
  if (const auto aws = found_in(about, R"([a-z]\d[a-z]*\.?(\d+)xl)")) threads = 4.0 * *aws;
  if (const auto said = found_in(about, R"((\d+)\s*vCPU)")) threads = *said;
  out.cores = threads / 2.0;
  out.memory_rate = cpu_of_vcpus(threads).memory;
  const std::string& client = text("client_nic_Gbps");
  if (const auto port = found_in(client, R"((?:\d+ x )?(\d+))")) {
    out.port = Rate::from(*port, unit::Gbps);
    out.ports = found_in(client, R"((\d+) x )").value_or(1.0);
    if (text("note").find("cloud shape has one") != std::string::npos) out.ports = 1.0;
  }
  out.product = base::join(std::vector<std::string>{text("protocol"), text("drives"),
                                                    text("storage"), text("system"), text("note")},
                           " ");
  out.nodes = number("storage_nodes", 1.0);
  out.drives = out.nodes * found_in(text("drives"), R"(^(\d+) x )").value_or(4.0);
  out.drive = out.says("i3en") || out.says("Alluxio") ? kInstanceDrive : kServerDrive;
  out.node_port = Rate::from(number("storage_nic_Gbps_per_node", 0.0), unit::Gbps);
  auto stated = found_in(text("drives"), R"(provisioned ([\d.]+) GB/s)");
  if (!stated) stated = found_in(text("provisioned_GBps"), R"(([\d.]+))");
  if (stated) out.stated = provisioned(*stated);
  // Servers that are not described are as many as the stated rate takes.
  if (stated && text("storage_nodes").empty()) {
    out.nodes = std::ceil(*stated / kOfServer);
    out.drives = 4.0 * out.nodes;
  }
  if (const auto drives = found_in(text("storage"), R"((\d{1,6})x [\d.]+ ?TB NVMe)"))
    out.drives = *drives;
  return out;
}

}  // namespace stallcast::calibration::mlperf
