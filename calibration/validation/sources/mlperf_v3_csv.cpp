#include <algorithm>
#include <cmath>
#include <regex>
#include <utility>

#include "calibration/validation/mlperf/condition.hpp"
#include "calibration/validation/mlperf/round3.hpp"
#include "calibration/validation/sources/mlperf_csv.hpp"

namespace stallcast::calibration {
namespace {

using namespace mlperf;

/// Quantile of a normal at 95 %: turns a half width of an interval into a spread.
constexpr double kHalfWidth = 1.6448536269514722;

/// The tiers are sold in MB/s per TiB of 1024^2 bytes; the table has them in thousands of these.
Rate provisioned(double table_gbps) { return Rate::from(table_gbps * 1000.0, unit::MiBps); }

/// "64x 3.84TB NVMe" in how the storage is written; 0 when it says nothing.
double drives_of(const std::string& storage) {
  static const std::regex kDrives(R"((\d{1,6})x [\d.]+ ?TB NVMe)");
  std::smatch found;
  return std::regex_search(storage, found, kDrives) ? std::stod(found[1]) : 0.0;
}

class RowReader {
 public:
  RowReader(const CsvTable& table, std::size_t row, Diagnostics& diagnostics)
      : table_(table), row_(row), diagnostics_(diagnostics) {}

  std::optional<PredictedRow> read() {
    PredictedRow out;
    const std::string &kind = text("kind"), &workload = text("workload");
    out.case_id = text("case_id");
    if (out.case_id.empty()) out.case_id = text("system") + ":" + kind + ":" + workload;
    out.group = workload;
    const auto ranks = number("accelerators_or_ranks");
    const auto rate = number("provisioned_GBps");
    const Rate storage = rate ? provisioned(*rate) : Rate::infinity();
    bool known = true;
    if (kind == "training")
      known = training(workload, ranks, storage, out);
    else if (kind == "save" || kind == "load")
      known = checkpoint(kind == "save" ? CheckpointPhase::save : CheckpointPhase::load, ranks,
                         storage, out);
    else
      known = unknown("kind", "known are training, save and load");
    if (!known) return std::nullopt;
    if (!rate) out.notes.emplace_back("the storage's rate is not stated: taken as no limit");
    return out;
  }

 private:
  const std::string& text(std::string_view column) const { return table_.text(row_, column); }
  std::optional<double> number(std::string_view column) {
    const auto value = table_.number(row_, column, diagnostics_);
    return value && *value > 0.0 ? value : std::nullopt;
  }
  bool unknown(std::string_view column, std::string hint) {
    diagnostics_.add({Severity::warning, "unknown", "", table_.position(row_, column),
                      "\"" + text(column) + "\" in column \"" + std::string(column) +
                          "\" is not known: not predicted",
                      std::move(hint)});
    return false;
  }

  bool training(const std::string& name, std::optional<double> ranks, Rate storage,
                PredictedRow& out) {
    const auto dash = name.rfind('-');
    const Workload* workload = find_workload(name.substr(0, dash));
    const Seconds compute = workload == nullptr || dash == std::string::npos
                                ? Seconds{}
                                : workload->compute(name.substr(dash + 1));
    if (!(compute > Seconds{}) || !workload->step.prefetching_workers)
      return unknown("workload", "known is unet3d with a100, h100 or b200");
    if (const auto au = number("au_pct")) out.measured["au"] = *au / 100.0;
    if (!ranks) {
      out.notes.emplace_back("no accelerators given");
      return true;
    }
    const double au = utilization_v3(*workload, compute, *ranks, storage);
    out.predicted["au"] = spread_utilization(au, spread_v3::kLostShare / kHalfWidth);
    if (storage.finite())
      out.baselines["bandwidth ratio"]["au"] =
          std::min(1.0, storage / (workload->batch_bytes() / compute * *ranks));
    return true;
  }

  bool checkpoint(CheckpointPhase phase, std::optional<double> ranks, Rate storage,
                  PredictedRow& out) {
    const bool save = phase == CheckpointPhase::save;
    const std::string metric = save ? "ckpt_save_s" : "ckpt_load_s";
    auto size = checkpoint_size(text("workload"));
    if (const auto all = number("checkpoint_GiB"); !size && all && ranks) {
      const Bytes bytes = Bytes::from(*all, unit::GiB);
      size = CheckpointSize{bytes / *ranks, bytes};
      out.notes.emplace_back("a model that is not known: all ranks are taken as alike");
    }
    if (!size) return unknown("workload", "known are llama3-8b, -70b, -405b and -1t");
    if (const auto s = number("duration_s")) out.measured[metric] = *s;
    const double drives = drives_of(text("storage"));
    double half_width = spread_v3::kCheckpoint;
    if (storage.finite()) {
      out.baselines["bandwidth ratio"][metric] = (size->all / storage).in(unit::s);
    } else if (save && drives > 0.0) {
      const Seconds alone = checkpoint_time(phase, *size, storage);
      storage = drive_writes(drives);
      if (checkpoint_time(phase, *size, storage) > alone) {
        half_width = spread_v3::kDrives;
        out.unscored.push_back(metric);
        out.notes.emplace_back(
            "limited by a write rate per drive that one published row gave: not scored");
      }
    }
    const double s = checkpoint_time(phase, *size, storage).in(unit::s);
    out.predicted[metric] = {s, s * std::exp(-half_width), s * std::exp(half_width)};
    return true;
  }

  const CsvTable& table_;
  std::size_t row_;
  Diagnostics& diagnostics_;
};

/// The mean AU of the other rows.
void put_constants(std::vector<PredictedRow>& rows) {
  double sum = 0.0, count = 0.0;
  for (const PredictedRow& row : rows)
    if (const auto at = row.measured.find("au"); at != row.measured.end())
      sum += at->second, count += 1.0;
  for (PredictedRow& row : rows)
    if (const auto at = row.measured.find("au"); at != row.measured.end() && count > 1.0)
      row.baselines["constant"]["au"] = (sum - at->second) / (count - 1.0);
}

}  // namespace

Result<RowValidation> predict_mlperf_v3(const CsvTable& table, Diagnostics& diagnostics) {
  RowValidation out;
  out.title = "MLPerf Storage v3.0 on Lustre, row by row";
  out.protocol = {
      "Nothing is calibrated here. AU: the barrier that v1.0 showed, and storage with its "
      "provisioned "
      "rate. Seconds of a checkpoint: what one rank's stream saves (1.78 GB/s) or loads (1.97 "
      "GB/s), "
      "or all bytes through the provisioned rate, whichever takes longer. The two rates come from "
      "published rows of the round. Equations: docs/validation-mlperf.md, 20 to 22."};
  out.metrics = {{"au", "ratio", ErrorKind::points},
                 {"ckpt_save_s", "s", ErrorKind::factor},
                 {"ckpt_load_s", "s", ErrorKind::factor}};
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (auto row = RowReader(table, i, diagnostics).read()) out.rows.push_back(*std::move(row));
  put_constants(out.rows);
  out.errors = errors_of(out);
  return out;
}

}  // namespace stallcast::calibration
