#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "ui/server/metrics.hpp"
#include "ui/server/routes.hpp"
#include "ui/server/runs.hpp"
#include "ui/server/settings.hpp"

namespace stallcast::server {

/// Everything that does not belong to one thread. Checks who asks, routes, counts. Thread-safe.
class Service {
 public:
  explicit Service(const ServerSettings& settings);

  /// `session` is of the calling thread.
  [[nodiscard]] Response handle(const Request& request, client::Session& session);
  /// From now on nothing new is begun, and what runs is cancelled.
  void close();

  const ServerSettings& settings;
  Runs runs;
  Metrics metrics;
  std::atomic<bool> closing = false;
  const ListenerFigures* listener = nullptr;
  std::string schema, catalog, openapi_text;  ///< made once

 private:
  [[nodiscard]] std::optional<Response> refuse(const Request& request, const Route& route) const;
};

struct Call {
  Service& service;
  client::Session& session;
  const Request& request;
  std::string id;  ///< of the path
};

// Handlers, in handlers_*.cpp.
Response answer_lint(Call& call);
Response answer_resolve(Call& call);
Response answer_estimate(Call& call);
Response answer_run(Call& call);
Response answer_plan(Call& call);
Response answer_explain(Call& call);
Response answer_grow(Call& call);
Response answer_compare(Call& call);
Response answer_check(Call& call);
Response answer_diff(Call& call);
Response answer_sweep(Call& call);
Response answer_status(Call& call);
Response answer_result(Call& call);
Response answer_report(Call& call);
Response answer_slide(Call& call);
Response answer_trace(Call& call);
Response answer_cancel(Call& call);
Response answer_catalog(Call& call);
Response answer_catalog_entry(Call& call);
Response answer_schema(Call& call);
Response answer_openapi(Call& call);
Response answer_health(Call& call);
Response answer_ready(Call& call);
Response answer_metrics(Call& call);
Response answer_page(Call& call);
Response answer_script(Call& call);
Response answer_style(Call& call);

}  // namespace stallcast::server
