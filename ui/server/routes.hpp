#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/server/http.hpp"

/// What the server answers: one table, from which requests are routed, /openapi.json is written and
/// metrics are labelled. To add a route: a row in routes.cpp and its function in a handlers_*.cpp.
namespace stallcast::server {

class Service;

/// One request on its way: the service it is for, and what belongs to the answering thread.
struct Call;

/// What the body is.
enum class Body { none, scenario, judged, pair, designs };

struct RequestParameter {
  std::string_view name;
  std::string_view doc;
  std::string_view type = "string";  ///< "string", "integer", "array" (repeatable strings)
  std::string_view example = "";
  int least = 0;             ///< of an integer
  bool simulations = false;  ///< an integer: at most as many as the server makes of one design
};

struct Reply2xx {
  int status;
  std::string_view type;    ///< media type; "" without a body
  std::string_view schema;  ///< of components.schemas; "" for free text
  std::string_view doc;
};

struct Route {
  std::string_view method;
  std::string_view path;  ///< "{id}" stands for one part, "{+id}" for all that follows
  std::string_view name;  ///< operationId, and the label in metrics
  std::string_view tag;
  std::string_view summary;
  Body body = Body::none;
  std::span<const RequestParameter> parameters;
  std::span<const Reply2xx> replies;
  std::span<const int> problems;  ///< besides those any route may give
  bool open = false;              ///< needs no token
  Response (*answer)(Call& call);
};

[[nodiscard]] std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;  ///< nullptr: none has this path and method
  std::string id;                ///< what stood for "{id}"
  std::string allowed;           ///< methods of the path; "" when no route has it
};
[[nodiscard]] Match match(std::string_view method, std::string_view path);

/// OpenAPI 3.1 of `routes()` of a server that makes so many simulations of one design. The
/// scenario's own schema is a reference to /v1/schema.
[[nodiscard]] std::string openapi(const std::string& version, std::int64_t simulations);

}  // namespace stallcast::server
