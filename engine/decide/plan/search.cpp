#include <algorithm>
#include <utility>

#include "engine/decide/plan/cells.hpp"
#include "engine/decide/plan/lines.hpp"
#include "engine/decide/plan/space.hpp"

namespace stallcast::plan {
namespace {

/// How often a larger design that misses may move the answer before the search gives in.
constexpr int kMaximumRepairs = 8;
/// Designs simulated in one batch where the order does not matter.
constexpr std::size_t kBatch = 16;
/// Designs of a line that are looked at one by one where some are not valid.
constexpr std::size_t kMostAfterFaults = 1000;

/// Designs that are gone through one by one where a larger one that misses proves nothing.
constexpr std::int64_t kMostInDisorder = 256;

class Searcher {
 public:
  Searcher(const Problem& problem, const Evaluate& evaluate)
      : p_(problem), cells_(problem, evaluate), grid_(problem, cells_), along_(grid_.along()) {}

  Result<Search> run() {
    double size = 1.0;
    for (const Axis& axis : p_.axes) size *= static_cast<double>(axis.size());
    out_.candidates = static_cast<std::int64_t>(std::min(size, 9e18));
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

  [[nodiscard]] Cell at(const Cell& line, std::size_t i) const { return grid_.at(line, i); }
  [[nodiscard]] std::size_t length() const { return grid_.length(); }

  bool search_lines() {
    lines_ = grid(p_.axes, along_);
    std::vector<Cell> falling;
    if (along_)
      std::erase_if(lines_, [&](const Cell& line) {
        if (grid_.rises(line)) return false;
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
      std::optional<Cell> best = solid();
      for (const Cell& line : lines_) {
        if (best && cells_.key(line) >= cells_.key(*best)) break;
        if (!search_line(line, best)) return false;
        best = solid();
      }
      if (!one_by_one(singles_)) return false;
      settled_ = true;
      if (!chosen() && !visit_present()) return false;
      best = chosen();
      if (best && cells_.shadowed(*best) && !approach(*best)) return false;
      const auto before = std::pair(solid(), best = chosen());
      const auto moved = [&] { return std::pair(solid(), chosen()) != before; };
      if (best && !guard(*best)) return false;
      if (!moved() && !check(best)) return false;
      if (!moved()) return chosen() || !p_.dated || go_through();
      out_.non_monotone = out_.non_monotone || !p_.most;
      if (repair == kMaximumRepairs) {
        out_.notes.emplace_back(
            "the outcome still changed back and forth near the answer: treat it as a lower "
            "estimate");
        return true;
      }
    }
  }

  /// All that others shadow, the cheapest first, until one passes.
  bool go_through() {
    if (out_.candidates > kMostInDisorder) {
      out_.notes.emplace_back(
          "a failure at a date hits each design in another moment, so one that is larger may miss "
          "what a smaller one meets: only those that were simulated are known to miss; " +
          std::to_string(kMostInDisorder) + " designs or fewer are gone through one by one");
      return true;
    }
    std::vector<Cell> all = grid(p_.axes, std::nullopt);
    std::erase_if(all, [&](const Cell& cell) { return cells_.known(cell); });
    std::ranges::sort(all,
                      [&](const Cell& a, const Cell& b) { return cells_.key(a) < cells_.key(b); });
    for (std::size_t i = 0; i < all.size() && !passing(); i += 2) {
      std::vector<Cell> batch{all[i]};
      if (i + 1 < all.size()) batch.push_back(all[i + 1]);
      if (!cells_.visit(batch)) return false;
    }
    out_.non_monotone = out_.non_monotone || passing().has_value();
    return true;
  }

  [[nodiscard]] std::optional<Cell> meeting() const {
    return cells_.cheapest([&](const Cell& cell) { return cells_.meets(cell); });
  }
  [[nodiscard]] std::optional<Cell> passing() const {
    return cells_.cheapest([&](const Cell& cell) { return cells_.passes(cell); });
  }
  /// What no design known so far contradicts. Of what is to be had most of, less that misses
  /// contradicts nothing.
  [[nodiscard]] std::optional<Cell> solid() const { return p_.most ? passing() : meeting(); }
  [[nodiscard]] std::optional<Cell> chosen() const {
    const std::optional<Cell> best = solid();
    return best ? best : passing();
  }

  /// The scenario's own design, where it is one of those searched.
  bool visit_present() { return !p_.present || cells_.visit({*p_.present}); }

  /// From a design that passes although one beyond it misses, towards the nearest before it on its
  /// line that is known not to pass: as if between the two everything were in order.
  bool approach(const Cell& cell) {
    if (!along_ || !grid_.rises(at(cell, 0))) return true;
    std::size_t first = 0, end = cell[*along_];
    cells_.for_known([&](const Cell& other) {
      const std::size_t i = other[*along_];
      if (i < end && other == at(cell, i) && !cells_.passes(other)) first = std::max(first, i + 1);
    });
    while (first < end) {
      const std::optional<std::size_t> place = grid_.middle(cell, first, end);
      if (!place) return true;
      if (!cells_.visit({at(cell, *place)})) return false;
      if (cells_.passes(at(cell, *place)))
        end = *place;
      else
        first = *place + 1;
    }
    return true;
  }

  /// In the order of their cost until one meets. Those that a larger one shadows are left out.
  bool one_by_one(const std::vector<Cell>& sorted) {
    std::vector<Cell> batch;
    const auto flush = [&] { return batch.empty() || cells_.visit(std::exchange(batch, {})); };
    std::optional<Cell> best = solid();
    for (const Cell& cell : sorted) {
      if (best && cells_.key(cell) >= cells_.key(*best)) break;
      if (cells_.known(cell) || cells_.shadowed(cell)) continue;
      batch.push_back(cell);
      if (batch.size() < 2) continue;
      if (!flush()) return false;
      best = solid();
    }
    return flush();
  }

  /// Finds the first design of a line that meets, if it is better than `best`.
  bool search_line(const Cell& line, const std::optional<Cell>& best) {
    const Axis& axis = p_.axes[*along_];
    const std::size_t count = grid_.better(line, best);
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
    const std::vector<Cell> chosen =
        grid_.left_out(lines_, best, static_cast<std::size_t>(p_.checks));
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
    const std::optional<Cell> best = !p_.cost ? passing() : complete ? chosen() : solid();
    for (const auto& [cell, prediction] : cells_.seen())
      if (p_.cost && cells_.passes(cell) && cells_.shadowed(cell)) out_.non_monotone = true;
    conclude(best, complete);
    if (p_.cost && out_.answer) out_.contradiction = cells_.contradiction(*out_.answer);
    if (!out_.answer) out_.end = cells_.largest();
    count_cheaper();
    out_.proven = cells_.proven();
    out_.invalid = cells_.invalid();
    out_.lacking = cells_.lacking();
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
      out_.cheaper += static_cast<std::int64_t>(grid_.better(line, out_.answer));
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
      of_lines += static_cast<std::int64_t>(grid_.better(line, out_.answer));
    out_.implied += std::max<std::int64_t>(0, of_lines - known);
  }

  const Problem& p_;
  Cells cells_;
  Lines grid_;
  std::optional<std::size_t> along_;  ///< which lines are searched; none: each design by itself
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
