#include <algorithm>
#include <cmath>
#include <regex>

#include "calibration/validation/mlperf/facts.hpp"
#include "calibration/validation/mlperf/ranges.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using namespace literals;

/// The tiers are sold in MB/s per TiB of 1024^2 bytes; the table has them in thousands of these.
Rate of_tier(double table_gbps) { return Rate::from(table_gbps * 1000.0, unit::MiBps); }

/// `read_threads` of unet3d_b200.yaml, v3.0, and of other workloads.
constexpr double kThreadsUnet3d = 32.0, kThreads = 8.0;
/// NVMe of instances (i3en: 8 drives read 16 GB/s, from memory), and of servers.
constexpr Rate kInstanceDrive = 2_GBps, kServerDrive = 6.5_GBps;
constexpr double kUnknownCores = 64.0;
constexpr Bytes kUnknownMemory = Bytes::from(512, unit::GiB);
/// What a rank of a checkpoint asks for, and a client whose ports are not known; no bar makes
/// anybody size storage for all of it: a quarter.
constexpr Rate kRank = 2_GBps, kClient = 50_GBps;
constexpr double kOfCheckpoint = 0.25;

/// A rate that is stated of the whole: "provisioned 100 GB/s", "Premium-125-160TiB".
std::optional<Rate> stated_in(const CsvTable& table, std::size_t row, const std::string& about) {
  const bool tier = has(about, "MB/s/TiB|Azure|AMLFS");
  const auto as_said = [&](const std::string& text) -> std::optional<Rate> {
    const auto rate = rate_of(text);
    const bool plain = !written::rate_in(text) || has(written::plain(text), R"(\d ?gbyte/s)");
    return rate && tier && plain ? of_tier(rate->in(unit::GBps)) : rate;
  };
  static const std::regex kSaid(R"(\b(?:provisioned|stated|rated|peak)\D*(.*))", std::regex::icase);
  for (const char* column : {"drives", "storage"}) {
    std::smatch found;
    if (std::regex_search(table.text(row, column), found, kSaid) && written::rate_in(found[1]))
      return as_said(found[1]);
  }
  if (const auto rate = as_said(table.text(row, "provisioned_GBps"))) return rate;
  static const std::regex kTier(R"((?:Premium-(\d+)-(\d+)TiB|(\d+) MB/s/TiB x (\d+) ?TiB))",
                                std::regex::icase);
  std::smatch found;
  if (!std::regex_search(about, found, kTier)) return std::nullopt;
  const int first = found[1].matched ? 1 : 3;
  return Rate::from(std::stod(found[first]) * std::stod(found[first + 1]), unit::MiBps);
}

/// What the clients ask storage for.
Rate asked_by(const Facts& f, double ranks) {
  if (f.workload != nullptr) return f.workload->batch_bytes() / f.compute * ranks;
  const Rate ports = (f.port > Rate{} ? f.port * f.ports : kClient) * f.hosts;
  return std::min(ports, kRank * ranks) * kOfCheckpoint;
}

