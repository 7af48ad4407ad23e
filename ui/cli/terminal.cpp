#include "ui/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/text.hpp"
#include "engine/base/utf8.hpp"
#include "stallcast/scenario.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/wrap.hpp"

namespace stallcast::cli {
namespace {

constexpr std::size_t kMostDiagnostics = 20;
/// Of a source line, so that it and its indentation fit 80 columns.
constexpr std::size_t kShown = 70;
constexpr std::size_t kBarWidth = 79;

/// A terminal that knows colours and moves back to the start of a line.
bool obeys(int stream) {
  const char* kind = std::getenv("TERM");
  return isatty(stream) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// `text` without what a terminal would obey: control characters and what is not UTF-8 become "?".
/// Tabs and line ends stay.
std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20U && c != '\n' && c != '\t') || c == 0x7FU;
    // U+0080 to U+009F
    const bool c1 = c == 0xC2U && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) < 0xA0U && continues(text[i + 1]);
    const std::size_t length = base::utf8_length(std::string_view(text).substr(i));
    if (control || c1 || length == 0) text[i] = '?';
    if (c1) text[i + 1] = '?';
    if (length > 1 && !c1) i += length - 1;
  }
  return text;
}

/// Moves `at` back to the start of a character.
std::size_t character_at(const std::string& line, std::size_t at) {
  while (at > 0 && at < line.size() && continues(line[at])) --at;
  return at;
}

/// "    the line\n        ^\n"; of a long line, the part around the caret.
std::string marked(const std::string& line, std::size_t caret) {
  caret = std::min(caret, line.size());
  std::size_t begin = 0, end = line.size();
  if (line.size() > kShown) {
    begin = caret > kShown * 2 / 3 ? caret - kShown * 2 / 3 : 0;
    begin = character_at(line, std::min(begin, line.size() - kShown));
    end = character_at(line, std::min(line.size(), begin + kShown));
  }
  const std::string before = begin > 0 ? "..." : "";
  std::string out = "    " + before + line.substr(begin, end - begin);
  if (end < line.size()) out += "...";
  out += "\n    " + std::string(before.size(), ' ');
  // A tab before the caret stays a tab, so that both lines are indented alike.
  for (std::size_t i = begin; i < caret; ++i)
    if (!continues(line[i])) out += line[i] == '\t' ? '\t' : ' ';
  return out + "^\n";
}

/// Of the terminal at `stream`, or what COLUMNS says; none for a file or a pipe.
std::optional<std::size_t> columns_of(int stream) {
  constexpr std::size_t kLeast = 40, kMost = 200;
  std::optional<double> columns;
  winsize size{};
  if (const char* said = std::getenv("COLUMNS")) columns = base::parse_number(said);
  if (!columns && isatty(stream) == 1 && ioctl(stream, TIOCGWINSZ, &size) == 0)
    columns = size.ws_col;
  if (!columns || !(*columns > 0.0)) return std::nullopt;
  return std::clamp(static_cast<std::size_t>(std::min(*columns, 1e6)), kLeast, kMost);
}

/// "hint: what to do", broken for people; lines of `text` stay lines.
std::string broken(const std::string& first, const std::string& text, std::size_t indent) {
  // Tools look for a message on one line of a file or a pipe.
  const std::optional<std::size_t> columns = columns_of(STDERR_FILENO);
  if (!columns) return first + text + "\n";
  std::string out;
  for (const std::string& line : base::split(text, '\n'))
    out +=
        report::wrapped_at(*columns, out.empty() ? first : std::string(indent, ' '), line, indent);
  return out;
}

std::string hint_line(const std::string& hint) { return broken("hint: ", hint, 6); }

void write_stderr(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

/// The source line of a diagnostic with a caret, or "" when the file cannot be read.
class SourceLines {
 public:
  std::string excerpt(const Diagnostic& diagnostic) {
    const Position& position = diagnostic.position;
    if (position.line <= 0) return "";
    const auto column = static_cast<std::size_t>(std::max(0, position.column - 1));
    if (!diagnostic.line.empty())
      return base::trim(diagnostic.line).empty() ? "" : marked(diagnostic.line, column);
    auto [it, fresh] = texts_.try_emplace(position.file);
    if (fresh)
      if (const auto text = base::read_file(position.file); text.ok())
        it->second = base::split(text.value(), '\n');
    const auto index = static_cast<std::size_t>(position.line - 1);
    if (index >= it->second.size()) return "";
    const std::string& line = it->second[index];
    if (base::trim(line).empty()) return "";
    return marked(line, column);
  }

 private:
  std::map<std::string, std::vector<std::string>> texts_;
};

}  // namespace

bool write_stdout(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return written || errno == EPIPE;
}

