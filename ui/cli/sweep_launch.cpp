#include "ui/cli/sweep_launch.hpp"

#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/sweep/launcher.hpp"
#include "ui/cli/terminal.hpp"

namespace stallcast::cli {
namespace {

constexpr std::int64_t kUsualShards = 8;

/// Gives `text` to a command on its standard input; what it says goes where ours does.
std::optional<Failure> give(const sweep::Launch& launch) {
  std::string command;
  for (const std::string& word : launch.submit)
    command += (command.empty() ? "" : " ") + base::shell_word(word);
  std::fflush(stdout);
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

void declare(CommandLine& line, LaunchOptions& launch) {
  line.text("--engine", launch.engine, "NAME",
            "print the script or manifest that runs all parts on slurm, mpi, k8s or parallel");
  line.integer("--shards", launch.shards, 1, "with --engine: how many parts (default 8)");
  line.flag("--submit", launch.submit, "with --engine: submit it instead of printing it");
  line.text("--image", launch.image, "IMAGE", "with --engine k8s: container with stallcast");
  line.text("--claim", launch.claim, "NAME", "with --engine k8s: volume claim with the sweep");
}

int launch_sweep(const LaunchOptions& launch, const std::string& path,
                 const CommonOptions& options) {
  sweep::LaunchRequest request;
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  request.program = none ? "stallcast" : program.string();
  request.path = path;
  request.shards = static_cast<std::size_t>(launch.shards.value_or(kUsualShards));
  request.image = launch.image;
  request.claim = launch.claim;
  if (std::isfinite(options.time_limit_s))
    request.more = {"--time-limit", base::exact_quantity(options.time_limit_s, Dimension::time)};
  const auto made = sweep::launch(launch.engine, request);
  if (!made.ok()) return report_failure(made.failure());
  if (!launch.submit) return deliver(options, made->text, ExitCode::ok);
  const auto failure = give(*made);
  return failure ? report_failure(*failure) : static_cast<int>(ExitCode::ok);
}

}  // namespace stallcast::cli
