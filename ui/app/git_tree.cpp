#include "ui/app/git_tree.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/text.hpp"

namespace stallcast::client {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kSuffixes = {".json", ".jsonc", ".fio", ".yaml"};
constexpr std::size_t kLongestPath = 4096;

/// Files that one call of a program reads and writes; all of them in one folder of ours.
struct Streams {
  std::string input = "/dev/null";
  std::string output = "/dev/null";
  std::string error = "/dev/null";
};

/// Exit status; -1 when the program could not be started or was killed.
int call(const std::vector<std::string>& args, const std::vector<std::string>& more_environment,
         const Streams& streams) {
  std::vector<char*> argv, envp;
  for (const std::string& a : args) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  for (const std::string& e : more_environment) envp.push_back(const_cast<char*>(e.c_str()));
  for (char** e = environ; *e != nullptr; ++e)
    if (!std::string_view(*e).starts_with("GIT_INDEX_FILE=")) envp.push_back(*e);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, streams.input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, streams.output.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, streams.error.c_str(), kWrite, 0600);
  pid_t pid = -1;
  const int spawned = posix_spawnp(&pid, argv.front(), &files, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (spawned != 0) return -1;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool concerns_scenarios(const std::string& path, std::span<const std::string> also) {
  return std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](std::string_view suffix) { return path.ends_with(suffix); }) ||
         std::find(also.begin(), also.end(), path) != also.end();
}

/// Of `paths`, those that a JSON text among `chosen`, which lie below `folder`, has as a string:
/// relative to its own folder, as scenarios name files.
std::string named_by(const fs::path& folder, const std::vector<std::string>& chosen,
                     const std::set<std::string>& paths) {
  std::string out;
  if (paths.empty()) return out;
  for (const std::string& path : chosen) {
    if (!fs::path(path).extension().string().starts_with(".json")) continue;
    const auto text = base::read_file((folder / path).string());
    if (!text.ok()) continue;
    // Every other piece between quotes is a string; one too many does no harm.
    for (const std::string& piece : base::split(*text, '"')) {
      if (piece.empty() || piece.size() > kLongestPath) continue;
      const std::string named =
          (fs::path(path).parent_path() / piece).lexically_normal().generic_string();
      if (paths.contains(named)) out += named + '\0';
    }
  }
  return out;
}

}  // namespace

fs::path repository_root(const fs::path& start) {
  std::error_code error;
  const fs::path begin = fs::absolute(start, error).lexically_normal();
  for (fs::path at = begin; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) return at;
    if (at == at.parent_path()) break;
  }
  return begin;
}

std::string repository_path(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path relative =
      fs::absolute(path, error).lexically_normal().lexically_relative(repository_root(here));
  const bool outside = relative.empty() || *relative.begin() == "..";
  return outside ? fs::path(path).lexically_normal().generic_string() : relative.generic_string();
}

std::vector<std::string> GitTree::gone() const {
  std::vector<std::string> out;
  std::error_code error;
  const fs::path root = repository_root(fs::current_path(error));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder(), error)) {
    const std::string path = entry.path().lexically_relative(folder()).generic_string();
    if (entry.path().extension().string().starts_with(".json") && !fs::exists(root / path, error))
      out.push_back(path);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string GitTree::same(const std::string& path) const {
  const std::string here = repository_path(path);
  const bool inside = !path.empty() && !fs::path(here).is_absolute() && !here.starts_with("..");
  std::error_code error;
  return inside && fs::exists(file(here), error) ? file(here).string() : "";
}

Result<GitTree> GitTree::at(const std::string& revision, std::span<const std::string> also) {
  auto made = base::TemporaryFolder::make("git");
  if (!made.ok()) return made.failure();
  GitTree tree(std::move(made).value());
  std::error_code error;
  fs::create_directory(tree.folder(), error);
  const fs::path work = tree.work_.path();
  const std::string root = repository_root(fs::current_path(error)).string();
  const std::string said = work / "said", list = work / "list", chosen = work / "chosen";
  const std::vector<std::string> own_index = {"GIT_INDEX_FILE=" + (work / "index").string()};
  const auto git = [&](std::vector<std::string> args, const Streams& streams) {
    args.insert(args.begin(), {"git", "-C", root});
    return call(args, own_index, streams);
  };
  const auto failure = [&](int status) {
    const auto text = base::read_file(said);
    const std::string reason = text.ok() ? std::string(base::trim(*text)) : "";
    return Failure{ExitCode::bad_input,
                   "git cannot read the revision \"" + revision + "\"" +
                       (status < 0       ? ": the program git was not started"
                        : reason.empty() ? ""
                                         : ": " + reason.substr(0, reason.find('\n'))),
                   "name a commit, branch or tag of the repository around this folder"};
  };

  if (revision.empty() || revision.starts_with('-')) return failure(0);
  if (const int status = git({"read-tree", revision + "^{commit}"}, {.error = said}); status != 0)
    return failure(status);
  if (const int status = git({"ls-files", "-z"}, {.output = list, .error = said}); status != 0)
    return failure(status);
  const auto files = base::read_file(list);
  if (!files.ok()) return files.failure();
  std::string wanted;
  std::vector<std::string> scenarios;
  std::set<std::string> others;
  for (const std::string& path : base::split(*files, '\0')) {
    if (path.empty()) continue;
    if (!concerns_scenarios(path, also)) {
      others.insert(path);
      continue;
    }
    wanted += path + '\0';
    scenarios.push_back(path);
  }
  const auto check_out = [&](const std::string& paths) -> std::optional<Failure> {
    if (const auto written = base::write_file(chosen, paths); !written.ok())
      return written.failure();
    if (const int status =
            git({"checkout-index", "-z", "--stdin", "--prefix=" + tree.folder().string() + "/"},
                {.input = chosen, .error = said});
        status != 0)
      return failure(status);
    return std::nullopt;
  };
  if (const auto failed = check_out(wanted)) return *failed;
  if (const auto failed = check_out(named_by(tree.folder(), scenarios, others))) return *failed;
  return tree;
}

}  // namespace stallcast::client
