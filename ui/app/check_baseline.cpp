#include "ui/app/check_baseline.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>

#include "engine/base/files.hpp"
#include "ui/app/git_tree.hpp"

namespace stallcast::client {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<std::optional<check::Baseline>> read_baseline(const CheckBaseline& wanted) {
  std::error_code error;
  if (wanted.text.empty() && wanted.file.empty()) return std::optional<check::Baseline>();
  if (wanted.update && !fs::exists(wanted.file, error)) return std::optional(check::Baseline());
  Result<std::string> text = wanted.text;
  if (wanted.text.empty()) text = base::read_file(wanted.file);
  if (!text.ok())
    return Failure{ExitCode::bad_input, text.failure().message,
                   "--update-baseline makes one of what is predicted now"};
  auto read = check::Baseline::read(*text, wanted.text.empty() ? wanted.file : "baseline");
  if (!read.ok()) return read.failure();
  return std::optional(*std::move(read));
}

Result<check::ScenarioKey> key_of(const CheckBaseline& wanted,
                                  const std::optional<check::Baseline>& baseline,
                                  const std::string& uri, const std::string& id) {
  if (!wanted.file.empty() && uri != "<stdin>") {
    std::error_code error;
    const fs::path root = repository_root(fs::current_path(error));
    const fs::path folder = fs::absolute(wanted.file, error).lexically_normal().parent_path();
    return check::ScenarioKey{
        (root / uri).lexically_normal().lexically_relative(folder).generic_string(), id};
  }
  if (wanted.text.empty()) return check::ScenarioKey{uri, id};
  if (!wanted.path.empty()) return check::ScenarioKey{wanted.path, id};
  std::set<std::string> paths;
  for (const auto& [key, entry] : baseline->entries())
    if (key.scenario.id == id) paths.insert(key.scenario.path);
  if (paths.size() > 1)
    return Failure{ExitCode::bad_input,
                   "the baseline has several scenarios of the id \"" + id + "\"",
                   "say which with path=" + *paths.begin()};
  return check::ScenarioKey{paths.empty() ? "" : *paths.begin(), id};
}

std::string today() {
  using namespace std::chrono;
  const year_month_day day(floor<days>(system_clock::now()));
  char text[48];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  return text;
}

}  // namespace stallcast::client
