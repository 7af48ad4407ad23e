#include "calibration/validation/grid/row.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/text.hpp"

namespace stallcast::calibration::grid {
namespace {

/// Reads the cells of one row.
class Cells {
 public:
  Cells(const CsvTable& table, std::size_t row, Diagnostics& diagnostics)
      : table_(table), row_(row), diagnostics_(diagnostics) {}

  std::string text(std::string_view column) {
    std::string cell(base::trim(table_.text(row_, column)));
    if (cell.empty()) fault("missing", column, "\"" + std::string(column) + "\" is empty");
    return cell;
  }
  double number(std::string_view column, double least) {
    const std::size_t before = diagnostics_.items().size();
    const auto value = table_.number(row_, column, diagnostics_);
    if (!value) {
      if (diagnostics_.items().size() == before)
        fault("missing", column, "\"" + std::string(column) + "\" is empty");
      return least;
    }
    if (!(*value >= least) || !std::isfinite(*value)) {
      fault("range", column,
            "\"" + table_.text(row_, column) + "\" in column \"" + std::string(column) +
                "\" is below " + std::to_string(static_cast<int>(least)));
      return least;
    }
    return *value;
  }
  int count(std::string_view column, int least) {
    const double value = number(column, least);
    constexpr double kMost = 1e9;
    if (value != std::floor(value) || value > kMost) {
      fault("range", column,
            "\"" + table_.text(row_, column) + "\" in column \"" + std::string(column) +
                "\" is not a count");
      return least;
    }
    return static_cast<int>(value);
  }
  Seconds ms(std::string_view column) { return Seconds::from(number(column, 0.0), unit::ms); }
  std::string choice(std::string_view column, std::span<const std::string_view> allowed) {
    const std::string cell = text(column);
    if (!cell.empty() && std::find(allowed.begin(), allowed.end(), cell) == allowed.end()) {
      const std::vector<std::string> names(allowed.begin(), allowed.end());
      fault("choice", column,
            "\"" + cell + "\" in column \"" + std::string(column) + "\" is not known",
            "one of " + base::join(names, ", "));
    }
    return cell;
  }
  [[nodiscard]] Position position(std::string_view column) const {
    return table_.position(row_, column);
  }
  /// A column that was measured: absent and empty say the same.
  std::optional<double> measured(std::string_view column) {
    if (base::trim(table_.text(row_, column)).empty()) return std::nullopt;
    return number(column, 0.0);
  }

 private:
  void fault(std::string_view code, std::string_view column, std::string message,
             std::string hint = {}) {
    diagnostics_.add({Severity::error, std::string(code), "", position(column), std::move(message),
                      std::move(hint)});
  }

  const CsvTable& table_;
  std::size_t row_;
  Diagnostics& diagnostics_;
};

constexpr std::array<std::string_view, 2> kCaches = {"cold", "warm"};
constexpr std::array<std::string_view, 2> kTruths = {"True", "False"};
constexpr std::array<std::string_view, 5> kSaves = {"none", "sync", "async", "sync-torch",
                                                    "async-torch"};

GridRow read_row(Cells& cells) {
  GridRow out;
  out.id = cells.text("id");
  out.group = cells.text("group");
  out.store = cells.text("store");
  out.format = cells.text("fmt");
  out.store_at = cells.position("store");
  out.format_at = cells.position("fmt");
  out.batch = cells.count("batch", 1);
  out.workers = cells.count("workers", 0);
  out.prefetch = cells.count("prefetch", 1);
  out.ranks = cells.count("ranks", 1);
  out.steps = cells.count("steps", 1);
  out.epochs = cells.count("epochs", 1);
  out.compute = cells.ms("compute_ms");
  out.compute_cv = cells.number("compute_cv", 0.0);
  out.augment = cells.ms("aug_ms");
  out.files = cells.count("n_files", 0);
  out.memory = Bytes::from(cells.number("mem_mb", 0.0), unit::MB);
  out.warm = cells.choice("cache", kCaches) == "warm";
  out.persistent = cells.choice("persistent", kTruths) == "True";
  out.save = cells.choice("ckpt_mode", kSaves);
  out.save_size = Bytes::from(cells.number("ckpt_mb", 0.0), unit::MiB);
  out.save_every = cells.count("ckpt_every", 1);
  out.au = cells.measured("au");
  out.step_ms = cells.measured("step_ms");
  out.first_batch_ms = cells.measured("first_batch_ms");
  out.ckpt_stall_s = cells.measured("ckpt_stall_s");
  return out;
}

}  // namespace

std::vector<GridRow> read_rows(const CsvTable& table, Diagnostics& diagnostics) {
  if (!table.require(
          {"id",     "group", "store",      "fmt",        "batch",      "workers",   "prefetch",
           "ranks",  "steps", "epochs",     "compute_ms", "compute_cv", "aug_ms",    "n_files",
           "mem_mb", "cache", "persistent", "ckpt_mode",  "ckpt_mb",    "ckpt_every"},
          diagnostics))
    return {};
  std::vector<GridRow> out;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    Cells cells(table, i, diagnostics);
    out.push_back(read_row(cells));
  }
  return out;
}

}  // namespace stallcast::calibration::grid
