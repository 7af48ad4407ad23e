#include "models/catalogue/ceilings.hpp"

#include <algorithm>
#include <array>

/// Shares and the pairs they come from: docs/models/priors.md, table 1.
namespace stallcast::models {
namespace {

constexpr std::string_view kReads =
    "NVMe reads, 4 pairs: 97-103 % of the data sheet; less where full, hot or shared";
constexpr std::string_view kWrites =
    "expert range: 2 pairs of NVMe writes at 88 and 101 %; full drives write less";
constexpr std::string_view kIops =
    "expert range: no pairs; the data sheet's queue depth and block size are rarely met";
constexpr std::string_view kLinks = "ports that limited, 17 pairs: 66-99 % of the line rate";
constexpr std::string_view kBuses = "PCIe x16, 4 pairs: 80-90 % of the link";
constexpr std::string_view kProvisioned =
    "Azure Managed Lustre, 3 pairs: 97-99 %; expert range below, for volumes that are shared";
constexpr std::string_view kRates =
    "3 pairs of one appliance: 94-98 %; reruns of 17 systems in IO500: 83-99 % of their best";
constexpr std::string_view kOps =
    "one pair: 91 %; reruns of 17 systems in IO500: 68-100 % of their best create and stat";

constexpr Ceiling link(Role role, std::string_view field) {
  return {role, field, Dimension::rate, 0.66, 0.99, kLinks};
}
constexpr Ceiling bus(Role role, std::string_view field) {
  return {role, field, Dimension::rate, 0.80, 0.90, kBuses};
}
constexpr Ceiling reads(Role role, std::string_view field) {
  return {role, field, Dimension::rate, 0.90, 1.03, kReads};
}
constexpr Ceiling writes(Role role, std::string_view field) {
  return {role, field, Dimension::rate, 0.75, 1.01, kWrites};
}

// Of a role the first that fits; what holds for any field comes last.
constexpr std::array kCeilings{
    reads(Role::host, "nvme.read"),
    writes(Role::host, "nvme.write"),
    bus(Role::host, "pcie.uplink"),
    bus(Role::host, "numa.link"),
    link(Role::fabric, "bisection"),
    reads(Role::storage, "drive.read"),
    writes(Role::storage, "drive.write"),
    writes(Role::storage, "drive.burst_write"),
    Ceiling{Role::storage, "drive.read_iops", Dimension::op_rate, 0.50, 1.00, kIops},
    Ceiling{Role::storage, "drive.write_iops", Dimension::op_rate, 0.50, 1.00, kIops},
    link(Role::storage, "backend.nic"),
    link(Role::storage, "datanode.nic"),
    link(Role::storage, "head.nic"),
    link(Role::storage, "link.rate"),
    link(Role::storage, "node.nic"),
    link(Role::storage, "oss.nic"),
    link(Role::storage, "port.rate"),
    link(Role::storage, "router.rate"),
    link(Role::storage, "server.back_nic"),
    link(Role::storage, "server.nic"),
    link(Role::storage, "target.nic"),
    Ceiling{Role::storage, "provisioned", Dimension::rate, 0.90, 1.00, kProvisioned},
    Ceiling{Role::storage, "", Dimension::rate, 0.83, 1.00, kRates},
    Ceiling{Role::storage, "", Dimension::op_rate, 0.65, 1.00, kOps}};
// Pools of CXL memory: their ports are those of PCIe.
constexpr Ceiling kCxl = bus(Role::storage, "");

// Speeds of software on one client, or of one stream: no data sheet states them, and their defaults
// have ranges of their own. So with rates at which background work is let run.
constexpr std::string_view kSoftware[] = {"client.", "connection.", "device.", "drain", "hsm."};

bool is_software(std::string_view key) {
  return std::any_of(std::begin(kSoftware), std::end(kSoftware),
                     [&](std::string_view start) { return key.starts_with(start); });
}

}  // namespace

const Ceiling* ceiling_of(Role role, std::string_view kind, const base::FieldInfo& field) {
  if (role == Role::storage) {
    if (kind == "measured") return nullptr;  // its figures were measured where they are used
    if (kind == "cxl") return field.dimension == Dimension::rate ? &kCxl : nullptr;
    if (is_software(field.key)) return nullptr;
  }
  const auto* const found = std::find_if(kCeilings.begin(), kCeilings.end(), [&](const Ceiling& c) {
    return c.role == role && c.dimension == field.dimension &&
           (c.field.empty() || c.field == field.key);
  });
  return found == kCeilings.end() ? nullptr : found;
}

}  // namespace stallcast::models
