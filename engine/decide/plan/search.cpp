#include <algorithm>
#include <utility>

#include "engine/decide/plan/cells.hpp"
#include "engine/decide/plan/space.hpp"

namespace stallcast::plan {
namespace {

/// How often a larger design that misses may move the answer before the search gives in.
constexpr int kMaximumRepairs = 8;
/// Designs simulated in one batch where the order does not matter.
constexpr std::size_t kBatch = 16;
/// Designs of a line that are looked at one by one where some are not valid.
constexpr std::size_t kMostAfterFaults = 1000;

class Searcher {
 public:
  Searcher(const Problem& problem, const Evaluate& evaluate)
      : p_(problem), cells_(problem, evaluate) {}

  Result<Search> run() {
    double size = 1.0;
    for (const Axis& axis : p_.axes) size *= static_cast<double>(axis.size());
    out_.candidates = static_cast<std::int64_t>(std::min(size, 9e18));
    choose_line();
    if (const double listed = !p_.cost ? size : size / line_size();
        listed > static_cast<double>(kMostListed))
      return Failure{
          ExitCode::bad_input,
          "the search has more than " + std::to_string(kMostListed) + " combinations to go through",
          p_.cost ? "search less, in larger steps or with \"unit\""
                  : "search less, or minimize something that needs no simulation to "
                    "be known, such as one of the counts searched"};
    const bool complete = p_.cost ? search_lines() : list_all();
    return finish(complete);
  }

 private:
  [[nodiscard]] double line_size() const {
    return along_ ? static_cast<double>(p_.axes[*along_].size()) : 1.0;
  }

  /// The longest of the ordered axes; the others are gone through.
  void choose_line() {
    for (std::size_t a = 0; a < p_.axes.size(); ++a)
      if (p_.axes[a].about.ordered && (!along_ || p_.axes[a].size() > p_.axes[*along_].size()))
        along_ = a;
  }

  [[nodiscard]] Cell at(const Cell& line, std::size_t i) const {
    Cell cell = line;
    if (along_) cell[*along_] = i;
    return cell;
  }
  [[nodiscard]] std::size_t length() const { return along_ ? p_.axes[*along_].size() : 1; }

  /// Whether the cost never falls along a line, by samples at doubling distances.
  [[nodiscard]] bool rises(const Cell& line) const {
    double before = std::get<0>(cells_.key(line));
    for (std::size_t i = 1; i < length(); i = std::max(i + 1, 2 * i)) {
      const double cost = std::get<0>(cells_.key(at(line, i)));
      if (cost < before) return false;
      before = cost;
    }
    return std::get<0>(cells_.key(at(line, length() - 1))) >= before;
  }

