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

/// The file of the revision that the scenario `now` at `uri` was; "" when it was none.
std::string path_in(const GitTree& tree, const Session& session, const ScenarioFile& now,
                    const std::string& uri, const std::string& id) {
  std::error_code error;
  const bool inside = !fs::path(uri).is_absolute() && !uri.starts_with("..");
  if (inside && fs::exists(tree.file(uri), error)) return uri;
  if (now.text) return "";  // of no file
  ScenarioFile before = now;
  std::vector<std::string> same;
  for (const std::string& path : tree.gone()) {
    before.file = tree.file(path).string();
    if (const Reading read = session.read(before);
        read.scenario && read.scenario->design().id == id)
      same.push_back(path);
  }
  return same.size() == 1 ? same.front() : "";
}

/// The scenarios of a baseline in a file whose own files are gone.
std::vector<check::ScenarioKey> gone_scenarios(const CheckBaseline& wanted,
                                               const check::Baseline& baseline) {
  std::vector<check::ScenarioKey> out;
  if (wanted.file.empty()) return out;
  std::error_code error;
  const fs::path folder = fs::absolute(wanted.file, error).parent_path();
  for (const auto& [key, entry] : baseline.entries()) {
    if (key.scenario.path.starts_with('<') || (!out.empty() && out.back() == key.scenario))
      continue;
    if (!fs::exists(folder / key.scenario.path, error)) out.push_back(key.scenario);
  }
  return out;
}

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

std::vector<std::string> gone_texts(const CheckBaseline& wanted, const check::Baseline& baseline,
                                    std::span<const check::ScenarioKey> checked) {
  std::vector<std::string> out;
  for (const check::ScenarioKey& gone : gone_scenarios(wanted, baseline)) {
    std::string& text = out.emplace_back(gone.id + ": " + gone.path + " is gone");
    for (const check::ScenarioKey& key : checked)
      if (key.id == gone.id && baseline.values(key).empty())
        text += ", and nothing is known of " + key.path + ": was it renamed?";
    text += " (--update-baseline keeps what is there now)";
  }
  return out;
}

std::optional<Failure> write_baseline(const CheckBaseline& wanted, check::Baseline baseline) {
  for (const check::ScenarioKey& gone : gone_scenarios(wanted, baseline)) baseline.drop(gone);
  const auto written = base::write_file(wanted.file, baseline.text());
  if (written.ok()) return std::nullopt;
  return written.failure();
}

Result<GitTree> earlier_files(const Session& session, const std::string& revision,
                              std::vector<std::string> uris,
                              const std::function<void(const std::string&)>& notice) {
  const std::string& profile = session.profile_file();
  if (!profile.empty()) uris.push_back(repository_path(profile));
  auto tree = GitTree::at(revision, uris);
  if (tree.ok() && !profile.empty() && tree->same(profile).empty())
    notice(revision + " has no " + profile + ": the baseline takes it as it is now");
  return tree;
}

Result<std::optional<EarlierScenario>> earlier_scenario(const Session& session, const GitTree& tree,
                                                        const std::string& revision,
                                                        const ScenarioFile& now,
                                                        const std::string& uri,
                                                        const std::string& id) {
  ScenarioFile before = now;
  before.sets.clear();
  before.profile = tree.same(session.profile_file());
  const std::string path = path_in(tree, session, before, uri, id);
  if (path.empty()) return std::optional<EarlierScenario>();
  before.file = tree.file(path).string();
  const Reading loaded = session.read(before);
  if (!loaded.scenario)
    return Failure{
        ExitCode::bad_input,
        path + " as it was in " + revision + " cannot be predicted: " +
            (loaded.diagnostics.items().empty() ? std::string("it gives no design")
                                                : loaded.diagnostics.items().front().message),
        "name another revision"};
  return std::optional(EarlierScenario{path, loaded.scenario->design()});
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
