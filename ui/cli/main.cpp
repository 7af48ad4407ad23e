#include <signal.h>

#include <algorithm>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/runtime/run/find_worker.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "engine/runtime/run/warm_worker.hpp"
#include "stallcast/client.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/format.hpp"
#include "ui/cli/commit.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

void on_signal(int number) { run::interrupt_flag() = number; }

/// The first SIGINT or SIGTERM ends simulations early, a second one ends the program. A closed pipe
/// and a file that may not grow are seen by the write that fails.
void install_signal_handlers() {
  run::interrupt_flag() = 0;  // makes it exist before a handler can run
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  sigaction(SIGXFSZ, &ignore, nullptr);
}

std::string help() {
  std::string out =
      "usage: stallcast VERB [arguments] [options]\n\n"
      "Predicts how storage limits GPU training: utilization, stalls, what to change.\n";
  std::string_view group;
  for (const Verb& verb : verbs()) {
    if (verb.group != group) out += "\n" + std::string(verb.group) + "\n";
    group = verb.group;
    out += "  " + std::string(verb.name) + std::string(12 - verb.name.size(), ' ') +
           std::string(verb.summary) + "\n";
  }
  return out +
         "\nOptions of most verbs\n"
         "  --set PATH=VALUE   --format text|json|csv|markdown|html   --output FILE\n"
         "  --seed N   --replicas N   --time-limit DURATION   --jobs N   --quiet\n"
         "  --no-color   --version   --help\n\n"
         "\"stallcast VERB --help\" explains one verb. Exit codes: 0 yes, 1 the answer is\n"
         "no, 2 bad usage or input, 3 inconclusive, 4 internal error.\n";
}

/// Leading options belong to the verb: "stallcast --quiet run x" is "stallcast run x --quiet".
std::vector<std::string> verb_first(std::vector<std::string> args) {
  constexpr std::string_view kFlags[] = {"--quiet", "--no-color", "--timing"};
  auto at = args.begin();
  while (at != args.end() && at->starts_with("--")) {
    const bool flag = std::find(std::begin(kFlags), std::end(kFlags), *at) != std::end(kFlags) ||
                      at->find('=') != std::string::npos;
    at += flag || at + 1 == args.end() ? 1 : 2;
  }
  if (at != args.end()) std::rotate(args.begin(), at, at + 1);
  return args;
}

/// What else is worth knowing of an installation.
std::string about() {
  const auto said = [](const Result<std::string>& r) { return r.ok() ? *r : r.failure().message; };
  return "models " + client::version().models + "\nscenario format " +
         std::string(kScenarioFormat) + "\nsimulator " + said(run::find_worker("")) +
         "\nsandbox of simulations: " + said(run::sandbox_of("")) + "\n";
}

int dispatch(std::vector<std::string> args) {
  if (args.empty()) {
    print_error("stallcast: which verb?", "see \"stallcast --help\"");
    return static_cast<int>(ExitCode::bad_input);
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    if (args.size() > 1 && args[0] == "help")
      if (const Verb* verb = find_verb(args[1])) {
        const std::vector<std::string> ask = {"--help"};
        return verb->run(*verb, ask);
      }
    return print(help());
  }
  const auto own_end = std::find(args.begin(), args.end(), "--");  // behind: another command's
  if (std::find(args.begin(), own_end, "--version") != own_end) {
    const std::string from(commit());
    const bool all = std::find(args.begin(), own_end, "-v") != own_end;
    return print("stallcast " + client::version().program +
                 (from.empty() ? "" : " (" + from + ")") + "\n" + (all ? about() : ""));
  }
  args = verb_first(std::move(args));
  const Verb* verb = find_verb(args[0]);
  if (verb == nullptr) {
    std::vector<std::string> names;
    for (const Verb& v : verbs()) names.emplace_back(v.name);
    const bool option = args[0].starts_with("-");
    print_error(
        "stallcast: unknown " + std::string(option ? "option" : "verb") + " \"" + args[0] + "\"",
        suggestion(args[0], names, "see \"stallcast --help\""));
    return static_cast<int>(ExitCode::bad_input);
  }
  const int exit = verb->run(*verb, std::span(args).subspan(1));
  const int signal = run::interrupt_flag();
  return signal != 0 ? 128 + signal : exit;
}

}  // namespace
}  // namespace stallcast::cli

int main(int argc, char** argv) {
  using namespace stallcast;
  try {
    cli::install_signal_handlers();
    return cli::dispatch(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    cli::print_error("stallcast: internal error: " + std::string(error.what()),
                     "please report this with the scenario and the command");
  } catch (...) {
    cli::print_error("stallcast: internal error", "");
  }
  return static_cast<int>(ExitCode::internal);
}
