#include "ui/cli/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/text.hpp"
#include "ui/cli/command_line.hpp"

namespace stallcast::cli {
namespace {

constexpr std::size_t kMostDiagnostics = 20;
constexpr std::size_t kMostLineLength = 160;

void write_stderr(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

/// The source line under a position with a caret, or "" when the file cannot be read.
class SourceLines {
 public:
  std::string excerpt(const Position& position) {
    if (position.line <= 0) return "";
    auto [it, fresh] = texts_.try_emplace(position.file);
    if (fresh)
      if (const auto text = base::read_file(position.file); text.ok())
        it->second = base::split(text.value(), '\n');
    const auto index = static_cast<std::size_t>(position.line - 1);
    if (index >= it->second.size()) return "";
    const std::string& line = it->second[index];
    if (line.size() > kMostLineLength) return "";
    // A tab before the caret stays a tab, so that both lines are indented alike.
    std::string caret;
    for (int i = 1; i < position.column && static_cast<std::size_t>(i) <= line.size(); ++i)
      caret += line[static_cast<std::size_t>(i - 1)] == '\t' ? '\t' : ' ';
    return "    " + line + "\n    " + caret + "^\n";
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
  write_stderr(message + "\n" + (hint.empty() ? "" : "hint: " + hint + "\n"));
}

int report_failure(const Failure& failure) {
  print_error("stallcast: " + failure.message, failure.hint);
  return static_cast<int>(failure.exit);
}

std::string diagnostic_line(const Diagnostic& d) {
  std::string out = d.position.file;
  if (d.position.line > 0)
    out += ":" + std::to_string(d.position.line) + ":" + std::to_string(d.position.column);
  if (!out.empty()) out += ": ";
  out += (d.pointer.empty() ? "/" : d.pointer) + ": ";
  if (d.severity == Severity::warning) out += "warning: ";
  return out + d.message;
}

void print_diagnostics(const Diagnostics& diagnostics, bool quiet) {
  std::vector<const Diagnostic*> shown;
  for (const Severity severity : {Severity::error, Severity::warning})
    for (const Diagnostic& d : diagnostics.items())
      if (d.severity == severity && !(quiet && severity == Severity::warning)) shown.push_back(&d);
  SourceLines lines;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostDiagnostics, shown.size()); ++i) {
    out += diagnostic_line(*shown[i]) + "\n" + lines.excerpt(shown[i]->position);
    if (!shown[i]->hint.empty()) out += "hint: " + shown[i]->hint + "\n";
  }
  if (shown.size() > kMostDiagnostics)
    out += "... and " + std::to_string(shown.size() - kMostDiagnostics) + " more\n";
  write_stderr(out);
}

int deliver(const CommonOptions& options, const std::string& report, ExitCode exit) {
  if (options.output.empty() || options.output == "-") {
    if (write_stdout(report)) return static_cast<int>(exit);
    return report_failure(
        {ExitCode::bad_input, "standard output cannot be written", "is the disk full?"});
  }
  const auto written = base::write_file(options.output, report);
  return written.ok() ? static_cast<int>(exit) : report_failure(written.failure());
}

bool wants_colour(const CommonOptions& options) {
  return !options.no_color && options.output.empty() && isatty(STDOUT_FILENO) == 1;
}

void apply_terminal_options(CommonOptions& options) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') options.no_color = true;
}

ProgressBar::ProgressBar(const CommonOptions& options)
    : enabled_(!options.quiet && isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(double done) {
  const int percent = std::clamp(static_cast<int>(100.0 * done), 0, 100);
  if (!enabled_ || percent == last_percent_) return;
  last_percent_ = percent;
  const auto filled = static_cast<std::size_t>(percent * 30 / 100);
  write_stderr("\rsimulating [" + std::string(filled, '#') + std::string(30 - filled, ' ') + "] " +
               std::to_string(percent) + " %");
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (last_percent_ < 0) return;
  last_percent_ = -1;
  write_stderr("\r" + std::string(60, ' ') + "\r");
}

}  // namespace stallcast::cli
