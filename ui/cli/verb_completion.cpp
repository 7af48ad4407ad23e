#include "ui/cli/command_line.hpp"
#include "ui/cli/completion.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int completion_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string shell;
  CommandLine line(verb);
  line.positional("SHELL", shell, "bash, fish or zsh");
  line.takes("SHELL", shells());
  line.output_options(options, "write it to FILE instead of standard output");
  if (const auto exit = line.parse(args)) return *exit;
  const std::string text = completion(shell);
  if (text.empty())
    return refuse("there are no completions for \"" + shell + "\"", suggestion(shell, shells()));
  return deliver(options, text, ExitCode::ok);
}

}  // namespace stallcast::cli
