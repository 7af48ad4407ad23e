#include "engine/runtime/run/find_worker.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "engine/base/files.hpp"

namespace stallcast::run {
namespace {

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_worker(const std::string& wanted) {
  const char* variable = std::getenv("STALLCAST_SIM");
  const bool by_variable = wanted.empty() && variable != nullptr && *variable != '\0';
  if (const std::string named = by_variable ? variable : wanted; !named.empty()) {
    if (is_program(named)) return named;
    return Failure{ExitCode::bad_input, "the worker \"" + named + "\" is not an executable file",
                   by_variable ? "it is named by the environment variable STALLCAST_SIM" : ""};
  }

  const std::filesystem::path folder = base::this_program().parent_path();
  if (folder.empty() && !is_program(STALLCAST_INSTALLED_SIM))
    return Failure{ExitCode::internal,
                   "where this program lies is not known: /proc/self/exe cannot be read",
                   "set STALLCAST_SIM to the path of stallcast-sim"};
  for (const auto& candidate :
       {folder / "stallcast-sim", folder.parent_path() / "bin/stallcast-sim",
        folder.parent_path() / "libexec/stallcast/stallcast-sim",
        std::filesystem::path(STALLCAST_INSTALLED_SIM)})
    if (is_program(candidate)) return candidate.string();
  return Failure{ExitCode::internal, "stallcast-sim was not found in \"" + folder.string() + "\"",
                 "install stallcast-sim next to this program, or set STALLCAST_SIM to its path"};
}

}  // namespace stallcast::run