  /// How many designs of a line, from its first, are better than `best`.
  [[nodiscard]] std::size_t better(const Cell& line, const std::optional<Cell>& best) const {
    if (!best) return length();
    const Cells::Key limit = cells_.key(*best);
    std::size_t low = 0, high = length();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (cells_.key(at(line, middle)) < limit)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  bool search_lines() {
    lines_ = grid(p_.axes, along_);
    std::vector<Cell> falling;
    if (along_)
      std::erase_if(lines_, [&](const Cell& line) {
        if (rises(line)) return false;
        for (std::size_t i = 0; i < length(); ++i) falling.push_back(at(line, i));
        return true;
      });
    else
      falling = std::exchange(lines_, {});
    const auto by_key = [&](const Cell& a, const Cell& b) { return cells_.key(a) < cells_.key(b); };
    std::sort(lines_.begin(), lines_.end(), by_key);
    std::sort(falling.begin(), falling.end(), by_key);
    singles_ = std::move(falling);

    for (int repair = 0;; ++repair) {
      std::optional<Cell> best = meeting();
      for (const Cell& line : lines_) {
        if (best && cells_.key(line) >= cells_.key(*best)) break;
        if (!search_line(line, best)) return false;
        best = meeting();
      }
      if (!one_by_one(singles_)) return false;
      settled_ = true;
      best = meeting();
      if (best && !guard(*best)) return false;
      if (best && cells_.meets(*best) && !check(best)) return false;
      if (!best && !check(best)) return false;
      if (meeting() == best) return true;
      out_.non_monotone = true;
      if (repair == kMaximumRepairs) {
        out_.notes.emplace_back(
            "the outcome still changed back and forth near the answer: treat it as a lower "
            "estimate");
        return true;
      }
    }
  }

  [[nodiscard]] std::optional<Cell> meeting() const {
    return cells_.cheapest([&](const Cell& cell) { return cells_.meets(cell); });
  }

  /// In the order of their cost until one meets. Those that a larger one shadows are left out.
  bool one_by_one(const std::vector<Cell>& sorted) {
    std::vector<Cell> batch;
    const auto flush = [&] { return batch.empty() || cells_.visit(std::exchange(batch, {})); };
    std::optional<Cell> best = meeting();
    for (const Cell& cell : sorted) {
      if (best && cells_.key(cell) >= cells_.key(*best)) break;
      if (cells_.known(cell) || cells_.shadowed(cell)) continue;
      batch.push_back(cell);
      if (batch.size() < 2) continue;
      if (!flush()) return false;
      best = meeting();
    }
    return flush();
  }

  /// Finds the first design of a line that meets, if it is better than `best`.
  bool search_line(const Cell& line, const std::optional<Cell>& best) {
    const Axis& axis = p_.axes[*along_];
    const std::size_t count = better(line, best);
    if (count == 0) return true;
    std::size_t top = count - 1;
    const std::optional<std::size_t> miss = cells_.last_miss(line, *along_);
    if (miss && *miss >= top) return true;
    const std::size_t start = std::clamp(axis.start, miss ? *miss + 1 : 0, top);
    if (!best) {
      // Where the search begins the targets may hold already; else they have to at the very end.
      if (!cells_.visit({at(line, start)})) return false;
      if (cells_.meets(at(line, start))) return narrow(line, start, start, true);
      Cell corner = line;
      for (std::size_t a = 0; a < corner.size(); ++a)
        if (p_.axes[a].about.ordered) corner[a] = p_.axes[a].size() - 1;
      if (!cells_.visit({corner, at(line, top)})) return false;
      if (!cells_.says_nothing(corner) && !cells_.meets(corner)) return true;
    }
    if (!cells_.visit({at(line, top)})) return false;
    if (!judgeable(line, start, top)) return false;
    if (cells_.says_nothing(at(line, top))) return list_line(line, count - 1);
    if (!cells_.meets(at(line, top))) return true;
    return narrow(line, std::min(start, top), top, !best);
  }

  /// Moves `top` down to the last place, from `start` on, that says something or that meets.
  bool judgeable(const Cell& line, std::size_t start, std::size_t& top) {
    const auto silent = [&](std::size_t i) { return cells_.says_nothing(at(line, i)); };
    if (!silent(top)) return true;
    std::size_t low = start, high = top;  // `high` says nothing, `low` may
    while (low + 1 < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (!cells_.visit({at(line, middle)})) return false;
      (silent(middle) ? high : low) = middle;
      if (cells_.meets(at(line, middle))) break;
    }
    top = low;
    return cells_.visit({at(line, low)});
  }

  struct Bracket {
    std::size_t low = 0, high = 0;  ///< all before `low` miss, `high` meets
  };
  [[nodiscard]] Bracket bracket(const Cell& line, std::size_t top) const {
    const std::optional<std::size_t> miss = cells_.last_miss(line, *along_);
    Bracket out{miss ? *miss + 1 : 0, top};
    for (const auto& [cell, prediction] : cells_.seen())
      if (cell[*along_] < out.high && cell == at(line, cell[*along_]) && cells_.meets(cell))
        out.high = cell[*along_];
    return out;
  }

  /// REQUIRES: `top` meets; with `gallop`, `start` is known.
  bool narrow(const Cell& line, std::size_t start, std::size_t top, bool gallop) {
    const Axis& axis = p_.axes[*along_];
    bool broken = false;
    const auto visit = [&](std::vector<std::size_t> places) {
      std::vector<Cell> cells;
      for (const std::size_t i : places) cells.push_back(at(line, i));
      const bool went = cells_.visit(cells);
      for (const Cell& cell : cells) broken = broken || cells_.says_nothing(cell);
      return went;
    };
    if (gallop) {
      if (cells_.meets(at(line, start))) {
        // The bound is necessary only for what it knows of: a target may ask for less.
        std::size_t i = start;
        while (i > 0 && cells_.meets(at(line, i)) && !broken) {
          i = i == start ? i - 1 : nearer(axis, i, 2.0);
          if (!visit({i})) return false;
        }
      } else {
        for (std::size_t i = further(axis, start, 2.0); i < top && !broken;) {
          const std::size_t next = further(axis, i, 2.0);
          if (!visit({i, std::min(next, top)})) return false;
          if (cells_.meets(at(line, i)) || cells_.meets(at(line, std::min(next, top)))) break;
          i = further(axis, std::min(next, top), 2.0);
        }
      }
    }
    for (Bracket b = bracket(line, top); b.high > b.low && !broken; b = bracket(line, top)) {
      const std::size_t third = std::max<std::size_t>(1, (b.high - b.low + 1) / 3);
      const std::size_t one = b.low + third - 1;
      if (!visit({one, std::min(b.high - 1, one + third)})) return false;
    }
    return broken ? list_line(line, top) : true;
  }

  bool list_line(const Cell& line, std::size_t top) {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i <= top && i < kMostAfterFaults; ++i) cells.push_back(at(line, i));
    return one_by_one(cells);
  }

