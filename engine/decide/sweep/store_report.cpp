#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/parallel.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/sweep/kept_metrics.hpp"
#include "engine/decide/sweep/pareto.hpp"
#include "engine/decide/sweep/store_impl.hpp"

namespace stallcast::sweep {
namespace {

namespace fs = std::filesystem;

Verdict verdict_from(const std::string& name) {
  return name == "pass"           ? Verdict::pass
         : name == "fail"         ? Verdict::fail
         : name == "inconclusive" ? Verdict::inconclusive
                                  : Verdict::none;
}

DatabaseFault damaged() {
  return {
      {ExitCode::bad_input, "a row of the sweep cannot be read", "it is damaged: plan it again"},
      true};
}

OrderedJson parse(const std::string& text) {
  OrderedJson json = OrderedJson::parse(text, nullptr, false);
  if (json.is_discarded()) throw damaged();
  return json;
}

std::map<std::string, SweepOutcome> by_key(Outcomes outcomes) {
  std::map<std::string, SweepOutcome> out;
  for (auto& [key, outcome] : outcomes) out.emplace_hint(out.end(), key, std::move(outcome));
  return out;
}

}  // namespace

// What made a part may have been killed before it wrote anything.
Outcomes Store::Impl::results_of_part(const std::string& path, const Store& main) {
  return whole_part(path, [&] {
    Impl part(path, Database::Access::write);
    if (!part.has_tables()) return Outcomes();
    part.read_meta();
    if (const std::optional<Failure> fault = part.fault_as_part_of(main))
      throw DatabaseFault{*fault};
    return part.results();
  });
}

Outcomes Store::Impl::results() {
  Outcomes out;
  std::vector<std::string> metrics;
  SqlStatement row(database,
                   std::string("SELECT key, status, verdict, exit, message, metrics, ") +
                       (has_split_limits() ? "limited_by, most_waited_for" : "'', limited_by") +
                       " FROM results ORDER BY key");
  while (row.step()) {
    auto& [key, outcome] = out.emplace_back();
    key = row.text(0);
    outcome.failed = row.text(1) != "done";
    outcome.verdict = verdict_from(row.text(2));
    outcome.exit = static_cast<ExitCode>(row.integer(3));
    if (outcome.failed)
      outcome.message = row.text(4);
    else if (!row.text(4).empty())
      outcome.warnings = base::split(row.text(4), '\n');
    metrics.push_back(row.text(5));
    outcome.limited_by = row.text(6);
    outcome.most_waited_for = row.text(7);
  }
  base::parallel_for(out.size(), 0, [&](std::size_t i) {
    auto read = read_metrics(std::exchange(metrics[i], {}));
    if (!read) throw damaged();
    out[i].second.metrics = *std::move(read);
  });
  return out;
}

std::vector<std::string> part_paths(const std::string& path) {
  const fs::path main(path);
  const std::string prefix = main.filename().string() + ".part-";
  std::vector<std::string> out;
  std::error_code none;
  const fs::path folder = main.has_parent_path() ? main.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && !name.ends_with("-journal"))
      out.push_back(main.has_parent_path() ? entry.path().string() : name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<SweepReport> Store::report() const {
  try {
    SweepReport out;
    auto& meta = impl_->meta;
    out.scenario_id = meta["scenario_id"];
    out.scenario_file = meta["scenario_file"];
    out.version = meta["version"];
    out.model_version = meta["model_version"];
    out.sha256 = meta["sha256"];
    out.profile_sha256 = meta["profile_sha256"];
    out.draws = draws();
    for (const OrderedJson& axis : parse(meta["axes"])) out.axes.push_back(axis.get<std::string>());
    std::map<std::string, SweepOutcome> outcomes = by_key(impl_->results());
    std::map<std::string, std::size_t> row_of;
    SqlStatement points(impl_->database, "SELECT key, varied FROM points ORDER BY point");
    while (points.step()) {
      SweepRow& row = out.rows.emplace_back();
      row.key = points.text(0);
      const OrderedJson varied = parse(points.text(1));
      for (const std::string& axis : out.axes) {
        row.values.push_back(varied.value(axis, ""));
        row.numbers.push_back(number_of(row.values.back()));
      }
      // Equal designs are one result.
      if (const auto [same, first] = row_of.try_emplace(row.key, out.rows.size() - 1); !first)
        row.outcome = out.rows[same->second].outcome;
      else if (const auto found = outcomes.find(row.key); found != outcomes.end())
        row.outcome = std::move(found->second);
    }
    if (out.rows.empty()) return out;
    if (const auto first = designs({&out.rows.front().key, 1}, 1); first.ok())
      for (const Expectation& e : first->front().expect) out.targets.push_back({e.id, e.that});
    return out;
  } catch (const DatabaseFault& fault) {
    return fault.failure;
  } catch (const OrderedJson::exception&) {
    return damaged().failure;
  }
}

Result<bool> Store::add_parts(const std::string& path, const Store& main, SweepReport& report) {
  return guarded([&] {
    for (const std::string& name : part_paths(path)) {
      bool lacks = false;  // what a run of the whole sweep has found by now is needed from no part
      Result<Outcomes> part = guarded([&] { return Impl::results_of_part(name, main); });
      if (!part.ok()) {
        report.left_out.push_back(part.failure());
        continue;
      }
      const std::map<std::string, SweepOutcome> outcomes = by_key(std::move(part).value());
      for (SweepRow& row : report.rows) {
        const auto found = outcomes.find(row.key);
        if (found == outcomes.end() || (row.outcome && !row.outcome->failed)) continue;
        lacks = lacks || !row.outcome || !found->second.failed;
        row.outcome = found->second;
      }
      report.parts += lacks ? 1 : 0;
    }
    return true;
  });
}

Result<Store::Collected> Store::collect(const std::string& path) {
  return guarded([&] {
    Collected out;
    std::vector<std::string> merged;
    for (const std::string& name : part_paths(path)) {
      const Result<Outcomes> outcomes = guarded([&] { return Impl::results_of_part(name, *this); });
      if (!outcomes.ok()) {
        out.left_out.push_back(outcomes.failure());
        continue;
      }
      impl_->keep(*outcomes);
      out.results += outcomes->size();
      merged.push_back(name);
    }
    // A shard may still be running: while a design lacks a result, its part is needed.
    SqlStatement lacking(impl_->database,
                         "SELECT 1 FROM points LEFT JOIN results USING (key) "
                         "WHERE status IS NULL OR status <> 'done' LIMIT 1");
    if (!lacking.step())
      for (const std::string& name : merged) {
        std::error_code ignored;
        fs::remove(name, ignored);
      }
    return out;
  });
}

}  // namespace stallcast::sweep