/// Servers, drives and ports: of columns, else of the words about the storage.
void read_servers(const CsvTable& table, std::size_t row, double ranks, const std::string& drives,
                  Facts& out) {
  const auto cell = [&](std::string_view column) -> const std::string& {
    return table.text(row, column);
  };
  const written::Servers words = written::servers_in(cell("storage"));
  const auto nodes = written::number_in(cell("storage_nodes"));
  const bool column = out.amount("storage_nodes", cell("storage_nodes")).has_value();
  const bool in_all = has(drives, R"(\b(in all|in total|total|altogether)\b)");
  const auto each = written::count_of_cell(drives);
  out.local = !has(out.protocol, "lustre|weka|nfs|s3|object|alluxio|juicefs|nvme[/-]|nvme over") &&
              (has(out.protocol + " " + cell("client_nic_Gbps"), R"(\blocal\b)") ||
               (nodes && *nodes == 0.0));
  if (out.local) {
    out.drives = each.value_or(words.drives.value_or(1.0));
    return;
  }
  if (column && !has(cell("storage_nodes"), R"(^\s*\d[\d,]*\s*(nodes?|servers?|OSS)?\s*$)"))
    out.note("storage_nodes", cell("storage_nodes"), base::shortest(*nodes));
  if (column || words.nodes) {
    out.nodes = column ? *nodes : *words.nodes;
    const double of_all = (in_all ? 1.0 : out.nodes) * each.value_or(kDrivesOfServer);
    out.drives = words.drives.value_or(each ? of_all : out.nodes * kDrivesOfServer);
  } else {
    out.count_servers(words.drives, asked_by(out, ranks));
  }
  const auto all = out.total("storage_net_GBps", cell("storage_net_GBps"));
  if (out.asked) {
    if (all) out.node_port = *all / out.nodes;
    return;
  }
  const std::string& ports = cell("storage_nic_Gbps_per_node");
  if (const auto read = written::ports_of_cell(ports)) {
    out.node_port = read->rate;
    out.node_ports = read->count.value_or(1.0);
  } else if (words.port > Rate{}) {
    out.node_port = words.port;
    out.node_ports = words.node_ports.value_or(1.0);
  } else {
    out.unread_ports("storage_nic_Gbps_per_node", ports);
    if (all) out.node_port = *all / out.nodes;
  }
}

}  // namespace

Facts read_facts_v3(const CsvTable& table, std::size_t row, const Workload* workload,
                    Seconds compute, double ranks) {
  const auto text = [&](std::string_view column) -> const std::string& {
    return table.text(row, column);
  };
  Facts out;
  const auto number = [&](std::string_view column, double otherwise) {
    return out.amount(column, text(column)).value_or(otherwise);
  };
  out.id = text("case_id");
  out.workload = workload;
  out.compute = compute;
  out.hosts = std::max(1.0, base::parse_number(base::trim(text("hosts"))).value_or(1.0));
  const bool unet3d = workload != nullptr && workload->rules.id == "unet3d";
  out.read_threads = number("read_threads", unet3d ? kThreadsUnet3d : kThreads);
  out.torch = true;
  out.third_round = true;
  out.format = unet3d ? "npz" : "jpeg";
  out.memory = written::memory_in(text("host_mem_GiB")).value_or(kUnknownMemory);
  const std::string about = text("system") + " " + text("note");
  double threads = 2.0 * kUnknownCores;
  if (const auto azure = first_group(about, R"(Standard_[A-Z]+(\d+))")) threads = *azure;
  if (const auto aws = first_group(about, R"([a-z]\d[a-z]*\.?(\d+)xl)")) threads = 4.0 * *aws;
  if (const auto said = first_group(about, R"((\d+)\s*vCPU)")) threads = *said;
  out.cores = threads / 2.0;
  out.memory_rate = cpu_of_vcpus(threads).memory;
  const std::string& client = text("client_nic_Gbps");
  if (const auto ports = written::ports_of_cell(client)) {
    out.port = ports->rate;
    out.ports = ports->count.value_or(1.0);
    if (has(text("note"), "cloud shape has one")) out.ports = 1.0;
  } else {
    out.unread_ports("client_nic_Gbps", client);
  }
  out.protocol = text("protocol");
  const auto cell = written::drives_of_cell(text("drives"));
  if (!cell) out.note("drives", text("drives"), "not known: of more than one kind");
  const std::string drives = cell.value_or("") + " " + text("storage");
  out.product =
      base::join(std::vector<std::string>{out.protocol, drives, text("system"), text("note")}, " ");
  // Where the drives are not named, the system may be.
  out.drive = drive_in(drives, kServerDrive);
  if (!out.drive.known && out.says("i3en|Alluxio")) out.drive = {kInstanceDrive};
  out.stated = stated_in(table, row, drives + " " + about);
  read_servers(table, row, ranks, cell.value_or(""), out);
  return out;
}

}  // namespace stallcast::calibration::mlperf