  /// What stands one step away from `cell`, and a quarter more of each.
  bool guard(const Cell& cell) {
    std::vector<Cell> around;
    for (std::size_t a = 0; a < cell.size(); ++a) {
      const Axis& axis = p_.axes[a];
      const auto add = [&](std::size_t i) {
        if (i >= axis.size()) return;
        around.push_back(cell);
        around.back()[a] = i;
      };
      if (cell[a] > 0) add(cell[a] - 1);
      add(cell[a] + 1);
      if (!axis.about.ordered) continue;
      add(cell[a] + 2);
      if (cell[a] + 3 < axis.size()) add(further(axis, cell[a], 1.25));
    }
    return cells_.visit(around, true);
  }

  /// Simulates some of the designs better than `best` that were left out.
  bool check(const std::optional<Cell>& best) {
    std::vector<std::pair<const Cell*, std::size_t>> left;  // line, how many of it
    std::int64_t total = 0;
    for (const Cell& line : lines_)
      if (const std::size_t n = better(line, best); n > 0) {
        left.emplace_back(&line, n);
        total += static_cast<std::int64_t>(n);
      }
    const auto line_of = [&](std::int64_t place) {
      for (const auto& [line, n] : left) {
        if (place < static_cast<std::int64_t>(n)) return at(*line, static_cast<std::size_t>(place));
        place -= static_cast<std::int64_t>(n);
      }
      return Cell{};
    };
    std::vector<Cell> chosen;
    const std::int64_t wanted = std::min(p_.checks, total);
    std::int64_t place = -1;
    for (std::int64_t k = 0; k < wanted; ++k) {
      // evenly, each time the next that is not known
      for (place = std::max(place + 1, (2 * k + 1) * total / (2 * wanted)); place < total; ++place)
        if (Cell cell = line_of(place); !cells_.known(cell)) {
          chosen.push_back(std::move(cell));
          break;
        }
    }
    // what is left when the end was reached
    for (place = total - 1; place >= 0 && static_cast<std::int64_t>(chosen.size()) < wanted;
         --place)
      if (Cell cell = line_of(place);
          !cells_.known(cell) && std::find(chosen.begin(), chosen.end(), cell) == chosen.end())
        chosen.push_back(std::move(cell));
    for (std::size_t i = 0; i < chosen.size(); i += kBatch)
      if (!cells_.visit(
              {chosen.begin() + static_cast<std::ptrdiff_t>(i),
               chosen.begin() + static_cast<std::ptrdiff_t>(std::min(i + kBatch, chosen.size()))}))
        return false;
    return true;
  }

