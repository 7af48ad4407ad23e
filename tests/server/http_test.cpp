#include <catch2/catch.hpp>
#include <string>

#include "ui/server/load_http.hpp"

namespace http_test {

using namespace stallcast;
using namespace stallcast::server;

namespace {

/// What the handler is given for the bytes of a request.
Request read(const std::string& bytes) {
  const Result<MakeHttp> make = load_http();
  REQUIRE(make.ok());
  Request out;
  const auto http = make.value()(
      [&out](const Request& request) {
        out = request;
        return Response{.body = "{}"};
      },
      [](int status) { return Response{.status = status}; });
  (void)http->answer(bytes, "192.0.2.1");
  return out;
}

}  // namespace

TEST_CASE("a query keeps its order, its equal signs and its bytes") {
  const Request request =
      read("GET /a%20b?set=storage.ost.count=48&set=x%3D%31+2&&empty&bad=%zz HTTP/1.1\r\n\r\n");
  CHECK(request.path == "/a b");
  CHECK(request.parameters("set") == std::vector<std::string>{"storage.ost.count=48", "x=1 2"});
  CHECK(request.parameter("empty").empty());
  CHECK(request.parameter("bad") == "%zz");
}

TEST_CASE("a body is taken as it is, whatever it is said to be") {
  for (const char* type :
       {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x"}) {
    const Request request = read(std::string("POST /v1/lint HTTP/1.1\r\nContent-Type: ") + type +
                                 "\r\nContent-Length: 7\r\n\r\nset=a&b");
    CHECK(request.body == "set=a&b");
    CHECK(request.query.empty());
    CHECK(request.client == "192.0.2.1");
  }
}

TEST_CASE("what throws is answered, and the next request, too") {
  const Result<MakeHttp> make = load_http();
  REQUIRE(make.ok());
  const auto http = make.value()(
      [](const Request& request) -> Response {
        if (request.path == "/throw") throw 1;
        return {.body = "fine"};
      },
      [](int status) { return Response{.status = status, .body = "failed"}; });
  CHECK(http->answer("GET /throw HTTP/1.1\r\n\r\n", "").first.starts_with("HTTP/1.1 500"));
  CHECK(http->answer("GET / HTTP/1.1\r\n\r\n", "").first.ends_with("fine"));
  CHECK(http->answer("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "").second);
}

TEST_CASE("answers are not compressed") {
  const Result<MakeHttp> make = load_http();
  REQUIRE(make.ok());
  const auto http = make.value()([](const Request&) { return Response{.body = "plain"}; },
                                 [](int) { return Response{}; });
  CHECK(http->answer("GET / HTTP/1.1\r\nAccept-Encoding: gzip, br\r\n\r\n", "")
            .first.ends_with("plain"));
}

}  // namespace http_test
