#include "ui/server/problem.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "stallcast/memory_limit.hpp"
#include "ui/server/routes.hpp"

namespace stallcast::server {
namespace {

using Json = nlohmann::ordered_json;

/// Text of a client may be no UTF-8; what is answered always is.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The parameter of requests that an option of the command line is, or what the body has for it;
/// "" of others.
std::string parameter_of(std::string name) {
  constexpr std::string_view kInBody = "baseline";
  if (name == kInBody) return name;
  for (char& c : name) c = c == '-' ? '_' : c;
  for (const Route& route : routes())
    for (const RequestParameter& p : route.parameters)
      if (p.name == name || p.name == name + "_s") return std::string(p.name);
  return "";
}

Json errors_array(const Diagnostics& diagnostics, bool errors_only) {
  Json out = Json::array();
  for (const Diagnostic& d : diagnostics.items()) {
    if (errors_only && d.severity != Severity::error) continue;
    Json line = {{"severity", d.severity == Severity::error ? "error" : "warning"},
                 {"code", d.code},
                 {"pointer", d.pointer},
                 {"file", for_requests(d.position.file)},
                 {"line", d.position.line},
                 {"column", d.position.column},
                 {"message", for_requests(d.message)}};
    if (!d.hint.empty()) line["hint"] = for_requests(d.hint);
    out.push_back(std::move(line));
  }
  return out;
}

Response answer(int status, std::string_view detail, std::string_view hint, Json errors) {
  Json out = {{"type", "about:blank"},
              {"title", status_phrase(status)},
              {"status", status},
              {"detail", for_requests(detail)}};
  if (!hint.empty()) out["hint"] = for_requests(hint);
  if (!errors.is_null()) out["errors"] = std::move(errors);
  return {status, "application/problem+json", dump(out), {}};
}

}  // namespace

std::string for_requests(std::string_view text) {
  const auto in_name = [&](std::size_t i) {
    return i < text.size() &&
           (std::islower(static_cast<unsigned char>(text[i])) != 0 || text[i] == '-');
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    // A command is one for people, with the options that it has.
    if (text.substr(at).starts_with("stallcast ")) {
      const bool quoted = at > 0 && text[at - 1] == '"';
      const std::size_t stop = quoted ? std::min(text.find('"', at), text.size()) : text.size();
      out += text.substr(at, stop - at);
      at = stop;
      continue;
    }
    std::size_t end = at + 2;
    while (in_name(end)) ++end;
    const bool option = text.substr(at, 2) == "--" && (at == 0 || !in_name(at - 1));
    const std::string name =
        option ? parameter_of(std::string(text.substr(at + 2, end - at - 2))) : "";
    if (name.empty()) {
      out += text[at++];
      continue;
    }
    const std::string_view next = text.substr(end, 2);
    const bool has_value =
        next.size() == 2 && next[0] == ' ' &&
        (std::isdigit(static_cast<unsigned char>(next[1])) != 0 ||
         std::isupper(static_cast<unsigned char>(next[1])) != 0 ||
         text.substr(end + 1, text.find(' ', end + 1) - end - 1).find_first_of("=.") != text.npos);
    out += name + (has_value ? "=" : "");
    at = end + (has_value ? 1 : 0);
  }
  return out;
}

void for_requests(std::vector<std::string>& texts) {
  for (std::string& text : texts) text = for_requests(text);
}

std::string_view status_phrase(int status) {
  constexpr std::pair<int, std::string_view> kPhrases[] = {
      {200, "OK"},
      {202, "Accepted"},
      {204, "No Content"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {411, "Length Required"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
  };
  for (const auto& [known, phrase] : kPhrases)
    if (known == status) return phrase;
  return "Error";
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
  if (failure.exit == ExitCode::bad_input) return problem(422, failure.message, failure.hint);
  if (failure.exit == ExitCode::inconclusive)
    return problem(504, "the simulation did not end in its time limit",
                   "ask for fewer replicas, a shorter run, or more time");
  if (failure.message.find(kTooLittleMemory) != std::string::npos)
    return problem(422, "the simulation needs more memory than this server gives one",
                   "ask for a smaller design, or one that folds (run.fold), or let the server have "
                   "more: stallcast serve --memory MB");
  // The message names files of this machine: it is for the log.
  return problem(500, "the simulation failed", "this is a bug; the server's log says more");
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
