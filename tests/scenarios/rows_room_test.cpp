#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "models/bounds/space.hpp"
#include "tests/scenarios/support.hpp"

/// What jobs in a row leave, by closed forms: docs/models/capacity.md, equations 2 and 4.
namespace rows_room_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

/// Jobs that save 1 TB every 10 min, but for `more`, one after the other.
std::string in_a_row(const std::vector<std::string>& more, const std::string& stages = "") {
  std::string jobs;
  for (std::size_t j = 0; j < more.size(); ++j)
    jobs += std::string(j > 0 ? ", " : "") + R"({ "id": "j)" + std::to_string(j) +
            R"(", "hosts": "gpu", "step": { "compute": "1 s" }, )" +
            (j > 0 ? R"("after": [ "j)" + std::to_string(j - 1) + "\" ], " : "") +
            R"("checkpoint": { "to": "store", "every": "10 min")" + more[j] + " }";
  return R"({ "id": "room", "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8 } ] },
    "storage": [ { "id": "store", "type": "lustre", "ost": { "count": 1, "capacity": "100 TB" } } ],
    )" + stages +
         "\"jobs\": [ " + jobs + " ] }";
}
models::Room room_of(const std::string& text) {
  const auto loaded = load_with({}, "", text.c_str());
  for (const Diagnostic& d : loaded.diagnostics().items()) INFO(d.message);
  REQUIRE(loaded.ok());
  return models::spaces(loaded.design()).at(0);
}

}  // namespace

TEST_CASE("of jobs in a row what the last has kept stays, and one save is the next") {
  const auto needed = [](const std::vector<std::string>& more) {
    return room_of(in_a_row(more)).needed().in(unit::TB);
  };
  const std::string one = R"(, "size": "1 TB", "keep": { "last": 2 } }, "steps": 10)",
                    large = R"(, "size": "9 TB", "keep": { "last": 1 } }, "steps": 10)",
                    all = R"(, "size": "1 TB" }, "steps": 10)";
  CHECK(needed({one}) == Approx(3.0));
  CHECK(needed({one, one}) == Approx(2.0 + 3.0));
  CHECK(needed({one, one, one}) == Approx(2.0 + 2.0 + 3.0));
  // A large one first: fullest before the other has saved anything.
  CHECK(needed({large, one}) == Approx(18.0));
  CHECK(needed({one, large}) == Approx(2.0 + 18.0));
  CHECK(needed({all, all}) == Approx(2.0));
}

TEST_CASE("what jobs in a row leave comes while each of them runs, and so row after row") {
  // 60,000 s leave 100 TB; then 120,000 s with half as many; both again.
  const std::string all = R"(, "size": "1 TB" }, "steps": 60000)",
                    few =
                        R"(, "size": "1 TB", "keep": { "last": 1, "every": 2 } }, "steps": 120000)";
  const auto full = [&](const char* osts, const std::vector<std::string>& more) {
    std::string text = in_a_row(more);
    text.replace(text.find("\"count\": 1"), 10, std::string("\"count\": ") + osts);
    const models::Room room = room_of(text);
    return std::pair(room.full_after()->in(unit::s), (room.usable - room.needed()).in(unit::TB));
  };
  const auto [first, left] = full("1", {all, few});
  CHECK(first == Approx(left * 600.0));
  const auto [second, more] = full("2", {all, few});
  CHECK(second == Approx(60000.0 + (more - 100.0) * 1200.0));
  const auto [third, most] = full("9", {all, few});
  CHECK(third == Approx(180000.0 + (most - 200.0) * 900.0));
  const auto [other, least] = full("1", {few, all});
  CHECK(other == Approx(least * 1200.0));
}

TEST_CASE("room that is full before the last of a row has ended is warned of") {
  // 80 TB are left: 48,000 s of the 80,000 s of both.
  const auto rows =
      load_with({}, "",
                in_a_row({R"(, "size": "1 TB" }, "run": { "steps": 4e4 }, "steps": 10)",
                          R"(, "size": "1 TB" }, "run": { "steps": 4e4 }, "steps": 10)"})
                    .c_str());
  REQUIRE(rows.ok());
  const auto said =
      std::find_if(rows.diagnostics().items().begin(), rows.diagnostics().items().end(),
                   [](const Diagnostic& d) { return d.code == "growth"; });
  REQUIRE(said != rows.diagnostics().items().end());
  CHECK(said->message.find("the whole run of \"j1\" ends at the earliest after 22 h 13 min") !=
        std::string::npos);
}

}  // namespace rows_room_test
