#include "ui/app/sweep_launch.hpp"

#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "engine/base/files.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/sweep/launcher.hpp"
#include "engine/decide/sweep/store.hpp"

namespace stallcast::client {
namespace {

constexpr std::int64_t kUsualParts = 8;

/// Gives `text` to a command on its standard input; what it says goes where ours does.
std::optional<Failure> give(const sweep::Launch& launch) {
  std::string command;
  for (const std::string& word : launch.submit)
    command += (command.empty() ? "" : " ") + base::shell_word(word);
  std::FILE* pipe = ::popen(command.c_str(), "w");
  if (pipe == nullptr)
    return Failure{ExitCode::bad_input, "\"" + command + "\" cannot be started", ""};
  std::fwrite(launch.text.data(), 1, launch.text.size(), pipe);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return Failure{ExitCode::bad_input, "\"" + command + "\" rejected the submission",
                 "without --submit, the script is printed, to be submitted manually"};
}

}  // namespace

Result<std::string> launch_sweep(const SweepLaunch& wanted) {
  if (const auto plan = sweep::Store::open(wanted.path, true); !plan.ok()) return plan.failure();
  sweep::LaunchRequest request;
  const std::filesystem::path program = base::this_program();
  request.program = program.empty() ? "stallcast" : program.string();
  request.path = wanted.path;
  request.shards = static_cast<std::size_t>(wanted.parts.value_or(kUsualParts));
  request.image = wanted.image;
  request.claim = wanted.claim;
  if (std::isfinite(wanted.time_limit_s))
    request.more = {"--time-limit", base::exact_quantity(wanted.time_limit_s, Dimension::time)};
  const auto made = sweep::launch(wanted.engine, request);
  if (!made.ok()) return made.failure();
  if (wanted.submit)
    if (auto failure = give(*made)) return *std::move(failure);
  return made->text;
}

}  // namespace stallcast::client
