#include "calibration/validation/sources/groundtruth_csv.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "calibration/measure/csv.hpp"
#include "calibration/validation/grid/loader_fit.hpp"
#include "calibration/validation/grid/prediction.hpp"
#include "calibration/validation/grid/probe_files.hpp"
#include "calibration/validation/grid/row.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

using namespace grid;

/// Reports a cell that names what there is no probe of.
void check_name(const std::string& name, const std::vector<std::string>& known,
                const std::string& what, const Position& at, Diagnostics& diagnostics) {
  if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string near = base::nearest(name, known);
  diagnostics.add(
      {Severity::error, "unknown", "", at, "there is no probe of " + what + " \"" + name + "\"",
       near.empty() ? "known: " + base::join(known, ", ") : "did you mean \"" + near + "\"?"});
}

/// Stores of the rows, each once.
std::vector<std::string> stores_of(const std::vector<GridRow>& rows) {
  std::vector<std::string> out;
  for (const GridRow& row : rows)
    if (std::find(out.begin(), out.end(), row.store) == out.end()) out.push_back(row.store);
  return out;
}

std::vector<std::string> formats_of(const ProbeFiles& probes) {
  std::vector<std::string> out;
  for (const std::string& format : known_formats())
    if (probes.data.contains(format)) out.push_back(format);
  return out;
}

}  // namespace

Result<RowValidation> predict_groundtruth(const std::string& text, const std::string& file,
                                          const SourceOptions& options, Diagnostics& diagnostics) {
  const Failure refused{ExitCode::bad_input, "the table cannot be predicted", ""};
  const CsvTable table(text, file, diagnostics);
  const std::vector<GridRow> rows = read_rows(table, diagnostics);
  if (diagnostics.has_errors()) return refused;
  const std::vector<std::string> stores = probed_stores(options.probes);
  if (!stores.empty())
    for (const GridRow& row : rows)
      check_name(row.store, stores, "store", row.store_at, diagnostics);
  if (diagnostics.has_errors()) return refused;
  const ProbeFiles probes = read_probes(options.probes, stores_of(rows), diagnostics);
  if (diagnostics.has_errors()) return refused;
  for (const GridRow& row : rows)
    check_name(row.format, formats_of(probes), "format", row.format_at, diagnostics);
  if (diagnostics.has_errors()) return refused;

  predict::PredictOptions predict = options.predict;
  if (options.draws > 0) predict.replicas = static_cast<int>(options.draws);
  Result<std::vector<PredictedRow>> predicted = predict_rows(rows, probes, predict, diagnostics);
  if (!predicted.ok()) return predicted.failure();
  RowValidation out;
  out.title = "A data loader on real files, row by row";
  out.protocol = {
      "Every row is predicted from the probe files and its input columns: parameters of the store "
      "from fio and from readers of files, costs of the loader from cpu.json, then simulations of "
      "the row, each with another seed and another draw of what the probes leave open. The median "
      "is the prediction. Measured columns are read for the comparison only."};
  out.metrics = {{"step_ms", "ms", ErrorKind::factor},
                 {"au", "ratio", ErrorKind::points},
                 {"first_batch_ms", "ms", ErrorKind::factor},
                 {"ckpt_stall_s", "s", ErrorKind::factor}};
  out.rows = std::move(predicted).value();
  out.errors = errors_of(out);
  out.coverage = coverage_of(out);
  return out;
}

}  // namespace stallcast::calibration
