#include "calibration/measure/csv.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

Diagnostic fault(const std::string& file, int line, int column, std::string_view code,
                 std::string message, std::string hint = {}) {
  return {Severity::error,      std::string(code),  "",
          {file, line, column}, std::move(message), std::move(hint)};
}

}  // namespace

CsvTable::CsvTable(std::string_view text, std::string file, Diagnostics& diagnostics)
    : file_(std::move(file)) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::vector<Cell>> lines;
  std::vector<Cell> row;
  int line = 1, column = 1;
  Cell cell{"", 1, 1};
  bool quoted = false;
  const auto end_cell = [&] {
    row.push_back(std::move(cell));
    cell = {"", line, column + 1};
  };
  const auto end_row = [&] {
    end_cell();
    if (row.size() > 1 || !row.front().text.empty()) lines.push_back(std::move(row));
    row.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i, ++column) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        cell.text += '"';
        ++i, ++column;
      } else if (c == '"') {
        quoted = false;
      } else {
        cell.text += c;
      }
      if (c == '\n') ++line, column = 0;
    } else if (c == '"' && cell.text.empty()) {
      quoted = true;
    } else if (c == ',') {
      end_cell();
    } else if (c == '\n') {
      end_row();
      ++line, column = 0;
      cell = {"", line, 1};
    } else if (c != '\r') {
      cell.text += c;
    }
  }
  if (quoted)
    diagnostics.add(fault(file_, cell.line, cell.column, "csv", "this quote does not end"));
  if (!cell.text.empty() || !row.empty()) end_row();
  if (lines.empty()) {
    diagnostics.add(fault(file_, 1, 1, "csv", "there is no header line"));
    return;
  }
  header_ = std::move(lines.front());
  std::set<std::string> seen;
  for (const Cell& name : header_)
    if (!seen.insert(name.text).second)
      diagnostics.add(
          fault(file_, name.line, name.column, "csv", "column \"" + name.text + "\" comes twice"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() != header_.size())
      diagnostics.add(fault(file_, lines[i].front().line, 1, "csv",
                            "this row has " + std::to_string(lines[i].size()) +
                                " cells, the header " + std::to_string(header_.size()),
                            lines[i].size() < header_.size()
                                ? "cells are separated by commas, not by blanks, tabs or semicolons"
                                : "a comma inside a cell needs quotes around it"));
    else
      rows_.push_back(std::move(lines[i]));
  }
}

std::optional<std::size_t> CsvTable::index(std::string_view column) const {
  for (std::size_t i = 0; i < header_.size(); ++i)
    if (header_[i].text == column) return i;
  return std::nullopt;
}

bool CsvTable::has(std::string_view column) const { return index(column).has_value(); }

bool CsvTable::require(const std::vector<std::string>& columns, Diagnostics& diagnostics) const {
  bool all = true;
  std::vector<std::string> names;
  for (const Cell& cell : header_) names.push_back(cell.text);
  for (const std::string& column : columns) {
    if (has(column)) continue;
    all = false;
    const std::string near = base::nearest(column, names);
    const bool apart = names.size() == 1 && names.front().find_first_of(";\t") != std::string::npos;
    diagnostics.add(fault(file_, 1, 1, "missing", "there is no column \"" + column + "\"",
                          apart          ? "columns are separated by commas"
                          : near.empty() ? ""
                                         : "is \"" + near + "\" meant?"));
  }
  return all;
}

void CsvTable::warn_of_others(const std::vector<std::string_view>& known,
                              Diagnostics& diagnostics) const {
  for (const Cell& cell : header_) {
    if (std::find(known.begin(), known.end(), cell.text) != known.end()) continue;
    const std::string near =
        base::nearest(cell.text, std::vector<std::string>(known.begin(), known.end()));
    Diagnostic unread =
        fault(file_, cell.line, cell.column, "unread", "column \"" + cell.text + "\" is not read",
              near.empty() ? "" : "is \"" + near + "\" meant?");
    unread.severity = Severity::warning;
    diagnostics.add(std::move(unread));
  }
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
  static const std::string kEmpty;
  const auto at = index(column);
  return at ? rows_[row][*at].text : kEmpty;
}

std::optional<double> CsvTable::number(std::size_t row, std::string_view column,
                                       Diagnostics& diagnostics) const {
  const std::string& cell = text(row, column);
  if (base::trim(cell).empty()) return std::nullopt;
  const auto value = base::parse_number(cell);
  if (!value || !std::isfinite(*value)) {
    const Position at = position(row, column);
    diagnostics.add(
        fault(file_, at.line, at.column, "type",
              "\"" + cell + "\" in column \"" + std::string(column) + "\" is not a number"));
    return std::nullopt;
  }
  return value;
}

Position CsvTable::position(std::size_t row, std::string_view column) const {
  const auto at = index(column);
  if (!at) return {file_, 0, 0};
  return {file_, rows_[row][*at].line, rows_[row][*at].column};
}

}  // namespace stallcast::calibration
