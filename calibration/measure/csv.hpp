#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diagnostic.hpp"

/// A table with a header line: comma-separated values as RFC 4180 has them.
namespace stallcast::calibration {

class CsvTable {
 public:
  /// Faults (no header, a quote that does not end, a row with another number of cells, a column
  /// twice) go to `diagnostics` with line and column; all at once.
  CsvTable(std::string_view text, std::string file, Diagnostics& diagnostics);

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] bool has(std::string_view column) const;
  /// Warns of every column that is none of `known`.
  void warn_of_others(const std::vector<std::string_view>& known, Diagnostics& diagnostics) const;
  /// Reports every one of `columns` that is missing; true when none is.
  bool require(const std::vector<std::string>& columns, Diagnostics& diagnostics) const;

  /// "" when the cell is empty or there is no such column.
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  /// nullopt when empty; a cell that is not a finite number is an error at its place and nullopt.
  std::optional<double> number(std::size_t row, std::string_view column,
                               Diagnostics& diagnostics) const;
  [[nodiscard]] Position position(std::size_t row, std::string_view column) const;

 private:
  struct Cell {
    std::string text;
    int line = 0, column = 0;
  };
  [[nodiscard]] std::optional<std::size_t> index(std::string_view column) const;

  std::string file_;
  std::vector<Cell> header_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace stallcast::calibration
