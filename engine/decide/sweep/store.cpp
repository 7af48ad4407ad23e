#include "engine/decide/sweep/store.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/parallel.hpp"
#include "engine/base/sha256.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/sweep/kept_metrics.hpp"
#include "engine/decide/sweep/store_impl.hpp"

namespace stallcast::sweep {
namespace {

constexpr const char* kSchema = "stallcast.sweep/1";

/// Results are kept by design, so that two points with one design have one; the message of one that
/// is done are its warnings, a line each. The views are for people with an SQL shell.
constexpr const char* kTables = R"sql(
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE points (point INTEGER PRIMARY KEY, key TEXT NOT NULL, varied TEXT NOT NULL);
CREATE TABLE designs (key TEXT PRIMARY KEY, change TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE results (key TEXT PRIMARY KEY, status TEXT NOT NULL, verdict TEXT NOT NULL,
  limited_by TEXT NOT NULL, exit INTEGER NOT NULL, message TEXT NOT NULL, metrics TEXT NOT NULL,
  most_waited_for TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE VIEW varied AS SELECT point, j.key AS path, j.value AS value
  FROM points, json_each(points.varied) AS j;
CREATE VIEW metrics AS SELECT point, j.key AS metric, json_extract(j.value, '$[0]') AS value,
  json_extract(j.value, '$[1]') AS unit, json_extract(j.value, '$[2]') AS low,
  json_extract(j.value, '$[3]') AS high, json_extract(j.value, '$[4]') AS median,
  json_extract(j.value, '$[5]') AS ci90_low, json_extract(j.value, '$[6]') AS ci90_high
  FROM points JOIN results USING (key), json_each(results.metrics) AS j;
)sql";

std::string varied_json(const SweepPlan& plan, const PlannedPoint& point) {
  OrderedJson out = OrderedJson::object();
  for (std::size_t a = 0; a < plan.axes.size(); ++a) out[plan.axes[a]] = point.values[a];
  return out.dump();
}

/// Of what is simulated and by what; where the scenario lies makes no other sweep.
std::string hash_of(const SweepPlan& plan) {
  OrderedJson all = {plan.scenario_id, plan.version, plan.model_version, plan.profile_sha256,
                     plan.axes};
  if (plan.draws > 0) all.push_back(plan.draws);
  std::string text = all.dump() + "\n";
  for (const PlannedPoint& point : plan.points)
    text += point.key + " " + varied_json(plan, point) + "\n";
  return base::sha256(text);
}

}  // namespace

bool Store::Impl::has_tables() {
  return SqlStatement(database, "SELECT name FROM sqlite_master LIMIT 1").step();
}

void Store::Impl::read_meta() {
  const auto no_sweep = [this]() {
    return DatabaseFault{{ExitCode::bad_input, database.path() + " is not a sweep",
                          "\"stallcast sweep plan SCENARIO -o FILE.db\" makes one"},
                         true};
  };
  if (!SqlStatement(database, "SELECT name FROM sqlite_master WHERE name = 'meta'").step())
    throw no_sweep();
  SqlStatement rows(database, "SELECT name, value FROM meta");
  while (rows.step()) meta[rows.text(0)] = rows.text(1);
  if (meta["schema"] != kSchema) throw no_sweep();
}

void Store::Impl::write_meta(const std::string& name, const std::string& value) {
  meta[name] = value;
  SqlStatement(database, "INSERT INTO meta VALUES (?, ?)").bind(name).bind(value).run();
}

bool Store::Impl::has_split_limits() {
  return SqlStatement(database,
                      "SELECT 1 FROM pragma_table_info('results') WHERE name = 'most_waited_for'")
      .step();
}

void Store::Impl::keep(const Outcomes& outcomes) {
  static constexpr const char* kVerdicts[] = {"pass", "fail", "inconclusive", "none"};
  Transaction transaction(database);
  if (!has_split_limits())
    database.run(
        "ALTER TABLE results ADD COLUMN most_waited_for TEXT NOT NULL DEFAULT ''; "
        "UPDATE results SET most_waited_for = limited_by, limited_by = ''");
  SqlStatement insert(
      database,
      "INSERT INTO results (key, status, verdict, limited_by, exit, message, "
      "metrics, most_waited_for) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
      "status = excluded.status, verdict = excluded.verdict, "
      "limited_by = excluded.limited_by, exit = excluded.exit, "
      "message = excluded.message, metrics = excluded.metrics, "
      "most_waited_for = excluded.most_waited_for "
      "WHERE status <> 'done'");
  for (const auto& [key, outcome] : outcomes)
    insert.bind(key)
        .bind(outcome.failed ? "failed" : "done")
        .bind(kVerdicts[static_cast<std::size_t>(outcome.verdict)])
        .bind(outcome.limited_by)
        .bind(static_cast<std::int64_t>(outcome.exit))
        .bind(outcome.failed ? outcome.message : base::join(outcome.warnings, "\n"))
        .bind(metrics_text(outcome.metrics))
        .bind(outcome.most_waited_for)
        .run();
  transaction.commit();
}

std::string command_of_part(const std::string& path) {
  const std::size_t at = path.rfind(".part-");
  std::string shard = at == std::string::npos ? "I-of-N" : path.substr(at + 6);
  if (const std::size_t of = shard.find("-of-"); of != std::string::npos) shard.replace(of, 4, "/");
  return "stallcast sweep run " + path.substr(0, at) + " --shard " + shard;
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::create(const std::string& path, const SweepPlan& plan) {
  return guarded([&] {
    auto impl = std::make_unique<Impl>(path, Database::Access::create);
    Database& database = impl->database;
    // A program that is killed loses nothing; a machine that is, the latest results.
    database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    Transaction transaction(database);
    const std::string sha256 = hash_of(plan);
    if (impl->has_tables()) {
      impl->read_meta();
      impl->resumed = true;
      const Version planned = impl->version();
      if (planned != Version{plan.version, plan.model_version})
        throw DatabaseFault{{ExitCode::bad_input,
                             path + " is a sweep of " + planned.text() + ", and this is " +
                                 Version{plan.version, plan.model_version}.text(),
                             "give another file, or remove this one"}};
      if (impl->meta["sha256"] != sha256)
        throw DatabaseFault{{ExitCode::bad_input,
                             path + " holds another sweep, of " + impl->meta["scenario_id"],
                             "the scenario or what is varied has changed since; give another file, "
                             "or remove this one"}};
      transaction.commit();
      return Store(std::move(impl));
    }
    database.run(kTables);
    for (const auto& [name, value] : {std::pair<const char*, std::string>{"schema", kSchema},
                                      {"sha256", sha256},
                                      {"scenario_id", plan.scenario_id},
                                      {"scenario_file", plan.scenario_file},
                                      {"version", plan.version},
                                      {"model_version", plan.model_version},
                                      {"profile_file", plan.profile_file},
                                      {"profile", plan.profile},
                                      {"profile_sha256", plan.profile_sha256},
                                      {"draws", std::to_string(plan.draws)},
                                      {"axes", OrderedJson(plan.axes).dump()},
                                      {"base", plan.base}})
      impl->write_meta(name, value);
    SqlStatement point(database, "INSERT INTO points VALUES (?, ?, ?)");
    SqlStatement design(database, "INSERT OR IGNORE INTO designs VALUES (?, ?)");
    std::int64_t number = 0;
    for (const PlannedPoint& planned : plan.points) {
      point.bind(++number).bind(planned.key).bind(varied_json(plan, planned)).run();
      design.bind(planned.key).bind(planned.change).run();
    }
    transaction.commit();
    return Store(std::move(impl));
  });
}

Result<Store> Store::open(const std::string& path, bool read_only) {
  return guarded([&] {
    auto impl =
        std::make_unique<Impl>(path, read_only ? Database::Access::read : Database::Access::write);
    if (!read_only) impl->database.run("PRAGMA synchronous = NORMAL");
    impl->read_meta();
    impl->resumed = true;
    return Store(std::move(impl));
  });
}

Result<Store> Store::open_part(const std::string& path, const std::string& shard,
                               const Store& main) {
  return guarded([&] {
    const std::string name = path + ".part-" + shard;
    auto impl = whole_part(name, [&] {
      auto out = std::make_unique<Impl>(name, Database::Access::create);
      if (out->has_tables()) out->read_meta();
      return out;
    });
    Transaction transaction(impl->database);
    if (!impl->has_tables()) {
      impl->database.run(kTables);
      impl->write_meta("schema", kSchema);
      impl->write_meta("sha256", main.sha256());
      impl->write_meta("version", main.version().program);
      impl->write_meta("model_version", main.version().models);
    } else {
      impl->read_meta();
      impl->resumed = true;
      if (const std::optional<Failure> fault = impl->fault_as_part_of(main))
        throw DatabaseFault{*fault};
    }
    transaction.commit();
    return Store(std::move(impl));
  });
}

std::optional<Failure> Store::Impl::fault_as_part_of(const Store& main) {
  const std::string& name = database.path();
  if (meta["sha256"] != main.sha256())
    return Failure{ExitCode::bad_input, name + " belongs to another sweep",
                   "remove it, or put the sweep somewhere else"};
  // Parts of programs before 1.0 do not say.
  if (const Version ran = version(); !ran.program.empty() && ran != main.version())
    return Failure{
        ExitCode::bad_input,
        name + " was simulated by " + ran.text() + ", and the sweep is of " + main.version().text(),
        "remove it, and run the part again by the program that planned the sweep"};
  return std::nullopt;
}

Store::Version Store::version() const { return impl_->version(); }

bool Store::resumed() const { return impl_->resumed; }
const std::string& Store::sha256() const { return impl_->meta["sha256"]; }
std::pair<std::string, std::string> Store::profile() const {
  return {impl_->meta["profile_file"], impl_->meta["profile"]};
}

std::size_t Store::draws() const {
  // Files of programs that made none have no such line.
  const std::string& text = impl_->meta["draws"];
  std::size_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

Result<std::vector<std::string>> Store::keys() const {
  return guarded([&] {
    SqlStatement rows(impl_->database, "SELECT key FROM points GROUP BY key ORDER BY min(point)");
    std::vector<std::string> out;
    while (rows.step()) out.push_back(rows.text(0));
    return out;
  });
}

Result<std::map<std::string, bool>> Store::finished() const {
  return guarded([&] {
    SqlStatement rows(impl_->database, "SELECT key, status <> 'done' FROM results");
    std::map<std::string, bool> out;
    while (rows.step()) out[rows.text(0)] = rows.integer(1) != 0;
    return out;
  });
}

Result<std::vector<Design>> Store::designs(std::span<const std::string> keys, std::size_t threads,
                                           run::EncodedDesigns* encoded) const {
  if (!impl_->changes) {
    auto read = DesignChanges::read(impl_->meta["base"]);
    if (!read.ok()) return read.failure();
    impl_->changes = std::move(read).value();
  }
  const Result<std::vector<std::string>> changes = guarded([&] {
    std::vector<std::string> out;
    SqlStatement row(impl_->database, "SELECT change FROM designs WHERE key = ?");
    for (const std::string& key : keys) {
      out.emplace_back();
      row.bind(key);
      while (row.step()) out.back() = row.text(0);
    }
    return out;
  });
  if (!changes.ok()) return changes.failure();
  std::vector<std::optional<Result<Design>>> read(keys.size());
  if (encoded != nullptr) encoded->resize(keys.size());
  base::parallel_for(keys.size(), threads, [&](std::size_t i) {
    read[i] = impl_->changes->apply((*changes)[i], keys[i],
                                    encoded != nullptr ? &(*encoded)[i] : nullptr);
  });
  std::vector<Design> out;
  out.reserve(keys.size());
  for (std::optional<Result<Design>>& design : read) {
    if (!design->ok()) return design->failure();
    out.push_back(std::move(*design).value());
  }
  return out;
}

Result<bool> Store::keep(const Outcomes& outcomes) {
  return guarded([&] {
    impl_->keep(outcomes);
    return true;
  });
}

}  // namespace stallcast::sweep
