#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/result.hpp"
#include "ui/app/progress.hpp"

/// Standard output carries reports only; everything else goes to standard error.
namespace stallcast::cli {

struct CommonOptions;
struct Verb;

/// Writes `text` to standard output. A closed pipe is not an error: the reader has seen enough.
/// Returns false when it could not be written for another reason.
bool write_stdout(std::string_view text);

/// Writes `text` to standard output and returns `exit`, or says why it cannot.
[[nodiscard]] int print(const std::string& text, ExitCode exit = ExitCode::ok);

/// "stallcast run: unknown option "--sed"" and a hint line, on standard error.
void print_error(const std::string& message, const std::string& hint);

/// Prints a failure and returns its exit code.
[[nodiscard]] int report_failure(const Failure& failure);
/// The same for what the user has to change: the exit code of bad_input.
[[nodiscard]] int refuse(const std::string& message, const std::string& hint = "");
/// "did you mean \"b\"?" where one of `known` is near; `otherwise`, or "known: a, b, c".
[[nodiscard]] std::string suggestion(const std::string& word,
                                     const std::vector<std::string>& known);
[[nodiscard]] std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                                     const std::string& otherwise);
/// For a verb with two formats: the exit code when the wanted one is neither.
[[nodiscard]] std::optional<int> check_format(const Verb& verb, const CommonOptions& options,
                                              const std::string& a, const std::string& b);

/// Prints `file:line:column: /json/pointer: what is wrong`, the line with a caret, and the hint; at
/// most 20, errors first. Warnings are left out when `quiet`.
void print_diagnostics(const Diagnostics& diagnostics, bool quiet);

/// Puts the report where it belongs and returns `exit`, or bad_input when that did not work. The
/// file of `--output` is replaced at once.
[[nodiscard]] int deliver(const CommonOptions& options, const std::string& report, ExitCode exit);

/// Why `file` cannot be written, said before what takes long; nothing when it can.
[[nodiscard]] std::optional<Failure> check_output(const std::string& file);

/// For verbs that make a file: `product` goes to the file of `--output`, and standard output gets
/// the report, or with `--format json` the product.
[[nodiscard]] int deliver_product(const CommonOptions& options, const std::string& product,
                                  const std::string& report, ExitCode exit);

/// Colours are wanted: a terminal on standard output, no --no-color, no NO_COLOR, no --output.
[[nodiscard]] bool wants_colour(const CommonOptions& options);

/// Settles --no-color against the environment, and the columns of reports against the terminal.
void apply_terminal_options(CommonOptions& options);

/// A bar on standard error while something runs; nothing unless that is a terminal: what a file or
/// a pipe gets does not depend on how busy the machine is.
class ProgressBar {
 public:
  /// What is said before something that takes long, as soon as that is known: "about 40 s".
  using WhenLong = std::function<std::string(const std::string& about)>;

  explicit ProgressBar(const CommonOptions& options, client::Passes passes = client::Passes::one);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// `done` is 0..1, and may begin anew; `what` is being done now.
  void show(double done, std::string_view what = "");
  void when_long(WhenLong say) { when_long_ = std::move(say); }
  /// Removes the bar before other output.
  void clear();

 private:
  bool enabled_;
  client::ShownProgress progress_;
  client::LongAhead ahead_;
  WhenLong when_long_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::string last_;
};

}  // namespace stallcast::cli
