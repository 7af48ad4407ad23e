#include "ui/app/sweep_file.hpp"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "engine/decide/sweep/runner.hpp"
#include "engine/decide/sweep/store.hpp"
#include "ui/app/sweep_plan.hpp"

namespace stallcast::client {

struct SweepFile::Impl {
  sweep::Store store;
  std::string path;
};

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
  return SweepFile(std::make_unique<Impl>(Impl{std::move(store).value(), path}));
}

Result<SweepFile> SweepFile::open(const std::string& path) {
  Result<sweep::Store> store = sweep::Store::open(path);
  if (!store.ok()) return store.failure();
  return SweepFile(std::make_unique<Impl>(Impl{std::move(store).value(), path}));
}

bool SweepFile::resumed() const { return impl_->store.resumed(); }

std::optional<Failure> SweepFile::run(const Run& how) {
  auto draws = draws_of(impl_->store);
  if (!draws.ok()) return draws.failure();
  sweep::RunOptions options;
  options.predict.run.jobs =
      how.settings.jobs > 0 ? how.settings.jobs
                            : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.predict.run.worker = how.settings.worker;
  options.predict.run.crash_directory = how.settings.crash_directory;
  options.predict.run.time_limit_s = std::numeric_limits<double>::infinity();
  options.predict.run.cancelled = how.unwanted;
  options.predict.vary = std::move(draws).value();
  options.on_progress = how.on_progress;
  return sweep::run(impl_->store, impl_->store, options);
}

Result<SweepReport> SweepFile::report() const { return read_sweep(impl_->store, impl_->path); }

}  // namespace stallcast::client
