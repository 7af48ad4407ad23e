#pragma once

#include <optional>
#include <string>

namespace stallcast::client {

/// How far something has come that takes passes nobody counted before: each tells 0..1, or a part
/// of it, anew. What is shown never goes back.
class Progress {
 public:
  /// `done` (0..1) was told `seconds` after the beginning.
  void tell(double done, double seconds);
  [[nodiscard]] double done() const { return shown_; }
  /// How much longer it takes at the pace so far, s; nothing before that says something.
  [[nodiscard]] std::optional<double> left() const;

 private:
  double shown_ = 0.0, seconds_ = 0.0;
  double most_ = 0.0, last_ = 0.0;    ///< of what was told
  double from_ = 0.0, before_ = 0.0;  ///< of a pass again: where it began, and what was shown then
};

/// "12 s left", "3 min left", "2 h left".
[[nodiscard]] std::string left_phrase(double seconds);

}  // namespace stallcast::client
