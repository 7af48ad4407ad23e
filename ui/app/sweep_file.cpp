#include "ui/app/sweep_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>
#include <utility>

#include "engine/decide/sweep/pareto.hpp"
#include "engine/decide/sweep/runner.hpp"
#include "engine/decide/sweep/shard.hpp"
#include "engine/decide/sweep/store.hpp"
#include "engine/decide/uncertain/outcomes.hpp"
#include "scenarios/rules/rules.hpp"
#include "stallcast/client.hpp"
#include "ui/app/sweep_plan.hpp"

namespace stallcast::client {

struct SweepFile::Impl {
  sweep::Store store;
  std::string path;
  std::optional<std::uint64_t> seed = std::nullopt;  ///< before what the points say
  int replicas = 0;                                  ///< the same
  std::optional<sweep::Shard> shard = std::nullopt;
  std::optional<sweep::Store> part = std::nullopt;  ///< has the results of the shard
};

namespace {

/// Results of two programs in one sweep could neither be compared nor told apart.
std::optional<Failure> of_other_version(const sweep::Store& store, const std::string& path) {
  const sweep::Store::Version planned = store.version(),
                              here = {version().program, version().models};
  if (planned == here) return std::nullopt;
  return Failure{ExitCode::bad_input,
                 path + " was planned by " + planned.text() + ", and this is " + here.text(),
                 "simulate it by the program that planned it, or plan it anew: stallcast sweep "
                 "plan SCENARIO -o OTHER.db"};
}

}  // namespace

SweepFile::SweepFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SweepFile::SweepFile(SweepFile&&) noexcept = default;
SweepFile& SweepFile::operator=(SweepFile&&) noexcept = default;
SweepFile::~SweepFile() = default;

Result<SweepFile> SweepFile::create(const std::string& path, const SweepRequest& request,
                                    Diagnostics& faults) {
  const auto plan = plan_sweep(request, faults);
  if (!plan) {
    for (const Diagnostic& d : faults.items())
      if (d.severity == Severity::error) return Failure{ExitCode::bad_input, d.message, d.hint};
    return Failure{ExitCode::bad_input, "the sweep has no points", ""};
  }
  Result<sweep::Store> store = sweep::Store::create(path, *plan);
  if (!store.ok()) return store.failure();
  auto impl = std::make_unique<Impl>(Impl{std::move(store).value(), path});
  if (request.seed) impl->seed = static_cast<std::uint64_t>(*request.seed);
  impl->replicas = static_cast<int>(request.replicas.value_or(0));
  return SweepFile(std::move(impl));
}

Result<SweepFile> SweepFile::open(const std::string& path, bool read_only) {
  Result<sweep::Store> store = sweep::Store::open(path, read_only);
  if (!store.ok()) return store.failure();
  return SweepFile(std::make_unique<Impl>(Impl{std::move(store).value(), path}));
}

Result<SweepFile> SweepFile::open_part(const std::string& path, const std::string& shard) {
  Result<std::optional<sweep::Shard>> wanted = std::optional<sweep::Shard>();
  if (shard.empty())
    wanted = sweep::shard_from([](const char* name) { return std::getenv(name); });
  else if (const auto parsed = sweep::parse_shard(shard); parsed.ok())
    wanted = std::optional(*parsed);
  else
    return parsed.failure();
  if (!wanted.ok()) return wanted.failure();
  const bool is_part = wanted->has_value() && (*wanted)->count > 1;
  Result<SweepFile> out = open(path, is_part);
  if (!out.ok()) return out;
  Impl& impl = *out->impl_;
  if (const auto other = of_other_version(impl.store, path)) return *other;
  if (!is_part) return out;
  impl.shard = *wanted;
  Result<sweep::Store> part = sweep::Store::open_part(path, impl.shard->name(), impl.store);
  if (!part.ok()) return part.failure();
  impl.part = std::move(part).value();
  return out;
}

std::string SweepFile::part() const {
  return impl_->shard ? impl_->shard->name() + " (" + impl_->shard->source + ")" : "";
}

std::optional<Failure> SweepFile::run(const Run& how) {
  if (auto other = of_other_version(impl_->store, impl_->path)) return other;
  sweep::RunOptions options;
  options.predict.run.jobs =
      how.settings.jobs > 0 ? how.settings.jobs
                            : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.predict.run.worker = how.settings.worker;
  options.predict.run.crash_directory = how.settings.crash_directory;
  options.predict.run.until = base::Deadline::in(how.time_limit_s);
  options.predict.run.cancelled = how.unwanted;
  options.predict.seed = impl_->seed;
  options.predict.replicas = impl_->replicas;
  if (const std::size_t wanted = impl_->store.draws(); wanted > 0) {
    auto vary = draws_of(impl_->store);
    if (!vary.ok()) return vary.failure();
    options.draw = [wanted, vary = std::move(vary).value()](const Design& design,
                                                            const predict::PredictOptions& predict,
                                                            Prediction& prediction) {
      uncertain::DrawOptions drawing{.predict = predict, .draws = wanted};
      drawing.valid = [](const Design& drawn) { return scenarios::fault_of(drawn).empty(); };
      drawing.vary = vary;
      Result<Uncertainty> found = uncertain::outcomes(design, prediction, drawing);
      if (found.ok()) uncertain::attach(std::move(found).value(), design, prediction);
    };
  }
  options.on_progress = how.on_progress;
  options.shard = impl_->shard;
  options.retry = how.retry;
  return sweep::run(impl_->store, impl_->part ? *impl_->part : impl_->store, options);
}

Result<SweepReport> SweepFile::report() const {
  Result<SweepReport> all = read_sweep(impl_->store, impl_->path);
  if (!all.ok() || !impl_->shard) return all;
  std::map<std::string, std::size_t> order;
  for (const SweepRow& row : all->rows) order.try_emplace(row.key, order.size());
  std::erase_if(all->rows,
                [&](const SweepRow& row) { return !impl_->shard->has(order.at(row.key)); });
  all->parts = 0;
  all->left_out.clear();
  return all;
}

Result<SweepReport> SweepFile::collect() {
  const auto collected = impl_->store.collect(impl_->path);
  if (!collected.ok()) return collected.failure();
  Result<SweepReport> out = impl_->store.report();
  if (out.ok()) out->left_out = collected->left_out;
  return out;
}

std::optional<Failure> refused_columns(const SweepFile& sweep,
                                       const std::vector<std::string>& metrics) {
  if (metrics.empty()) return std::nullopt;
  const Result<SweepReport> planned = sweep.report();
  if (!planned.ok()) return planned.failure();
  const auto fault = sweep::unknown_column(*planned, metrics);
  if (!fault) return std::nullopt;
  return Failure{ExitCode::bad_input, *fault, "\"--metric '*' --format csv\" lists all"};
}

std::optional<std::string> choose_columns(SweepReport& report,
                                          const std::vector<std::string>& metrics) {
  std::optional<std::string> fault;
  report.columns = sweep::columns_of(report, metrics, fault);
  sweep::mark_front(report);
  return report.counts().done > 0 ? fault : std::nullopt;
}

}  // namespace stallcast::client