void print_error(const std::string& message, const std::string& hint) {
  write_stderr(printable(broken("", message, 2) + (hint.empty() ? "" : hint_line(hint))));
}

int report_failure(const Failure& failure) {
  print_error("stallcast: " + failure.message, failure.hint);
  return static_cast<int>(failure.exit);
}

int refuse(const std::string& message, const std::string& hint) {
  return report_failure({ExitCode::bad_input, message, hint});
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  return suggestion(word, known, "known: " + base::join(known, ", "));
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& otherwise) {
  const std::string near = base::nearest(word, known);
  return near.empty() ? otherwise : "did you mean \"" + near + "\"?";
}

std::optional<int> check_format(const Verb& verb, const CommonOptions& options,
                                const std::string& a, const std::string& b) {
  if (options.format == a || options.format == b) return std::nullopt;
  return refuse(std::string(verb.name) + " has no format \"" + options.format + "\"",
                "use " + a + " or " + b);
}

void print_diagnostics(const Diagnostics& diagnostics, bool quiet) {
  std::vector<const Diagnostic*> shown;
  for (const Severity severity : {Severity::error, Severity::warning})
    for (const Diagnostic& d : diagnostics.items())
      if (d.severity == severity && !(quiet && severity == Severity::warning)) shown.push_back(&d);
  SourceLines lines;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostDiagnostics, shown.size()); ++i) {
    out += line_of(*shown[i]) + "\n" + lines.excerpt(*shown[i]);
    if (!shown[i]->hint.empty()) out += hint_line(shown[i]->hint);
  }
  if (shown.size() > kMostDiagnostics)
    out += "... and " + std::to_string(shown.size() - kMostDiagnostics) + " more\n";
  write_stderr(printable(std::move(out)));
}

int print(const std::string& text, ExitCode exit) {
  if (write_stdout(text)) return static_cast<int>(exit);
  const int why = errno;
  return report_failure({ExitCode::bad_input,
                         std::string("standard output cannot be written: ") + std::strerror(why),
                         why == EBADF    ? "it is closed: send it to a file or a terminal"
                         : why == ENOSPC ? "is the disk full?"
                                         : ""});
}

int deliver(const CommonOptions& options, const std::string& report, ExitCode exit) {
  if (options.output.empty() || options.output == "-") return print(report, exit);
  const auto written = base::write_file(options.output, report);
  return written.ok() ? static_cast<int>(exit) : report_failure(written.failure());
}

std::optional<Failure> check_output(const std::string& file) {
  const std::filesystem::path path = file;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Failure{ExitCode::bad_input, "\"" + file + "\" is a folder",
                   "name the file to write with --output FILE"};
  if (access(folder.c_str(), W_OK) == 0) return std::nullopt;
  return Failure{ExitCode::bad_input, "cannot write \"" + file + "\"",
                 "its folder has to exist, and this user has to be allowed to write there"};
}

int deliver_product(const CommonOptions& options, const std::string& product,
                    const std::string& report, ExitCode exit) {
  if (!options.output.empty())
    if (const auto written = base::write_file(options.output, product); !written.ok())
      return report_failure(written.failure());
  return print(options.format == "json" ? product : report, exit);
}

bool wants_colour(const CommonOptions& options) {
  return !options.no_color && options.output.empty() && obeys(STDOUT_FILENO);
}

void apply_terminal_options(CommonOptions& options) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') options.no_color = true;
  if (options.output.empty())
    if (const std::optional<std::size_t> columns = columns_of(STDOUT_FILENO))
      report::set_page_columns(*columns);
}

ProgressBar::ProgressBar(const CommonOptions& options, client::Passes passes)
    : enabled_(!options.quiet && obeys(STDERR_FILENO)), progress_(passes) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(double done, std::string_view what) {
  if (!enabled_) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
  progress_.tell(done, passed.count());
  if (when_long_)
    if (const auto left = ahead_.ask(progress_)) {
      clear();
      write_stderr(printable(broken("", when_long_("about " + client::about_phrase(*left)), 2)));
    }
  const int percent = static_cast<int>(100.0 * progress_.done());
  const auto filled = static_cast<std::size_t>(percent * 30 / 100);
  std::string line = "[" + std::string(filled, '#') + std::string(30 - filled, ' ') + "] " +
                     std::to_string(percent) + " %";
  line = what.empty() ? "simulating " + line : line + " " + std::string(what);
  if (const auto left = progress_.left(); left && what.empty())
    line += ", " + client::left_phrase(*left);
  line.resize(kBarWidth, ' ');
  if (line == last_) return;
  last_ = line;
  write_stderr("\r" + line);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (last_.empty()) return;
  last_.clear();
  write_stderr("\r" + std::string(kBarWidth, ' ') + "\r");
}

}  // namespace stallcast::cli
