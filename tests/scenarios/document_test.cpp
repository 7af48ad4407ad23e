#include "scenarios/document/document.hpp"

#include <catch2/catch.hpp>

namespace document_test {

using namespace stallcast;
using namespace stallcast::scenarios;

namespace {

Tree tree_of(const char* text) { return {Json::parse(text), {}}; }

Json merged(const char* base, const char* patch) {
  Tree a = tree_of(base);
  merge(a, "", tree_of(patch), "");
  return a.root;
}

}  // namespace

TEST_CASE("objects merge key by key and scalars replace") {
  CHECK(merged(R"({"a": {"b": 1, "c": 2}})", R"({"a": {"c": 3, "d": 4}})") ==
        Json::parse(R"({"a": {"b": 1, "c": 3, "d": 4}})"));
}

TEST_CASE("null stays in the tree as a mark that the value is left out") {
  CHECK(merged(R"({"a": 1})", R"({"a": null})") == Json::parse(R"({"a": null})"));
}

TEST_CASE("lists whose items have ids merge by id, others are replaced") {
  CHECK(merged(R"({"x": [{"id": "p", "n": 1}, {"id": "q"}]})",
               R"({"x": [{"id": "q", "n": 2}, {"id": "r"}]})") ==
        Json::parse(R"({"x": [{"id": "p", "n": 1}, {"id": "q", "n": 2}, {"id": "r"}]})"));
  CHECK(merged(R"({"x": [1, 2, 3]})", R"({"x": [4]})") == Json::parse(R"({"x": [4]})"));
  CHECK(merged(R"({"x": [{"id": "p"}]})", R"({"x": [{"n": 1}]})") ==
        Json::parse(R"({"x": [{"n": 1}]})"));
}

TEST_CASE("one storage object and a list of storage merge") {
  CHECK(merged(R"({"storage": {"id": "s", "n": 1}})", R"({"storage": [{"id": "s", "n": 2}]})") ==
        Json::parse(R"({"storage": [{"id": "s", "n": 2}]})"));
  CHECK(merged(R"({"storage": [{"id": "s", "n": 1}]})", R"({"storage": {"n": 2}})") ==
        Json::parse(R"({"storage": [{"id": "s", "n": 2}]})"));
  CHECK(merged(R"({"storage": [{"id": "s"}]})", R"({"storage": {"id": "t"}})") ==
        Json::parse(R"({"storage": [{"id": "s"}, {"id": "t"}]})"));
}

TEST_CASE("what has no text for an id is merged as a whole") {
  const char* two = R"({"x": [{"id": "p"}, {"id": "q"}]})";
  for (const char* patch : {R"({"x": [7]})", R"({"x": [{"n": 1}]})", R"({"x": [{"id": 7}]})",
                            R"({"x": []})", R"({"x": {"id": "p"}})"})
    CHECK(merged(two, patch) == Json::parse(patch));
  CHECK(merged(R"({"x": []})", two) == Json::parse(two));
  CHECK(merged(R"({"x": {"id": "p"}})", two) == Json::parse(two));
  // Several storage systems are not changed by one without an id.
  const char* storage = R"({"storage": [{"id": "s"}, {"id": "t"}]})";
  CHECK(merged(storage, R"({"storage": {"n": 1}})") == Json::parse(R"({"storage": {"n": 1}})"));
  CHECK(merged(storage, R"({"storage": 7})") == Json::parse(R"({"storage": 7})"));
  CHECK(merged(R"({"storage": {"id": "s"}})", R"({"storage": [7]})") ==
        Json::parse(R"({"storage": [7]})"));
  CHECK(merged(R"({"storage": [7]})", R"({"storage": {"id": "s"}})") ==
        Json::parse(R"({"storage": {"id": "s"}})"));
}

TEST_CASE("numbers are whole where they are exactly that") {
  CHECK(number_node(4).is_number_integer());
  CHECK(number_node(-4).is_number_integer());
  CHECK(number_node(4.5).is_number_float());
  CHECK(number_node(1e17).is_number_float());
}

TEST_CASE("a merged node remembers which text it came from") {
  Tree base = tree_of(R"({"x": [{"id": "p"}, {"id": "q", "n": 1}]})");
  Tree patch = tree_of(R"({"x": [{"id": "q", "n": 2}]})");
  base.origins = {{"/x/1", {0, "/x/1"}}, {"/x/1/n", {0, "/x/1/n"}}};
  patch.origins = {{"/x/0", {1, "/x/0"}}, {"/x/0/n", {1, "/x/0/n"}}};
  merge(base, "", patch, "");
  CHECK(base.origins.at("/x/1").document == 0);
  CHECK(base.origins.at("/x/1/n").document == 1);
  CHECK(base.origins.at("/x/1/n").pointer == "/x/0/n");
}

TEST_CASE("pointers find escaped keys and list elements") {
  const Json root = Json::parse(R"({"a/b": [{"m~n": 7}]})");
  REQUIRE(find(root, "/a~1b/0/m~0n") != nullptr);
  CHECK(*find(root, "/a~1b/0/m~0n") == 7);
  CHECK(find(root, "/a~1b/1") == nullptr);
  CHECK(find(root, "/a~1b/x") == nullptr);
  for (const char* none : {"/a~1b/", "/a~1b/0123456789", "/a~1b/-1", "/a~1b/0/m~0n/x", "/b"})
    CHECK(find(root, none) == nullptr);
  CHECK(find(root, "") == &root);
  CHECK(parent("") == "");
  CHECK(parent("/a~1b/0") == "/a~1b");
  CHECK(parent("/a") == "");
}

}  // namespace document_test
