#include "calibration/validation/mlperf/calibrated_rows.hpp"

#include <utility>

namespace stallcast::calibration::mlperf {
namespace {

bool of_program(const NarrowedInput& input) {
  return input.role == "dataset" || input.role == "loader" || input.role == "step" ||
         input.role == "job" || input.role == "checkpoint";
}

}  // namespace

CalibratedRows::CalibratedRows(RowSimulator& simulator, std::vector<MeasuredRow> rows)
    : simulator_(simulator) {
  for (MeasuredRow& row : rows) rows_.emplace(row.id, std::move(row));
}

Result<Calibrated> CalibratedRows::said_by(const std::string& from, const std::string& family,
                                           std::vector<std::string>& notes) {
  if (from.empty()) {
    notes.emplace_back("no calibration row: data sheets");
    return Calibrated{};
  }
  const auto row = rows_.find(from);
  if (row == rows_.end()) {
    notes.push_back("no row \"" + from + "\" to calibrate from: data sheets");
    return Calibrated{};
  }
  if (row->second.observed.empty()) {
    notes.push_back("\"" + from + "\" has no " + row->second.lacks + ": data sheets");
    return Calibrated{};
  }
  auto made = made_.find(from);
  if (made == made_.end()) {
    Result<Calibrated> found =
        simulator_.calibrate(row->second.scenario, from, row->second.observed);
    if (!found.ok()) return found.failure();
    std::vector<NarrowedInput>& narrowed = found->profile.narrowed;
    if (!narrowed.empty())
      narrowed.insert(narrowed.end(), row->second.seen.begin(), row->second.seen.end());
    made = made_.emplace(from, *std::move(found)).first;
  }
  Calibrated out = made->second;
  if (out.profile.narrowed.empty())
    notes.push_back("no draw explains \"" + from +
                    "\": data sheets, and intervals wider by what it was off (" + out.beyond.what +
                    ")");
  else if (!out.beyond.what.empty())
    notes.push_back("draws hardly explain \"" + from +
                    "\": intervals are wider by what it is off (" + out.beyond.what + ")");
  if (row->second.family != family) std::erase_if(out.profile.narrowed, of_program);
  return out;
}

}  // namespace stallcast::calibration::mlperf
