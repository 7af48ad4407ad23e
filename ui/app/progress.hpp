#pragma once

#include <optional>
#include <string>

namespace stallcast::client {

/// Whether something is all told as one 0..1, or takes passes that nobody counted before, each of
/// which tells 0..1.
enum class Passes { one, several };

/// How far something has come. What is shown never goes back: not where what was told begins anew,
/// either.
class ShownProgress {
 public:
  explicit ShownProgress(Passes passes) : passes_(passes) {}

  /// `done` (0..1) was told `seconds` after the beginning.
  void tell(double done, double seconds);
  [[nodiscard]] double done() const { return shown_; }
  /// Since the beginning.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// How much longer it takes at the pace so far, s; nothing before that says something.
  [[nodiscard]] std::optional<double> left() const;

 private:
  Passes passes_;
  double shown_ = 0.0, seconds_ = 0.0;
  double most_ = 0.0, last_ = 0.0;    ///< of what was told
  double from_ = 0.0, before_ = 0.0;  ///< of a pass again: where it began, and what was shown then
};

/// Whether something takes so long that it is to be said: once, as soon as its pace tells.
class LongAhead {
 public:
  static constexpr double kLong = 10.0;  ///< s, from the beginning
  static constexpr double kLeft = 4.0;   ///< less is not worth a word
  /// What is left, s, the first time that the whole is long.
  [[nodiscard]] std::optional<double> ask(const ShownProgress& progress);

 private:
  bool said_ = false;
};

/// "12 s", "3 min", "2 h".
[[nodiscard]] std::string about_phrase(double seconds);
/// "12 s left", "3 min left", "2 h left".
[[nodiscard]] std::string left_phrase(double seconds);

}  // namespace stallcast::client
