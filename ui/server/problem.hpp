#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/result.hpp"
#include "ui/server/http.hpp"

/// Faults as RFC 9457 "application/problem+json".
namespace stallcast::server {

/// "title" is the standard phrase of the status; `detail` is one sentence for a person.
[[nodiscard]] Response problem(int status, std::string_view detail, std::string_view hint = {});
/// 422 with the errors of a scenario: code, pointer, line, column, message, hint.
[[nodiscard]] Response problem(const Diagnostics& diagnostics);
/// What a call of a session failed with. What only the operator should know is not in it.
[[nodiscard]] Response problem(const Failure& failure);
/// The response with "Retry-After".
[[nodiscard]] Response retry_after(Response response, int seconds);

/// {"valid": ..., "diagnostics": [...]}, errors and warnings.
[[nodiscard]] std::string diagnostics_json(const Diagnostics& diagnostics);

[[nodiscard]] std::string_view status_phrase(int status);

/// What messages of the command line say to whom a request is answered: "over=osts=8..32" for
/// "--over osts=8..32", "time_limit_s" for "--time-limit", and "baseline" for what is in the body.
[[nodiscard]] std::string for_requests(std::string_view text);
void for_requests(std::vector<std::string>& texts);

}  // namespace stallcast::server
