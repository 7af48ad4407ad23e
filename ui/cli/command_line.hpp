#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/result.hpp"
#include "ui/report/report.hpp"

/// Options of a verb: declared once, parsed, checked, and printed as help. CLI11 stays inside.
namespace stallcast::cli {

struct TraceOptions;
struct Verb;

/// Options that mean the same in every verb that has them.
struct CommonOptions {
  std::vector<std::string> sets;
  std::string variant;
  std::string format = "text";
  std::string output;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> replicas;
  double time_limit_s = 600.0;
  std::int64_t jobs = 0;      ///< 0: one per core
  std::string profile;        ///< file of a calibration profile
  bool strict_range = false;  ///< outside the calibrated range is inconclusive
  bool timing = false;
  bool quiet = false;
  bool verbose = false;  ///< a text report says all
  bool no_color = false;
};

inline constexpr std::string_view kReportToFile =
    "write the report to FILE instead of standard output";

/// The words of an option that takes one of a few.
template <class T>
struct Choice {
  std::string_view word;
  T value;
};
template <class T>  // clang 14 does not deduce it by itself
Choice(const char*, T)->Choice<T>;
/// Takes the value of `word` from `choices`. A failure names the words.
template <class T, std::size_t N>
std::optional<Failure> choose(const std::string& option, const std::string& word,
                              const std::array<Choice<T>, N>& choices, T& value) {
  std::string known;
  for (const Choice<T>& choice : choices) {
    if (choice.word == word) {
      value = choice.value;
      return std::nullopt;
    }
    known += (known.empty() ? "" : ", ") + std::string(choice.word);
  }
  return Failure{ExitCode::bad_input, option + ": unknown \"" + word + "\"", "use " + known};
}

/// One argument or option of a verb, for its help, man page and completions.
struct OptionHelp {
  std::string name;         ///< "SCENARIO", "--output"
  std::string short_name;   ///< "-o"; "" without one
  std::string placeholder;  ///< "FILE"; "" of flags and arguments
  std::string help;
  std::string group;  ///< its heading
  bool positional = false, required = false, many = false;
  std::vector<std::string> words;  ///< what it takes, where that is one of a few
};

/// What `verb` declares, in the order of its help, "--help" included.
[[nodiscard]] std::vector<OptionHelp> options_of(const Verb& verb);

/// "usage: stallcast run SCENARIO [options]".
[[nodiscard]] std::string usage_of(const Verb& verb, std::span<const OptionHelp> options);

class CommandLine {
 public:
  explicit CommandLine(const Verb& verb);
  ~CommandLine();

  // Each target must outlive parse().
  void positional(std::string_view name, std::string& target, std::string_view help,
                  bool required = true);
  void positionals(std::string_view name, std::vector<std::string>& target, std::string_view help,
                   bool required = true);
  void flag(std::string_view name, bool& target, std::string_view help);
  void text(std::string_view name, std::string& target, std::string_view placeholder,
            std::string_view help);
  void texts(std::string_view name, std::vector<std::string>& target, std::string_view placeholder,
             std::string_view help);
  /// A whole number of at least `minimum`.
  void integer(std::string_view name, std::optional<std::int64_t>& target, std::int64_t minimum,
               std::string_view help);

  /// The option or argument `name` takes one of these: completions offer them.
  void takes(std::string_view name, std::vector<std::string> words);

  /// --output, --quiet, --no-color.
  void output_options(CommonOptions& options, std::string_view what = kReportToFile);
  /// --verbose: `what` a text report then says, too.
  void verbose_option(CommonOptions& options, std::string_view what);
  /// --format; `pages`: html, slide, too.
  void format_option(CommonOptions& options, report::Pages pages = report::Pages::none);
  /// --set, --variant, --profile.
  void scenario_options(CommonOptions& options);
  /// --time-limit (default: that of `options`) and --jobs, by default as many as there are cores
  /// and `ahead` more.
  void run_options(CommonOptions& options, unsigned ahead = 0);
  /// --trace, --trace-window, --trace-ranks.
  void trace_options(TraceOptions& options);
  /// --seed, --replicas, --time-limit, --jobs, --timing, --strict-range.
  void simulation_options(CommonOptions& options);

  /// The exit code when the verb ends here: help was printed, or the usage is wrong.
  [[nodiscard]] std::optional<int> parse(std::span<const std::string> args);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stallcast::cli
