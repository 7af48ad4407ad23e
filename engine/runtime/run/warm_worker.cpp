#include "engine/runtime/run/warm_worker.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "engine/runtime/codec/protocol.hpp"
#include "engine/runtime/run/find_worker.hpp"

namespace stallcast::run {
namespace {

constexpr std::chrono::milliseconds kPatience{2000};  // for a worker that has nothing left to do
constexpr std::chrono::seconds kGreeting{5};

}  // namespace

Result<std::string> sandbox_of(const std::string& path) {
  const Result<std::string> found = find_worker(path);
  if (!found) return found.failure();
  Result<WorkerProcess> process = WorkerProcess::start(*found, {});
  if (!process) return process.failure();
  const auto until = std::chrono::steady_clock::now() + kGreeting;
  while (!process->ended() && std::chrono::steady_clock::now() < until)
    for (const std::string& line : process->exchange(std::chrono::milliseconds(100)))
      if (const auto message = codec::read_message(line);
          message && message->type == codec::WorkerMessage::Type::hello)
        return message->sandbox;
  return Failure{ExitCode::internal, "the worker \"" + *found + "\" does not answer", ""};
}

WarmWorker::~WarmWorker() {
  if (process_) process_->stop(kPatience);
}

Result<bool> WarmWorker::open_kept(const SimulateOptions& options) {
  const std::filesystem::path folder = folder_of_results();
  if (folder.empty()) return true;
  const Result<std::string> found = find_worker(options.worker);
  if (!found) return found.failure();
  if (kept_ && kept_for_ == *found) return true;
  Result<KeptResults> opened = KeptResults::open(folder, *found);
  if (!opened) return opened.failure();
  kept_ = std::move(opened).value();
  kept_for_ = *found;
  return true;
}

std::optional<RunResult> WarmWorker::known(const SimulationRequest& request) {
  const EncodedDesign& design = *request.design;
  if (auto result = results_.find(design.hash, request.seed)) return result;
  if (!kept_) return std::nullopt;
  auto result = kept_->find(design, request.seed);
  if (result) results_.keep(design.hash, *result);
  return result;
}

void WarmWorker::keep(const EncodedDesign& design, const RunResult& result) {
  results_.keep(design.hash, result);
  if (kept_) kept_->keep(design, result);
}

Result<bool> WarmWorker::start(const SimulateOptions& options) {
  const Result<std::string> found = find_worker(options.worker);
  if (!found) return found.failure();
  std::vector<std::string> words = {"--jobs", std::to_string(std::max(options.jobs, 1))};
  const auto limit = [&words](const char* option, double value) {
    if (value >= 1.0)
      words.insert(words.end(), {option, std::to_string(static_cast<std::int64_t>(value))});
  };
  limit("--memory", options.memory_mb);
  limit("--cpu", options.cpu_s);
  if (process_ && process_->alive() && *found == path_ && words == words_) return true;
  process_.reset();
  greeted_ = false;
  Result<WorkerProcess> process = WorkerProcess::start(*found, words);
  if (!process) return process.failure();
  process_.emplace(std::move(*process));
  path_ = *found;
  words_ = std::move(words);
  return true;
}

}  // namespace stallcast::run
