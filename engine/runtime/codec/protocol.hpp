#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"
#include "stallcast/timeline.hpp"

/// What `stallcast-sim` and those who start it say to each other: docs/guide/worker-protocol.md.
namespace stallcast::codec {

/// Sent in `hello`; a change to any message that older readers would misread raises it.
inline constexpr int kWorkerProtocol = 1;

/// A simulation to record.
struct Recording {
  TimelineRequest what;
  /// What the run of which the figures are took for granted; none: not known.
  std::optional<std::vector<std::string>> presumed = std::nullopt;
};

/// A request as a line without its end. `design` is the text of an encoded design.
[[nodiscard]] std::string request_line(std::uint64_t id, std::uint64_t seed,
                                       std::string_view design,
                                       const std::optional<Recording>& record = std::nullopt);

/// What a line to the worker asks for.
struct WorkerRequest {
  std::optional<std::uint64_t> id;  ///< none: the line has no id that could be answered
  std::uint64_t seed = 0;
  Result<Design> design;  ///< bad_input when the line is not a request
  std::optional<Recording> record = std::nullopt;
};
[[nodiscard]] WorkerRequest read_request(std::string_view line);
/// Its id alone, without looking at the rest of a line that begins as `request_line` does.
[[nodiscard]] std::optional<std::uint64_t> request_id(std::string_view line);

/// What a line of the worker says. Which members count depends on `type`.
struct WorkerMessage {
  enum class Type { hello, progress, result, timeline, failed, other };
  Type type = Type::other;
  int protocol = 0;                         ///< of hello, with the next
  std::string sandbox;                      ///< what keeps simulations to themselves
  std::uint64_t id = 0;                     ///< of all others
  double fraction = 0.0;                    ///< of progress
  std::optional<Result<RunResult>> result;  ///< of result; bad_input when it cannot be read
  std::optional<Result<Timeline>> timeline = std::nullopt;  ///< of timeline; likewise
  std::string reason;                                       ///< of failed, with the next two
  int signal = 0;
  std::string message;
};
/// nullopt when the line is not a message at all. Types this version does not know are `other`.
[[nodiscard]] std::optional<WorkerMessage> read_message(std::string_view line);

}  // namespace stallcast::codec
