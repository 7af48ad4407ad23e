#include "ui/app/reference.hpp"
#include "ui/report/html/export.hpp"
#include "ui/server/problem.hpp"
#include "ui/server/service.hpp"

#include <map>

/// Routes that report what is known from the start, and the state of the server.
namespace stallcast::server {

/// page.html, page.css and page.js, built in.
std::span<const std::pair<std::string_view, std::string_view>> embedded_page();

namespace {

std::string page_file(std::string_view name) {
  for (const auto& [file, text] : embedded_page())
    if (file == name) return std::string(text);
  return {};
}

}  // namespace

Response answer_catalog(Call& call) { return {.body = call.service.catalog}; }

Response answer_catalog_entry(Call& call) {
  for (const client::CatalogueItem& item : client::catalogue_items())
    if (item.id == call.id) return {.body = item.json};
  return problem(404, "nothing in the catalogue has this id", "/v1/catalog lists them");
}

Response answer_schema(Call& call) { return {.body = call.service.schema}; }

Response answer_openapi(Call& call) { return {.body = call.service.openapi_text}; }

Response answer_health(Call&) { return {.type = "text/plain", .body = "ok\n"}; }

Response answer_ready(Call& call) {
  if (call.service.closing) return retry_after(problem(503, "the server is shutting down"), 30);
  return {.type = "text/plain", .body = "ready\n"};
}

Response answer_metrics(Call& call) {
  const Service& service = call.service;
  return {.type = "text/plain; version=0.0.4",
          .body = service.metrics.text(call.service.runs.figures(), service.listener,
                                       client::version().program, client::version().models)};
}

Response answer_page(Call&) {
  return {200,
          "text/html; charset=utf-8",
          page_file("page.html"),
          {{"Content-Security-Policy",
            // Reports are shown within, with the one script that they run.
            "default-src 'none'; script-src 'self' " + report::script_source() +
                "; style-src 'self' 'unsafe-inline'; "
                "connect-src 'self'; img-src data:; frame-src 'self'; base-uri 'none'; "
                "form-action 'none'; frame-ancestors 'none'"},
           {"Referrer-Policy", "no-referrer"}}};
}

Response answer_script(Call&) {
  return {.type = "text/javascript; charset=utf-8", .body = page_file("page.js")};
}

Response answer_style(Call&) {
  return {.type = "text/css; charset=utf-8", .body = page_file("page.css")};
}

}  // namespace stallcast::server
