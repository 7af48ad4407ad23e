#include "ui/server/service.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "ui/app/reference.hpp"
#include "ui/server/problem.hpp"

namespace stallcast::server {
namespace {

/// Takes as long whatever of `given` is right.
bool is_same(std::string_view given, std::string_view wanted) {
  unsigned different = given.size() == wanted.size() ? 0U : 1U;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    different |= static_cast<unsigned>(
        static_cast<unsigned char>(wanted[i]) ^
        static_cast<unsigned char>(given.empty() ? '\0' : given[i % given.size()]));
  return different == 0;
}

/// "name:8080" -> "name", "[::1]:8080" -> "::1"; "[::1].evil" is not an address, and stays.
std::string name_of_host(std::string host) {
  if (!host.starts_with("[")) return host.substr(0, host.find(':'));
  const std::size_t end = host.find(']');
  const bool address = end != host.npos && (end + 1 == host.size() || host[end + 1] == ':');
  return address ? host.substr(1, end - 1) : host;
}

/// An address of this machine, and no name that begins like one.
bool is_loopback_address(std::string_view host) {
  return host == "::1" || (host.starts_with("127.") &&
                           host.find_first_not_of("0123456789.") == std::string_view::npos);
}

/// Answers are JSON, and quote what was asked.
bool is_text(const Request& request) {
  const auto is_utf8 = [](const std::string& text) {
    try {
      return !nlohmann::json(text).dump().empty();
    } catch (const nlohmann::json::exception&) {
      return false;
    }
  };
  return std::all_of(request.query.begin(), request.query.end(),
                     [&](const auto& q) { return is_utf8(q.first) && is_utf8(q.second); });
}

RunLimits limits_of(const ServerSettings& s) {
  return {s.sessions, s.queue, s.per_client, s.results, s.results_bytes, s.keep_s};
}

}  // namespace

Service::Service(const ServerSettings& its_settings)
    : settings(its_settings),
      runs(limits_of(its_settings), its_settings.session),
      schema(client::scenario_schema()),
      catalog(client::catalogue_json()),
      openapi_text(openapi(client::version().program, settings.replicas)) {}

void Service::close() {
  closing = true;
  runs.close();
}

/// Without a token, whoever reaches the port is trusted: that must be a program of this machine,
/// not a page of somebody else in its browser (cross-site requests, DNS rebinding).
std::optional<Response> Service::refuse(const Request& request, const Route& route) const {
  if (!settings.token.empty()) {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string_view given = request.authorization;
    if (route.open || (equal_ignoring_case(given.substr(0, kScheme.size()), kScheme) &&
                       is_same(given.substr(kScheme.size()), settings.token)))
      return std::nullopt;
    Response out = problem(401, "this server requires a token", "send Authorization: Bearer TOKEN");
    out.headers.emplace_back("WWW-Authenticate", "Bearer");
    out.late = !given.empty();  // one without is told at once
    return out;
  }
  const std::string host = name_of_host(request.host);
  const bool own =
      request.host.empty() || host == "localhost" || is_loopback_address(host) ||
      std::find(settings.hosts.begin(), settings.hosts.end(), host) != settings.hosts.end();
  if (!own)
    return problem(403, "this server is not known by the name \"" + host + "\"",
                   "name it with --host-name when it is started");
  if (!request.origin.empty() && request.origin != "http://" + request.host &&
      request.origin != "https://" + request.host)
    return problem(403, "pages of other origins may not call this server");
  return std::nullopt;
}

Response Service::handle(const Request& request, client::Session& session) {
  const auto began = std::chrono::steady_clock::now();
  Match found = match(request.method, request.path);
  Response out;
  if (found.route == nullptr) {
    out = found.allowed.empty()
              ? problem(404, "there is nothing here", "/openapi.json lists what there is")
              : problem(405, "this path does not support the method");
    if (!found.allowed.empty()) out.headers.emplace_back("Allow", found.allowed);
  } else if (std::optional<Response> no = refuse(request, *found.route)) {
    out = *std::move(no);
  } else if (!is_text(request)) {
    out = problem(400, "the query is not UTF-8");
  } else {
    Call call{*this, session, request, std::move(found.id)};
    try {
      out = found.route->answer(call);
    } catch (const std::exception& error) {
      settings.log(std::string(found.route->name) + ": " + error.what());
      out = problem(500, "this is a bug", "the server's log says more");
    }
  }
  out.headers.emplace_back("X-Content-Type-Options", "nosniff");
  out.headers.emplace_back("Cache-Control", "no-store");
  metrics.count(found.route == nullptr ? "none" : found.route->name, out.status,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  return out;
}

}  // namespace stallcast::server
