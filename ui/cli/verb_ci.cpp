#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/files.hpp"
#include "stallcast/client.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

/// The files of ui/cli/ci, and ci/install.sh, built in as text.
std::span<const std::pair<std::string_view, std::string_view>> embedded_ci();

namespace {

struct CiSystem {
  std::string_view name;
  std::string_view source;  ///< file of ui/cli/ci
  std::string_view target;  ///< where the system looks for it
  std::string_view from;    ///< what stands for "where jobs get stallcast", for messages
  std::string_view edit;    ///< stands in its place where that was not said
};

constexpr std::array kSystems = {
    CiSystem{"github", "github.yml", ".github/workflows/stallcast.yml",
             "an action: --from OWNER/REPOSITORY@REF, a copy of this repository",
             "OWNER/REPOSITORY"},
    CiSystem{"gitlab", "gitlab.yml", ".gitlab/stallcast.yml",
             "a container image that has it, --from IMAGE, or the folder of its releases: --from "
             "https://HOST/...",
             "https://HOST/OWNER/REPOSITORY/releases/download"},
};
constexpr std::string_view kDesigns = "designs/**/*.json";

std::string file_of(std::string_view source) {
  for (const auto& [name, content] : embedded_ci())
    if (name == source) return std::string(content);
  return {};
}

void replace(std::string& text, std::string_view mark, std::string_view by) {
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}

bool is_url(std::string_view from) { return from.find("://") != from.npos; }

/// What keeps GitHub from running an action of that name: it takes none of another repository
/// without its version. No message: nothing does.
Failure fault_of_action(const std::string& from, const std::string& example) {
  const std::size_t at = from.find('@'), slash = from.find('/');
  const std::string action = from.substr(0, at);
  const bool whole = slash != from.npos && slash > 0 && slash + 1 < action.size();
  const bool versioned = at != from.npos && at + 1 < from.size();
  if (from.starts_with("./") || (whole && versioned)) return {};
  return {ExitCode::bad_input,
          "\"" + from + "\" " +
              (whole ? "does not say which version of the action" : "is not OWNER/REPOSITORY@REF"),
          "with a tag, a branch or a commit: --from " + (whole ? action : example) + "@v" +
              client::version().program};
}

/// The steps that install a release, with the script of the action as it is: nothing that is
/// fetched is run before it was held to its checksum.
std::string install_steps(const std::string& from, const std::string& release) {
  std::string script = "      " + file_of("install.sh");
  while (script.ends_with('\n')) script.pop_back();
  replace(script, "\n", "\n      ");
  replace(script, "      \n", "\n");
  return "  before_script:\n    - apt-get -q -y update && apt-get -q -y install "
         "--no-install-recommends ca-certificates curl git\n    - |\n      cat >/tmp/install.sh "
         "<<'INSTALL'\n" +
         script + "\n      INSTALL\n    - STALLCAST_VERSION=" + release +
         " STALLCAST_RELEASES=" + from + " bash /tmp/install.sh\n";
}

/// What goes into YAML as it is: a name, a path, a reference.
bool is_plain(const std::string& text) {
  return text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "._-/@:") == std::string::npos;
}

/// Scenarios by their keys: other JSON files are not to be checked.
bool is_scenario(const std::filesystem::path& path) {
  constexpr std::uintmax_t kMost = 1U << 20U;
  std::error_code error;
  if (const auto size = std::filesystem::file_size(path, error); error || size > kMost)
    return false;
  const auto text = base::read_file(path.string());
  const auto has = [&](std::string_view key) { return text->find(key) != std::string::npos; };
  return text.ok() && has("\"storage\"") && (has("\"cluster\"") || has("\"extends\"")) &&
         (has("\"jobs\"") || has("\"tenants\"") || has("\"extends\""));
}

