#include <algorithm>
#include <set>

#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sweep_parts.hpp"

namespace stallcast::report {
namespace {

constexpr std::size_t kMostRemarks = 10;

/// One column of the table.
struct Shown {
  std::string name;   ///< in full
  std::string title;  ///< as it stands above the figures
  std::vector<std::string> cells;
  std::size_t widest = 0;            ///< of the cells; once fitted, of the column
  std::vector<std::string> lines{};  ///< of the title, once fitted
};

std::vector<Shown> columns_shown(const SweepReport& sweep, const std::vector<std::size_t>& rows) {
  std::vector<Shown> out;
  for (const std::string& name : sweep_names(sweep)) {
    Shown column{name, sweep_words(sweep, name), {}, 0};
    for (const std::size_t i : rows) {
      column.cells.push_back(sweep_cell(sweep, sweep.rows[i], name));
      column.widest = std::max(column.widest, column.cells.back().size());
    }
    out.push_back(std::move(column));
  }
  return out;
}

/// The last two words of dotted names, or as many as tell all apart.
void cut_titles(std::vector<Shown>& columns) {
  const auto tail = [](const std::string& name, int words) {
    std::size_t at = name.size();
    while (words-- > 0 && at != std::string::npos && at > 0) at = name.rfind('.', at - 1);
    return at == std::string::npos || at == 0 ? name : name.substr(at + 1);
  };
  constexpr int kMostWords = 8;
  for (Shown& c : columns)
    for (int words = 2; words < kMostWords; ++words) {
      const std::string title = tail(c.title, words);
      const auto same = std::count_if(columns.begin(), columns.end(), [&](const Shown& other) {
        return other.title == title || tail(other.title, words) == title;
      });
      if (same > 1) continue;
      c.title = title;
      break;
    }
}

/// A name over lines of at most `room` characters, broken behind dots and underscores and at
/// blanks; a word that is longer stays whole.
std::vector<std::string> over_lines(const std::string& title, std::size_t room) {
  std::vector<std::string> out(1);
  for (std::size_t from = 0; from < title.size();) {
    const std::size_t at = title.find_first_of("._ ", from);
    const std::size_t next = at == std::string::npos ? title.size() : at + 1;
    if (!out.back().empty() && out.back().size() + next - from > room) out.emplace_back();
    out.back() += title.substr(from, next - from);
    from = next;
  }
  for (std::string& line : out)
    if (line.ends_with(' ')) line.pop_back();
  return out;
}

std::size_t widest_of(const std::vector<std::string>& lines) {
  std::size_t out = 0;
  for (const std::string& line : lines) out = std::max(out, line.size());
  return out;
}

/// Breaks titles over lines until the table fits; columns that do not even then are left out, the
/// last first. How many were.
std::size_t fit(std::vector<Shown>& columns, std::size_t room) {
  const auto width = [&](std::size_t cap) {
    std::size_t sum = 0;
    for (const Shown& c : columns)
      sum += 2 + std::max(c.widest, widest_of(over_lines(c.title, cap)));
    return sum;
  };
  if (width(page_columns()) > room) cut_titles(columns);
  std::size_t left_out = 0;
  for (; columns.size() > 1 && width(0) > room; ++left_out) columns.pop_back();
  std::size_t cap = page_columns();
  while (cap > 0 && width(cap) > room) --cap;
  for (Shown& c : columns) {
    c.lines = over_lines(c.title, std::max(c.widest, cap));
    c.widest = std::max(c.widest, widest_of(c.lines));
  }
  return left_out;
}

/// The lines above the figures, titles standing on the last one.
std::string header(const std::vector<Shown>& columns, std::size_t number, bool targets) {
  std::size_t height = 1;
  for (const Shown& c : columns) height = std::max(height, c.lines.size());
  std::string out;
  for (std::size_t i = 0; i < height; ++i) {
    const bool last = i + 1 == height;
    std::string line = "  " + right(last ? "point" : "", number);
    for (const Shown& c : columns) {
      const std::size_t above = height - c.lines.size();
      line += "  " + right(i < above ? "" : c.lines[i - above], c.widest);
    }
    out += line + (last && targets ? "  targets" : "") + "\n";
  }
  return out;
}

/// What is said of points, each text once with the first of them.
std::string remarks(const SweepReport& sweep, const char* head, bool failed) {
  std::string out;
  std::size_t shown = 0;
  for (const SweepRemark& remark : sweep_remarks(sweep, failed)) {
    if (++shown > kMostRemarks) return out + "  ...\n";
    if (shown == 1) out = std::string("\n") + head + "\n";
    out += wrapped("  " + sweep_points(remark) + ": ", remark.text, 4);
  }
  return out;
}

std::string goals(const SweepReport& sweep) {
  if (!sweep.has_goals()) return "";
  std::string names;
  for (const SweepColumn& column : sweep.columns)
    if (column.goal != Goal::none)
      names += (names.empty() ? "" : ", ") + column.name +
               (column.goal == Goal::minimum ? " small" : " large");
  const auto n = static_cast<std::size_t>(
      std::count_if(sweep.rows.begin(), sweep.rows.end(), [](const auto& r) { return r.pareto; }));
  return "\n" + wrapped("", "* on the Pareto front (" + count_of(n, "point") + "): " + names, 2);
}

}  // namespace

std::vector<std::size_t> sweep_rows_shown(const SweepReport& sweep, std::size_t most) {
  std::set<std::size_t> chosen;
  for (const bool front : {true, false})
    for (std::size_t i = 0; i < sweep.rows.size() && chosen.size() < most; ++i)
      if (sweep.rows[i].pareto == front) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

std::string sweep_phrase(const SweepReport& sweep) {
  const SweepReport::Counts counts = sweep.counts();
  std::string text =
      count_of(sweep.rows.size(), "point") + ", " + std::to_string(counts.done) + " done";
  if (counts.failed > 0) text += ", " + std::to_string(counts.failed) + " failed";
  if (counts.missing > 0) text += ", " + std::to_string(counts.missing) + " missing";
  if (counts.meet + counts.miss + counts.unsure > 0)
    text += "; " + std::to_string(counts.meet) + (counts.meet == 1 ? " meets" : " meet") +
            " the targets";
  if (counts.unsure > 0) text += ", " + std::to_string(counts.unsure) + " unsure";
  if (sweep.parts > 0)
    text += "; " + count_of(sweep.parts, "part") + " of shards not collected yet";
  return sweep.scenario_id + ": " + text;
}

std::string sweep_headline(const SweepReport& sweep) { return wrapped("", sweep_phrase(sweep), 2); }

std::string sweep_text(const SweepReport& sweep, const Style& style) {
  const Ink ink(style.colour);
  const std::vector<std::size_t> rows = sweep_rows_shown(sweep, kMostSweepRows);
  std::vector<Shown> columns = columns_shown(sweep, rows);
  const bool targets = std::any_of(sweep.rows.begin(), sweep.rows.end(),
                                   [](const SweepRow& row) { return sweep_status(row) != "-"; });
  const std::size_t number =
      std::max<std::size_t>(5, rows.empty() ? 0 : std::to_string(rows.back() + 1).size());
  const std::size_t room = page_columns() - number - 2 - (targets ? 9 : 0);
  std::vector<std::string> full;
  for (const Shown& c : columns) full.push_back(c.title);
  const std::size_t left_out = fit(columns, room);

  std::string out = sweep_headline(sweep) + "\n";
  out += header(columns, number, targets);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const SweepRow& row = sweep.rows[rows[r]];
    std::string line =
        std::string(row.pareto ? "* " : "  ") + right(std::to_string(rows[r] + 1), number);
    for (const Shown& c : columns) line += "  " + right(c.cells[r], c.widest);
    if (targets) {
      const std::string status = sweep_status(row);
      line += "  " + ink.by_status(status == "meets"    ? "pass"
                                   : status == "misses" ? "fail"
                                                        : status,
                                   status);
    }
    out += line + "\n";
  }
  if (rows.size() < sweep.rows.size())
    out += "  ... and " + std::to_string(sweep.rows.size() - rows.size()) +
           " more: --format csv --wide\n";
  std::string legend;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].title != full[c])
      legend += wrapped("  " + columns[c].title + ": ", columns[c].name, 4);
  if (!legend.empty()) out += "\n" + legend;
  if (left_out > 0) out += "\n" + count_of(left_out, "column") + " more: --format csv --wide\n";
  out += goals(sweep) + remarks(sweep, "Failed", true) + remarks(sweep, "Warnings", false);
  return out + "\nstallcast " + sweep.version + ", models " + sweep.model_version + "\n";
}

}  // namespace stallcast::report
