#include "calibration/validation/mlperf/submission.hpp"

#include <charconv>
#include <cmath>
#include <regex>

#include "calibration/validation/mlperf/facts.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::mlperf {
namespace {

/// Memory of a client of which nothing is said: the usual one of the round.
constexpr Bytes kMemory = Bytes::from(256, unit::GiB);
/// Hardware threads of a client whose CPU is not known: two sockets of 32 cores.
constexpr double kCpuThreads = 128.0;
/// Bytes a cloud drive counts as one operation at most (AWS, io characteristics of EBS SSDs).
constexpr Bytes kCloudOperation = Bytes::from(256, unit::KiB);
/// `prefetch_size` of the benchmark program where a submission leaves it alone.
constexpr double kPrefetch = 2.0;

/// One row while it is read.
class Reader {
 public:
  Reader(const CsvTable& table, std::size_t row, Diagnostics& diagnostics, Submission& out)
      : table_(table), row_(row), diagnostics_(diagnostics), out_(out) {}

  [[nodiscard]] const std::string& text(std::string_view column) const {
    return table_.text(row_, column);
  }
  std::optional<double> number(std::string_view column) {
    return table_.number(row_, column, diagnostics_);
  }
  /// A number above 0; 0 counts as not given, as tables write it for what does not exist.
  std::optional<double> positive(std::string_view column) {
    const auto value = number(column);
    if (value && *value < 0.0) fault(Severity::error, "range", column, "must not be negative");
    return value && *value > 0.0 ? value : std::nullopt;
  }
  /// A fact written by hand: its leading number.
  std::optional<double> fact(std::string_view column) {
    const std::string_view cell = base::trim(text(column));
    if (cell.empty()) return std::nullopt;
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool whole = end == cell.data() + cell.size();
    if (error != std::errc{} || !std::isfinite(value) || value < 0.0) {
      note(column, "not known");
      return std::nullopt;
    }
    if (value == 0.0) return std::nullopt;
    if (!whole) note(column, std::string(cell.data(), end));
    return value;
  }
  /// "248", "1,024", "2 TiB"; of other texts the leading number, with a note.
  std::optional<Bytes> memory(std::string_view column) {
    static const std::regex kPlain(R"(\s*\d[\d,.]*\s*(?:[GT]i?B)?\s*)");
    if (std::regex_match(text(column), kPlain)) return written::memory_in(text(column));
    const auto leading = fact(column);
    return leading ? std::optional(Bytes::from(*leading, unit::GiB)) : std::nullopt;
  }
  Rate rate(std::string_view column) {
    const auto value = fact(column);
    return value ? Rate::from(*value, unit::GBps) : Rate::infinity();
  }
  void note(std::string_view column, const std::string& taken) {
    out_.notes.push_back("\"" + text(column) + "\" in column \"" + std::string(column) +
                         "\" is taken as " + taken);
  }
  void fault(Severity severity, std::string_view code, std::string_view column,
             const std::string& what, std::string hint = {}) {
    diagnostics_.add({severity, std::string(code), "", table_.position(row_, column),
                      "\"" + text(column) + "\" in column \"" + std::string(column) + "\" " + what,
                      std::move(hint)});
  }

 private:
  const CsvTable& table_;
  std::size_t row_;
  Diagnostics& diagnostics_;
  Submission& out_;
};

DataSheet read_sheet(Reader& in, double hosts) {
  DataSheet out;
  out.client_nic = in.rate("client_net_GBps_total") / hosts;
  if (!out.client_nic.finite())
    if (const auto ports = ports_of(in.text("client_nic_Gbps"), in.text("client_nics")))
      out.client_nic = ports->rate * *ports->count;
  out.storage_nic = in.rate("storage_net_GBps_total");
  out.drives = in.rate("drives_GBps_total");
  out.stated = rate_of(in.text("stated_peak_read_GBps")).value_or(Rate::infinity());
  // Cloud volumes state operations instead of a rate.
  static const std::regex kOperations(R"((\d+) IOPS)");
  std::smatch found;
  const auto drives = in.fact("drives_total");
  if (!out.drives.finite() && drives &&
      std::regex_search(in.text("drive_model"), found, kOperations))
    out.drives = OpRate::from(std::stod(found[1]) * *drives, unit::per_s) * kCloudOperation;
  return out;
}

Results read_results(Reader& in) {
  Results out;
  if (const auto au = in.positive("au_mean_pct")) {
    if (*au > 100.0)
      in.note("au_mean_pct", "not known");
    else
      out.au = *au / 100.0;
  }
  if (const auto s = in.positive("first_step_s_mean")) out.first_step = Seconds::from(*s, unit::s);
  if (const auto s = in.positive("first_step_s_ep1")) out.first_step_1 = Seconds::from(*s, unit::s);
  if (const auto r = in.positive("GBps_decimal")) out.rate = Rate::from(*r, unit::GBps);
  return out;
}

}  // namespace

const std::vector<std::string>& required_columns() {
  static const std::vector<std::string> kColumns = {"case_id", "workload", "accel", "num_hosts"};
  return kColumns;
}

std::optional<Submission> read_submission(const CsvTable& table, std::size_t row,
                                          Diagnostics& diagnostics) {
  Submission out;
  Reader in(table, row, diagnostics, out);
  out.id = in.text("case_id");
  out.calibration = in.text("calibration_case");
  out.accelerator = in.text("accel");
  System& system = out.system;
  system.key = in.text("system_key");
  system.workload = find_workload(in.text("workload"));
  if (system.workload == nullptr) {
    in.fault(Severity::warning, "unknown", "workload", "is not a workload of v1.0: not predicted",
             "known are cosmoflow, resnet50 and unet3d");
    return std::nullopt;
  }
  const BenchmarkRules& rules = system.workload->rules;
  system.compute = system.workload->compute(out.accelerator);
  if (!(system.compute > Seconds{})) {
    in.fault(Severity::warning, "unknown", "accel", "has no step time in the rules: not predicted",
             "known are a100, h100 and, for unet3d, b200");
    return std::nullopt;
  }
  const auto hosts = in.positive("num_hosts");
  if (!hosts) out.notes.emplace_back("no number of hosts: 1 is assumed");
  system.hosts = hosts.value_or(1.0);
  system.read_threads = in.fact("read_threads").value_or(rules.threads);
  const std::string& prefetch = in.text("prefetch_size");
  system.prefetch = prefetch.empty() || prefetch.starts_with("default")
                        ? kPrefetch
                        : base::parse_number(prefetch).value_or(kPrefetch);
  auto memory = in.memory("host_mem_GiB_measured");
  if (!memory) memory = in.memory("client_mem_GiB");
  system.memory = memory.value_or(kMemory);
  const auto cpu = client_cpu(in.text("client_cpu"));
  if (!cpu) out.notes.emplace_back("the client's CPU is not known: 128 threads are assumed");
  system.cpu_threads = cpu ? cpu->threads : kCpuThreads;
  system.barrier = in.text("anomaly").find("barrier removed") == std::string::npos;
  system.sheet = read_sheet(in, system.hosts);
  out.accelerators = in.positive("accelerators");
  out.steps = in.positive("steps_per_epoch");
  if (const std::string& edge = in.text("edge"); !edge.empty()) out.edge = edge == "1";
  out.results = read_results(in);
  return out;
}

}  // namespace stallcast::calibration::mlperf