/// Scenarios of the working folder and folders in it, sorted, those of "designs" as a pattern.
std::vector<std::string> scenarios_here() {
  namespace fs = std::filesystem;
  constexpr int kDeep = 3, kMostEntries = 20'000;
  std::vector<std::string> out;
  std::error_code error;
  int seen = 0;
  for (fs::recursive_directory_iterator
           at(".", fs::directory_options::skip_permission_denied, error),
       end;
       !error && at != end && ++seen < kMostEntries; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || at.depth() >= kDeep) at.disable_recursion_pending();
    const std::string path = at->path().lexically_normal().generic_string();
    if (name.starts_with('.') || !path.ends_with(".json") || !is_plain(path)) continue;
    if (is_scenario(at->path()))
      out.push_back(path.starts_with("designs/") ? std::string(kDesigns) : path);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// What jobs check, and what else is to be edited.
struct Checked {
  std::string patterns, paths, edit;
};

Checked checked_here() {
  constexpr std::size_t kMostNamed = 20;
  std::vector<std::string> found = scenarios_here();
  Checked out;
  if (std::ranges::count(found, kDesigns) > 0) found = {std::string(kDesigns)};
  if (found.empty() || found.size() > kMostNamed) {
    out.edit =
        found.empty()
            ? "# No scenarios were found here: put them into designs/, or name them below.\n"
            : "# There are more scenarios than are named here: say below which are checked.\n";
    found = {std::string(kDesigns)};
  }
  for (const std::string& path : found) {
    out.patterns += (out.patterns.empty() ? "" : " ") + path;
    out.paths +=
        (out.paths.empty() ? "\"" : ", \"") + (path == kDesigns ? "designs/**" : path) + "\"";
  }
  return out;
}

/// What is asked for, and what is not, as something to edit.
struct Wanted {
  std::string from, release;
  bool said = true;  ///< where jobs get stallcast
};

std::string text_of(const CiSystem& system, const Wanted& wanted) {
  const Checked checked = checked_here();
  const std::string& from = wanted.from;
  std::string text = file_of(system.source);
  replace(text, "@EDIT@",
          (wanted.said ? ""
                       : "# EDIT where jobs get stallcast: \"" + std::string(system.edit) +
                             "\" below stands for " + std::string(system.from) + ".\n") +
              checked.edit);
  replace(text, "@SCENARIOS@", checked.patterns);
  replace(text, "@PATHS@", checked.paths);
  replace(text, "@FROM@", from);
  replace(text, "@IMAGE@", is_url(from) ? "debian:12" : from);
  replace(text, "@INSTALL@", is_url(from) ? install_steps(from, wanted.release) : "");
  return text;
}

}  // namespace

int ci_verb(const Verb& verb, std::span<const std::string> args) {
  std::string action, name, from, release;
  bool force = false;
  CommonOptions options;
  CommandLine line(verb);
  line.positional("init", action, "writes the file that makes CI check designs");
  line.positional("SYSTEM", name, "github or gitlab");
  line.takes("init", {"init"});
  line.takes("SYSTEM", {"github", "gitlab"});
  line.text("--from", from, "WHERE",
            "where jobs get stallcast: an action, an image, or the URL of releases; without it a "
            "place to edit");
  line.text("--release", release, "VERSION", "of releases at a URL; default: that of this program");
  line.flag("--force", force, "replace the file when it is there");
  line.output_options(options, "write to FILE instead; - writes to standard output");
  if (const auto exit = line.parse(args)) return *exit;
  const CiSystem* system = nullptr;
  for (const CiSystem& s : kSystems)
    if (s.name == name) system = &s;
  if (action != "init" || system == nullptr)
    return refuse("ci has no \"" + action + " " + name + "\"",
                  "use \"stallcast ci init github\" or \"stallcast ci init gitlab\"");
  const bool said = !from.empty();
  if (!said)
    from = std::string(system->edit) +
           (system->name == "github" ? "@v" + std::string(client::version().program) : "");
  if (!is_plain(from))
    return refuse("where do jobs of " + name + " get stallcast?",
                  "from " + std::string(system->from));
  if (is_url(from) && system->name != "gitlab")
    return refuse("jobs of " + name + " get stallcast by an action",
                  "its version is its tag: --from OWNER/REPOSITORY@v" + client::version().program);
  if (system->name == "github")
    if (const Failure fault = fault_of_action(from, std::string(system->edit));
        !fault.message.empty())
      return report_failure(fault);
  if (release.empty()) release = client::version().program;
  if (!is_plain(release))
    return refuse("\"" + release + "\" is not a version", "for example --release 1.0.0");
  if (options.output.empty()) options.output = system->target;
  const std::string text = text_of(*system, {from, release, said});
  if (!said && !options.quiet)
    print_error("stallcast ci: it was not said where jobs get stallcast",
                "edit \"" + std::string(system->edit) + "\", which stands for " +
                    std::string(system->from));
  if (options.output == "-") return deliver(options, text, ExitCode::ok);
  std::error_code error;
  const std::filesystem::path target(options.output);
  if (!force && std::filesystem::exists(target, error))
    return refuse(options.output + " is there already",
                  "--force replaces it, --output - prints to standard output");
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), error);
  const int exit = deliver(options, text, ExitCode::ok);
  if (exit == 0) write_stdout(options.output + "\n");
  return exit;
}

}  // namespace stallcast::cli
