#include "engine/base/quantity_text.hpp"
#include "tests/scenarios/support.hpp"

namespace prices_test {

using namespace stallcast;
using testing::design_of;
using testing::load_text;
using testing::load_with;
using testing::only_fault;

TEST_CASE("a price may be a figure of the catalogue, with its source") {
  // 0.023 USD/GB and month are 23 USD for each TB.
  const Design design = design_of(load_with(
      {"storage.capacity.size=100 TB", "storage.capacity.rent=catalog:price/s3-standard#storage"}));
  const Value& rent = *design.storage[0].find("capacity.rent");
  CHECK(base::exact_quantity(rent.number, rent.dimension) == "23 USD/month");
  CHECK(rent.source.kind == Source::Kind::catalogue);
  CHECK(rent.source.where == "catalog:price/s3-standard#storage");
  CHECK_FALSE(rent.source.citation.empty());
}

TEST_CASE("a price of requests is that of 1,000, also in the catalogue") {
  const auto bucket = [](const std::string& figure) {
    return load_text(R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
  "storage": [ { "id": "bucket", "type": "s3",
                 "request": { "put": { "price": "catalog:price/s3-standard#)" +
                         figure + R"(" } } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
              "dataset": { "on": "bucket", "format": "raw", "sample": "1 MB", "samples": 1000 },
              "loader": { "workers": 4 } } ]
})",
                     "test.json");
  };
  const Value price = *design_of(bucket("PUT per 1000")).storage[0].find("request.put.price");
  CHECK(price.number == Approx(0.005));
  CHECK(price.source.kind == Source::Kind::catalogue);
  CHECK(only_fault(bucket("storage"))
            .find("which \"request.put.price\" (a price of 1,000 requests) cannot take") !=
        std::string::npos);
  // What 1,000 requests cost is no price of an OST.
  CHECK(only_fault(load_with({"storage.ost.price=catalog:price/s3-standard#PUT per 1000"}))
            .find("cannot take") != std::string::npos);
}

TEST_CASE("of a range of prices the middle is taken and said to be it") {
  const Design design = design_of(load_with({"cluster.hosts.gpu.gpu.rent=catalog:price/h100"}));
  const Value& rent = *design.hosts[0].find("gpu.rent");
  CHECK(base::exact_quantity(rent.number, rent.dimension) == "3 USD/h");  // (2 + 4) / 2
  CHECK(rent.source.citation.starts_with("middle of 2-4 USD/h"));
  CHECK(rent.source.assumption);
}

TEST_CASE("a figure that is not a price of that thing is a fault") {
  CHECK(only_fault(
            load_with({"storage.capacity.size=1 TB", "storage.capacity.rent=catalog:price/h100"}))
            .starts_with("price \"price/h100\" is 2-4 USD/h, which \"capacity.rent\" (a price per "
                         "time of 1 TB) cannot take"));
  CHECK(only_fault(load_with({"cluster.hosts.gpu.gpu.rent=catalog:price/h1000"}))
            .starts_with("price no figure \"price/h1000\" in the catalogue"));
  // One of several has to be named.
  CHECK(only_fault(load_with({"cluster.hosts.gpu.gpu.rent=catalog:price/gpu-hour"}))
            .starts_with("price no figure \"price/gpu-hour\""));
}

TEST_CASE("a price of one needs to know how many there are") {
  CHECK(only_fault(load_with({"storage.oss.price=20 kUSD"})) ==
        "rule \"oss.price\" of \"scratch\" is that of one, but there is no \"oss.count\" | add "
        "\"oss.count\"");
  CHECK(only_fault(load_with({"storage.capacity.rent=23 USD/month"})) ==
        "rule \"capacity.rent\" of \"scratch\" is that of one TB, but there is no "
        "\"capacity.size\" | add \"capacity.size\"");
}

TEST_CASE("a life is there where something is bought, and nowhere else") {
  CHECK(design_of(load_with({})).storage[0].find("life") == nullptr);
  CHECK(design_of(load_with({"storage.rent=3 USD/h"})).storage[0].find("life") == nullptr);
  const Design design = design_of(load_with({"storage.ost.price=20 kUSD"}));
  const Value& life = *design.storage[0].find("life");
  CHECK(life.number == 1461.0 * 86400.0);  // 4 years of 365.25 days
  CHECK(life.source.assumption);
  CHECK(design.hosts[0].find("life") == nullptr);
}

}  // namespace prices_test
