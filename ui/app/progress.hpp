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
  /// How much longer it takes at the pace so far, s; nothing before that says something.
  [[nodiscard]] std::optional<double> left() const;

 private:
  Passes passes_;
  double shown_ = 0.0, seconds_ = 0.0;
  double most_ = 0.0, last_ = 0.0;    ///< of what was told
  double from_ = 0.0, before_ = 0.0;  ///< of a pass again: where it began, and what was shown then
};

/// "12 s left", "3 min left", "2 h left".
[[nodiscard]] std::string left_phrase(double seconds);

}  // namespace stallcast::client
