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

Result<CalibrationProfile> CalibratedRows::profile_for(const std::string& from,
                                                       const std::string& family,
                                                       std::vector<std::string>& notes) {
  CalibrationProfile none;
  if (from.empty()) {
    notes.emplace_back("no calibration row: data sheets");
    return none;
  }
  const auto row = rows_.find(from);
  if (row == rows_.end()) {
    notes.push_back("no row \"" + from + "\" to calibrate from: data sheets");
    return none;
  }
  if (row->second.observed.empty()) {
    notes.push_back("\"" + from + "\" has no results: data sheets");
    return none;
  }
  auto made = made_.find(from);
  if (made == made_.end()) {
    Result<CalibrationProfile> found =
        simulator_.calibrate(row->second.scenario, from, row->second.observed);
    if (!found.ok()) return found.failure();
    if (!found->narrowed.empty())
      found->narrowed.insert(found->narrowed.end(), row->second.seen.begin(),
                             row->second.seen.end());
    made = made_.emplace(from, *std::move(found)).first;
  }
  CalibrationProfile out = made->second;
  if (out.narrowed.empty()) notes.push_back("no draw explains \"" + from + "\": data sheets");
  if (row->second.family != family) std::erase_if(out.narrowed, of_program);
  return out;
}

}  // namespace stallcast::calibration::mlperf
