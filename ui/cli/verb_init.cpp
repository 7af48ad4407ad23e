#include <unistd.h>

#include <vector>

#include "engine/base/text.hpp"
#include "ui/app/form.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::cli {
namespace {

/// What `init` writes when no template is named: GPUs, a file system and saves, with a target and
/// something to plan.
constexpr std::string_view kUsual = "llm-sync-ckpt";

/// A name and what it is for, of which tools read one line each.
std::string list() {
  const bool people = isatty(STDOUT_FILENO) == 1;
  std::string out;
  for (const client::StartingPoint& t : client::starting_points())
    out += t.name + "\n" +
           (people ? report::wrapped("    ", t.summary, 4) : "    " + t.summary + "\n");
  return out;
}

}  // namespace

int init_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string name(kUsual);
  bool only_list = false;
  CommandLine line(verb);
  line.positional("TEMPLATE", name, "name of a template; without one, " + std::string(kUsual),
                  false);
  std::vector<std::string> names;
  for (const client::StartingPoint& t : client::starting_points()) names.push_back(t.name);
  line.takes("TEMPLATE", names);
  line.flag("--list", only_list, "list the templates");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  if (only_list) return deliver(options, list(), ExitCode::ok);
  for (const client::StartingPoint& t : client::starting_points())
    if (t.name == name) return deliver(options, t.text, ExitCode::ok);
  const std::string hint = name.ends_with(".json")
                               ? "to write the usual one there: stallcast init --output " + name
                               : suggestion(name, names);
  return refuse("no template is named \"" + name + "\"", hint);
}

}  // namespace stallcast::cli
