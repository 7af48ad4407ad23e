#include <vector>

#include "engine/base/text.hpp"
#include "scenarios/library/templates.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

std::string list() {
  std::string out;
  for (const scenarios::Template& t : scenarios::templates())
    out += std::string(t.name) + "\n    " + std::string(t.summary) + "\n";
  return out;
}

}  // namespace

int init_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string name;
  bool only_list = false;
  CommandLine line(verb);
  line.positional("TEMPLATE", name, "name of a template; without one, the first is used", false);
  line.flag("--list", only_list, "list the templates");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  if (only_list) return deliver(options, list(), ExitCode::ok);
  std::vector<std::string> names;
  for (const scenarios::Template& t : scenarios::templates()) {
    if (name.empty() || t.name == name) return deliver(options, std::string(t.text), ExitCode::ok);
    names.emplace_back(t.name);
  }
  const std::string near = base::nearest(name, names);
  return report_failure(
      {ExitCode::bad_input, "no template is named \"" + name + "\"",
       near.empty() ? "known: " + base::join(names, ", ") : "did you mean \"" + near + "\"?"});
}

}  // namespace stallcast::cli
