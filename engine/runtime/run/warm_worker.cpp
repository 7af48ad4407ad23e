#include "engine/runtime/run/warm_worker.hpp"

#include <chrono>
#include <utility>

#include "engine/runtime/run/find_worker.hpp"

namespace stallcast::run {
namespace {

constexpr std::chrono::milliseconds kPatience{2000};  // for a worker that has nothing left to do

}  // namespace

WarmWorker::~WarmWorker() {
  if (process_) process_->stop(kPatience);
}

Result<bool> WarmWorker::start(const std::string& path, int jobs) {
  const Result<std::string> found = find_worker(path);
  if (!found) return found.failure();
  if (process_ && process_->alive() && *found == path_ && jobs == jobs_) return true;
  process_.reset();
  greeted_ = false;
  Result<WorkerProcess> process = WorkerProcess::start(*found, jobs);
  if (!process) return process.failure();
  process_.emplace(std::move(*process));
  path_ = *found;
  jobs_ = jobs;
  return true;
}

}  // namespace stallcast::run
