#include "ui/cli/manual.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "stallcast/client.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

/// The rows of docs/reference/exit-codes.md, in a line each.
constexpr std::array kExitCodes{
    std::pair{"0", "Done; all assertions hold."},
    std::pair{"1",
              "The answer is no: an assertion failed, a regression was found, no design meets "
              "the targets, or a diff saw a change."},
    std::pair{"2", "Bad usage or bad input. Messages name file, line and column, and what to do."},
    std::pair{"3",
              "Inconclusive: the time limit was reached, replicas are too few to tell, or a "
              "baseline is stale."},
    std::pair{"4", "Internal error. The message names a file with the design, to report it."},
    std::pair{"130, 143", "Interrupted; partial results were written."},
};

constexpr std::array kEnvironment{
    std::pair{"STALLCAST_SIM",
              "The simulator to use instead of the installed "
              "\\fBstallcast\\-sim\\fR."},
    std::pair{"STALLCAST_RESULTS",
              "A folder in which results of simulations are kept and looked for, so that what was "
              "simulated once by this simulator is not simulated again."},
    std::pair{"STALLCAST_TOKEN", "The token that \\fBstallcast serve\\fR asks of its clients."},
    std::pair{"COLUMNS", "The width of reports where they do not go to a terminal."},
    std::pair{"NO_COLOR", "When set, reports have no colours, as with \\fB\\-\\-no\\-color\\fR."},
};

/// Text as roff prints it: no command, no escape, hyphens that can be copied.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string heading(std::string_view title) { return ".SH " + std::string(title) + "\n"; }

/// A term and what it means.
std::string item(const std::string& term, const std::string& meaning) {
  return ".TP\n" + term + "\n" + meaning + "\n";
}

/// Helps are written without a capital and a full stop. One that begins with a value, "text
/// (default) or json", keeps it as it is typed.
std::string sentence(std::string_view summary) {
  std::string out = roff(summary) + (summary.ends_with('.') ? "" : ".");
  const std::size_t word = summary.find(' ');
  const bool value =
      word != std::string_view::npos && summary.substr(word).starts_with(" (default)");
  if (!value && !out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string begin(const std::string& page, std::string_view summary) {
  return ".TH \"" + page + "\" 1 \"\" \"stallcast " + roff(client::version().program) +
         "\" \"Stallcast\"\n" + heading("NAME") + roff(page) + " \\- " + roff(summary) + "\n";
}

std::string page_of(const Verb& verb) { return "stallcast-" + std::string(verb.name); }

std::string exit_codes() {
  std::string out = heading("EXIT STATUS");
  for (const auto& [code, meaning] : kExitCodes) out += item(bold(code), roff(meaning));
  return out;
}

std::string term_of(const OptionHelp& option) {
  if (option.positional) return italic(option.name);
  const std::string value = option.placeholder.empty() ? "" : " " + italic(option.placeholder);
  const std::string shorter =
      option.short_name.empty() ? "" : bold(option.short_name) + value + ", ";
  return shorter + bold(option.name) + value;
}

}  // namespace

std::string manual() {
  std::string out = begin("stallcast", "predicts how storage limits GPU training") +
                    heading("SYNOPSIS") + bold("stallcast") + " " + italic("VERB") + " [" +
                    italic("arguments") + "] [" + italic("options") + "]\n" +
                    heading("DESCRIPTION");
  out += sentence(
             "Describe a GPU cluster, its storage and its training jobs in a scenario file. A "
             "discrete-event simulation predicts GPU utilization and what it is lost to, says what "
             "limits, and finds the fewest storage targets that meet what is expected") +
         "\n";
  std::string_view group;
  for (const Verb& verb : verbs()) {
    if (verb.group != group) out += ".SS " + std::string(verb.group) + "\n";
    group = verb.group;
    out += item(bold(verb.name), sentence(verb.summary) + " See " + bold(page_of(verb)) + "(1).");
  }
  out += exit_codes() + heading("ENVIRONMENT");
  for (const auto& [name, meaning] : kEnvironment) out += item(bold(name), meaning);
  return out + heading("EXAMPLES") +
         ".nf\nstallcast init llm\\-async\\-ckpt > mine.json\nstallcast run mine.json\n"
         "stallcast run mine.json \\-\\-set storage.ost.count=48\nstallcast plan mine.json\n.fi\n" +
         heading("SEE ALSO") + bold("stallcast-explorer") + "(1)\n";
}

std::string manual_of(const Verb& verb) {
  const std::vector<OptionHelp> options = options_of(verb);
  std::string out = begin(page_of(verb), verb.summary) + heading("SYNOPSIS") + bold("stallcast") +
                    " " + bold(verb.name);
  for (const OptionHelp& o : options)
    if (o.positional)
      out += " " + std::string(o.required ? "" : "[") + italic(o.name) + (o.required ? "" : "]") +
             (o.many ? "..." : "");
  out += " [" + italic("options") + "]\n" + heading("DESCRIPTION") + sentence(verb.summary) + "\n";
  std::string group;
  for (const OptionHelp& o : options) {
    std::string title = o.group;
    for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    if (o.group != group) out += heading(title);
    group = o.group;
    out += item(term_of(o), sentence(o.help));
  }
  return out + exit_codes() + heading("SEE ALSO") + bold("stallcast") + "(1)\n";
}

}  // namespace stallcast::cli
