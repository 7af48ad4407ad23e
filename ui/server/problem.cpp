#include "ui/server/problem.hpp"

#include <nlohmann/json.hpp>

namespace stallcast::server {
namespace {

using Json = nlohmann::ordered_json;

/// Text of a client may be no UTF-8; what is answered always is.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json errors_array(const Diagnostics& diagnostics, bool errors_only) {
  Json out = Json::array();
  for (const Diagnostic& d : diagnostics.items()) {
    if (errors_only && d.severity != Severity::error) continue;
    Json line = {{"severity", d.severity == Severity::error ? "error" : "warning"},
                 {"code", d.code},
                 {"pointer", d.pointer},
                 {"file", d.position.file},
                 {"line", d.position.line},
                 {"column", d.position.column},
                 {"message", d.message}};
    if (!d.hint.empty()) line["hint"] = d.hint;
    out.push_back(std::move(line));
  }
  return out;
}

Response answer(int status, std::string_view detail, std::string_view hint, Json errors) {
  Json out = {{"type", "about:blank"},
              {"title", status_phrase(status)},
              {"status", status},
              {"detail", detail}};
  if (!hint.empty()) out["hint"] = hint;
  if (!errors.is_null()) out["errors"] = std::move(errors);
  return {status, "application/problem+json", dump(out), {}};
}

}  // namespace

std::string_view status_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

Response problem(int status, std::string_view detail, std::string_view hint) {
  return answer(status, detail, hint, nullptr);
}

Response problem(const Diagnostics& diagnostics) {
  Json errors = errors_array(diagnostics, true);
  const std::size_t n = errors.size();
  return answer(422, "the scenario has " + std::to_string(n) + (n == 1 ? " error" : " errors"), "",
                std::move(errors));
}

Response problem(const Failure& failure) {
  switch (failure.exit) {
    case ExitCode::bad_input:
      return problem(422, failure.message, failure.hint);
    case ExitCode::inconclusive:
      return problem(504, "the simulation did not end in its time limit",
                     "ask for fewer replicas, a shorter run, or more time");
    default:
      // The message names files of this machine: it is for the log.
      return problem(500, "the simulation failed", "this is a bug; the server's log says more");
  }
}

Response retry_after(Response response, int seconds) {
  response.headers.emplace_back("Retry-After", std::to_string(seconds));
  return response;
}

std::string diagnostics_json(const Diagnostics& diagnostics) {
  return dump(
      {{"valid", !diagnostics.has_errors()}, {"diagnostics", errors_array(diagnostics, false)}});
}

}  // namespace stallcast::server
