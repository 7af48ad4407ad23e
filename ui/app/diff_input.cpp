#include "ui/app/diff_input.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/jsonc.hpp"

namespace stallcast::client {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqlite = "SQLite format 3";

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_sqlite(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;  // what a pipe says, it says once
  std::ifstream file(path, std::ios::binary);
  std::string head(kSqlite.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file && head == kSqlite;
}

/// The one sweep of a folder; parts of shards belong to it.
Result<std::string> sweep_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) && is_sqlite(entry.path().string()) &&
        entry.path().filename().string().find(".part-") == std::string::npos)
      found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  if (found.size() == 1) return found.front();
  if (found.empty())
    return Failure{ExitCode::bad_input, "\"" + folder + "\" is a folder without a sweep",
                   "name a scenario, a result, or the file of a sweep"};
  return Failure{ExitCode::bad_input,
                 "\"" + folder + "\" has " + std::to_string(found.size()) + " sweeps",
                 "name one: " + found.front()};
}

/// Whether a text is JSON whose "schema" says that it is a report of ours.
bool is_report(const std::string& text, const std::string& name) {
  // A scenario has no such key: it is not parsed here.
  if (text.find("\"schema\"") == std::string::npos) return false;
  Diagnostics ignored;
  const base::Json root = base::parse_jsonc(text, name, ignored).root;
  return root.is_object() && root.contains("schema") && root["schema"].is_string() &&
         root["schema"].get_ref<const std::string&>().starts_with("stallcast.");
}

/// Fills in what the file at `path` is.
std::optional<Failure> classify(const std::string& path, const std::string& variant,
                                ScenarioFile given, DiffOperand& out) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  if (is_folder || is_sqlite(path)) {
    if (!variant.empty())
      return Failure{ExitCode::bad_input, "a sweep has no variant \"" + variant + "\"", ""};
    if (!is_folder) {
      out.sweep = path;
      return std::nullopt;
    }
    Result<std::string> sweep = sweep_in(path);
    if (!sweep.ok()) return sweep.failure();
    out.sweep = std::move(*sweep);
    return std::nullopt;
  }
  if (path != "-") given.file = path;
  given.variant = variant;
  out.file = std::move(given);
  if (!out.file.text) {
    auto read = base::read_file(path);
    if (!read.ok()) return std::nullopt;  // reported with the scenario
    out.file.text = std::move(*read);
  }
  const std::string& text = *out.file.text;
  if (text.find('\0') != std::string::npos)
    return Failure{ExitCode::bad_input, "\"" + out.input.name + "\" is a binary file",
                   "name a scenario, a result, or a sweep"};
  if (!is_report(text, out.input.name)) return std::nullopt;
  Result<DiffSide> side = read_result(text, out.input.name);
  if (!side.ok()) return side.failure();
  out.input.result = std::move(*side);
  return std::nullopt;
}

/// Takes "#variant" off the end, unless a file has that name.
std::string take_variant(std::string& path) {
  const std::size_t hash = path.rfind('#');
  if (hash == std::string::npos || exists(path)) return "";
  const std::string variant = path.substr(hash + 1);
  path.resize(hash);
  return variant;
}

Result<DiffOperand> from_git(const std::string& revision, std::string path, DiffOperand out,
                             const std::string& variant, ScenarioFile given,
                             const std::string& profile) {
  const std::string here = repository_path(path);
  const std::vector<std::string> also = {path, here, repository_path(profile)};
  auto tree = GitTree::at(revision, also);
  if (!tree.ok()) return tree.failure();
  // As git has it, relative to the root of the repository; else relative to the working folder.
  if (!exists(tree->file(path).string()) || fs::path(path).is_absolute()) path = here;
  const bool inside = !fs::path(path).is_absolute() && !path.starts_with("..");
  const std::string file = tree->file(path).string();
  if (!inside || !exists(file))
    return Failure{ExitCode::bad_input, "\"" + revision + "\" has no file \"" + path + "\"",
                   "\"git ls-tree -r --name-only " + revision + "\" lists them"};
  given.profile = tree->same(profile);
  out.folder = tree->file("").string();
  out.shown = revision + ":";
  out.tree.emplace(std::move(*tree));
  if (auto failure = classify(file, variant, std::move(given), out)) return *failure;
  return out;
}

}  // namespace

Result<DiffOperand> read_diff_operand(const std::string& word, ScenarioFile given,
                                      const std::string& profile) {
  DiffOperand out;
  out.input.name = word == "-" ? "<stdin>" : word;
  std::string path = word;
  const std::string variant = word == "-" ? "" : take_variant(path);
  const std::size_t colon = path.find(':');
  if (word != "-" && !exists(path) && colon != std::string::npos && colon > 0 &&
      colon + 1 < path.size())
    return from_git(path.substr(0, colon), path.substr(colon + 1), std::move(out), variant,
                    std::move(given), profile);
  if (auto failure = classify(path, variant, std::move(given), out)) return *failure;
  return out;
}

std::string shown(const DiffOperand& operand, const std::string& where) {
  if (operand.folder.empty() || !where.starts_with(operand.folder)) return where;
  return operand.shown + where.substr(operand.folder.size());
}

void show_places(const DiffOperand& base, const DiffOperand& head, Diff& diff) {
  const auto show = [&](auto& item) {
    item.base_at = shown(base, item.base_at);
    item.head_at = shown(head, item.head_at);
  };
  for (InputChange& change : diff.inputs) {
    show(change);
    for (InputMove& move : change.moves) show(move);
  }
}

void show_places(const DiffOperand& operand, Diagnostics& faults) {
  for (Diagnostic& d : faults.items()) d.position.file = shown(operand, d.position.file);
}

}  // namespace stallcast::client