  /// The cost is known of simulated designs only: all of them.
  bool list_all() {
    along_.reset();
    const std::vector<Cell> all = grid(p_.axes, along_);
    for (std::size_t i = 0; i < all.size(); i += kBatch)
      if (!cells_.visit(
              {all.begin() + static_cast<std::ptrdiff_t>(i),
               all.begin() + static_cast<std::ptrdiff_t>(std::min(i + kBatch, all.size()))}))
        return false;
    const std::optional<Cell> best = passing();
    settled_ = true;
    return !best || guard(*best);
  }

  [[nodiscard]] std::optional<Cell> passing() const {
    return cells_.cheapest([&](const Cell& cell) { return cells_.passes(cell); });
  }

  Result<Search> finish(bool complete) {
    if (!complete) {
      if (cells_.failure()->exit != ExitCode::inconclusive || cells_.seen().empty())
        return *cells_.failure();
      out_.notes.push_back("the search ended early: " + cells_.failure()->message);
    }
    if (complete && cells_.seen().empty()) {
      if (cells_.proven() == 0)
        return cells_.fault() ? *cells_.fault()
                              : Failure{ExitCode::internal, "there is no design to try", ""};
      Cell corner;
      for (const Axis& axis : p_.axes)
        corner.push_back(axis.about.ordered ? axis.size() - 1 : axis.start);
      if (!cells_.visit({corner}, true)) return *cells_.failure();
      if (cells_.seen().empty()) return *cells_.fault();
    }
    std::optional<Cell> best = p_.cost ? meeting() : passing();
    if (p_.cost && complete && !best) best = passing();
    for (const auto& [cell, prediction] : cells_.seen())
      if (p_.cost && cells_.passes(cell) && cells_.shadowed(cell)) out_.non_monotone = true;
    conclude(best, complete);
    if (p_.cost && out_.answer) out_.contradiction = cells_.contradiction(*out_.answer);
    if (!out_.answer) out_.end = cells_.largest();
    count_cheaper();
    out_.proven = cells_.proven();
    out_.invalid = cells_.invalid();
    out_.seen = cells_.take();
    return std::move(out_);
  }

  void conclude(const std::optional<Cell>& best, bool complete) {
    const bool unsure =
        std::any_of(cells_.seen().begin(), cells_.seen().end(),
                    [](const auto& one) { return one.second.verdict == Verdict::inconclusive; });
    if (best && (complete || settled_)) {
      out_.status = PlanStatus::found;
      out_.answer = best;
    } else {
      out_.status = !complete || unsure ? PlanStatus::inconclusive : PlanStatus::infeasible;
    }
  }

  void count_cheaper() {
    std::int64_t known = 0;
    for (const Cell& line : lines_)
      out_.cheaper += static_cast<std::int64_t>(better(line, out_.answer));
    for (const Cell& cell : singles_)
      if (!out_.answer || cells_.key(cell) < cells_.key(*out_.answer)) {
        ++out_.cheaper;
        if (!cells_.known(cell)) ++out_.implied;
      }
    const auto counts = [&](const Cell& cell) {
      if (!along_ || (out_.answer && cells_.key(cell) >= cells_.key(*out_.answer))) return;
      if (std::binary_search(
              lines_.begin(), lines_.end(), at(cell, 0),
              [&](const Cell& a, const Cell& b) { return cells_.key(a) < cells_.key(b); }))
        ++known;
    };
    cells_.for_known(counts);
    std::int64_t of_lines = 0;
    for (const Cell& line : lines_)
      of_lines += static_cast<std::int64_t>(better(line, out_.answer));
    out_.implied += std::max<std::int64_t>(0, of_lines - known);
  }

  const Problem& p_;
  Cells cells_;
  std::optional<std::size_t> along_;
  std::vector<Cell> lines_;    ///< first cell of each line along which the cost rises, by cost
  std::vector<Cell> singles_;  ///< all other cells, by cost
  bool settled_ = false;       ///< every line was searched
  Search out_;
};

}  // namespace

Result<Search> search(const Problem& problem, const Evaluate& evaluate) {
  return Searcher(problem, evaluate).run();
}

}  // namespace stallcast::plan
