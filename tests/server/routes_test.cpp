#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "ui/server/routes.hpp"

namespace routes_test {

using namespace stallcast::server;

TEST_CASE("every route is found by its own path, and has a name of its own") {
  std::set<std::string_view> names;
  for (const Route& route : routes()) {
    std::string path(route.path);
    for (const std::string id : {"{id}", "{+id}"})
      if (const std::size_t at = path.find(id); at != path.npos) path.replace(at, id.size(), "abc");
    const Match found = match(route.method, path);
    CHECK(found.route == &route);
    CHECK((found.id == "abc") == (path != route.path));
    CHECK(names.insert(route.name).second);
    CHECK_FALSE(route.summary.empty());
    CHECK_FALSE(route.replies.empty());
  }
}

TEST_CASE("a path with another method says which it has, an unknown one nothing") {
  CHECK(match("PUT", "/v1/runs/abc").allowed == "GET, HEAD, DELETE");
  CHECK(match("GET", "/v1/runs/").allowed.empty());
  CHECK(match("GET", "/v1/runs/a/b").allowed.empty());
  CHECK(match("GET", "/v1/runs//result").allowed.empty());
  CHECK(match("GET", "/v1/catalog/").allowed.empty());
  CHECK(match("GET", "/v1/catalog/host/dgx-h100").id == "host/dgx-h100");
}

}  // namespace routes_test
