#include <vector>

#include "ui/cli/command_line.hpp"
#include "ui/cli/manual.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int man_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string about;
  CommandLine line(verb);
  std::vector<std::string> names;
  for (const Verb& v : verbs()) names.emplace_back(v.name);
  line.positional("VERB", about, "the verb; without one, all of stallcast", false);
  line.takes("VERB", names);
  line.output_options(options, "write it to FILE instead of standard output");
  if (const auto exit = line.parse(args)) return *exit;
  if (about.empty()) return deliver(options, manual(), ExitCode::ok);
  const Verb* found = find_verb(about);
  if (found == nullptr)
    return refuse("no verb is named \"" + about + "\"", suggestion(about, names));
  return deliver(options, manual_of(*found), ExitCode::ok);
}

}  // namespace stallcast::cli
