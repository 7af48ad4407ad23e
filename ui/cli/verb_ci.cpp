#include <array>
#include <filesystem>
#include <span>
#include <utility>

#include "engine/base/files.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

/// The files of ui/cli/ci, built in as text.
std::span<const std::pair<std::string_view, std::string_view>> embedded_ci();

namespace {

struct CiSystem {
  std::string_view name;
  std::string_view source;  ///< file of ui/cli/ci
  std::string_view target;  ///< where the system looks for it
  std::string_view from;    ///< what stands for "where jobs get stallcast", for messages
};

constexpr std::array kSystems = {
    CiSystem{"github", "github.yml", ".github/workflows/stallcast.yml",
             "an action: --from OWNER/REPOSITORY@REF, a copy of this repository"},
    CiSystem{"gitlab", "gitlab.yml", ".gitlab/stallcast.yml",
             "a container image that has it: --from IMAGE"},
};

std::string text_of(const CiSystem& system, const std::string& from) {
  constexpr std::string_view kMark = "@FROM@";
  std::string text;
  for (const auto& [name, content] : embedded_ci())
    if (name == system.source) text = content;
  for (std::size_t at = text.find(kMark); at != std::string::npos;
       at = text.find(kMark, at + from.size()))
    text.replace(at, kMark.size(), from);
  return text;
}

/// What goes into YAML as it is: a name, a path, a reference.
bool is_plain(const std::string& text) {
  return text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "._-/@:") == std::string::npos;
}

}  // namespace

int ci_verb(const Verb& verb, std::span<const std::string> args) {
  std::string action, name, from;
  bool force = false;
  CommonOptions options;
  CommandLine line(verb);
  line.positional("init", action, "writes the file that makes CI check designs");
  line.positional("SYSTEM", name, "github or gitlab");
  line.takes("init", {"init"});
  line.takes("SYSTEM", {"github", "gitlab"});
  line.text("--from", from, "WHERE", "where jobs get stallcast: an action or an image");
  line.flag("--force", force, "replace the file when it is there");
  line.output_options(options, "write to FILE instead; - writes to standard output");
  if (const auto exit = line.parse(args)) return *exit;
  const CiSystem* system = nullptr;
  for (const CiSystem& s : kSystems)
    if (s.name == name) system = &s;
  if (action != "init" || system == nullptr)
    return refuse("ci has no \"" + action + " " + name + "\"",
                  "use \"stallcast ci init github\" or \"stallcast ci init gitlab\"");
  if (from.empty() || !is_plain(from))
    return refuse("where do jobs of " + name + " get stallcast?",
                  "from " + std::string(system->from));
  if (options.output.empty()) options.output = system->target;
  if (options.output == "-") return deliver(options, text_of(*system, from), ExitCode::ok);
  std::error_code error;
  const std::filesystem::path target(options.output);
  if (!force && std::filesystem::exists(target, error))
    return refuse(options.output + " is there already",
                  "--force replaces it, --output - prints to standard output");
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), error);
  const int exit = deliver(options, text_of(*system, from), ExitCode::ok);
  if (exit == 0) write_stdout(options.output + "\n");
  return exit;
}

}  // namespace stallcast::cli
