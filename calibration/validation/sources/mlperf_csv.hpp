#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calibration/measure/csv.hpp"
#include "calibration/validation/sources/source.hpp"

/// Rows of the MLPerf Storage rounds.                               [docs/validation-mlperf.md]
namespace stallcast::calibration {

/// A row whose scenario cannot be built or simulated: the others are predicted all the same.
[[nodiscard]] inline PredictedRow not_predicted(const std::string& id, std::string_view group,
                                                const Failure& failure) {
  PredictedRow out;
  out.case_id = id;
  out.group = group;
  out.notes.push_back("not predicted: " + failure.message);
  return out;
}

/// Rows that say too little to be predicted, with their places in the table.
using UnreadRows = std::vector<std::pair<std::size_t, PredictedRow>>;
/// One at `at`; the last of `diagnostics` says why.
inline void add_unread(UnreadRows& unread, std::size_t at, const std::string& id,
                       const std::string& group, const Diagnostics& diagnostics) {
  PredictedRow row;
  row.case_id = id;
  row.group = group;
  row.notes.push_back(diagnostics.items().back().message);
  unread.emplace_back(at, std::move(row));
}
inline void put_back(UnreadRows unread, std::vector<PredictedRow>& rows) {
  for (auto& [at, row] : unread)
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(at), std::move(row));
}

/// `id`, or "row 3" where there is none, with a number behind it where it was `taken` before.
[[nodiscard]] std::string own_id(const std::string& id, std::size_t row,
                                 std::set<std::string>& taken);

/// Adds what `predictor` says of `rows` to `out`, one after the other. After an interrupt or the
/// time limit those that are left are not predicted. `id_of(row)` and `group_of(row)` say what a
/// row is.
template <class Row, class Predictor>
void predict_each(const std::vector<Row>& rows, Predictor&& predictor, RowValidation& out) {
  for (const Row& row : rows) {
    Result<PredictedRow> predicted =
        out.stopped ? Result<PredictedRow>(*out.stopped) : predictor.predict(row);
    if (!predicted.ok()) {
      const Failure failure = predicted.failure();
      if (failure.exit == ExitCode::inconclusive) out.stopped = failure;
      predicted = not_predicted(id_of(row), group_of(row), failure);
    }
    out.rows.push_back(*std::move(predicted));
  }
}

/// What the mean of five runs has to be, so that the worst of them, on average, is at `bar`: a
/// submission needs every one to pass. docs/validation-mlperf.md, "How a row is predicted".
[[nodiscard]] double mean_to_pass(double bar);

/// Either layout, told apart by its columns: that of v3.0 has "kind".
[[nodiscard]] Result<RowValidation> predict_mlperf(const std::string& text, const std::string& file,
                                                   const SourceOptions& options,
                                                   Diagnostics& diagnostics);

/// The layout of v1.0: training rows, simulated, each calibrated by the row that `calibration_case`
/// names.
[[nodiscard]] Result<RowValidation> predict_mlperf_v1(const CsvTable& table,
                                                      const SourceOptions& options,
                                                      Diagnostics& diagnostics);

/// Either layout of v3.0, training and checkpoint rows: one row a result with `kind` (on Lustre),
/// or one row a run with the saves and the loads of a checkpoint.
[[nodiscard]] Result<RowValidation> predict_mlperf_v3(const CsvTable& table,
                                                      const SourceOptions& options,
                                                      Diagnostics& diagnostics);

/// A file in the second of these.
[[nodiscard]] Result<RowValidation> predict_mlperf_v3_rows(const std::string& text,
                                                           const std::string& file,
                                                           const SourceOptions& options,
                                                           Diagnostics& diagnostics);

}  // namespace stallcast::calibration
