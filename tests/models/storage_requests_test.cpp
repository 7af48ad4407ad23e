#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

/// What requests to any storage system have in common.
namespace storage_requests_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

using Fields = std::vector<std::pair<const char*, const char*>>;

const std::vector<std::pair<const char*, Fields>> kSystems = {
    {"beegfs", {{"target.count", "8"}}},
    {"cephfs", {{"osd.count", "32"}, {"server.count", "8"}}},
    {"chunkstore", {{"node.count", "8"}}},
    {"cxl", {{"device.count", "2"}}},
    {"daos", {{"server.count", "4"}}},
    {"gpfs", {{"server.count", "4"}}},
    {"hdfs", {{"datanode.count", "8"}}},
    {"local", {{"drive.count", "2"}}},
    {"lustre", {{"ost.count", "8"}}},
    {"nfs", {{"head.count", "2"}}},
    {"nvmeof", {{"target.count", "4"}, {"drive.count", "2"}}},
    {"s3", {{"first_byte_spread", "1"}}},
    {"san", {{"port.count", "4"}}},
    {"weka", {{"backend.count", "8"}}}};

}  // namespace

TEST_CASE("files of one request take as long as one file after the other") {
  for (const auto& [kind, fields] : kSystems)
    for (const bool direct : {false, true})
      for (const Bytes each : {100_KiB, 3_MiB, 200_MiB}) {
        INFO(kind << (direct ? " direct " : " ") << each.in(unit::MiB) << " MiB");
        Design design = design_with_storage(kind, fields);
        if (design.storage[0].find("client.stream") !=
            nullptr)  // the system limits, not its client
          set(design.storage[0], models::Role::storage, "client.stream", "1000 GB/s");
        const auto served = [&](double files) {
          return serve(design, {.bytes = each * files, .files = files, .direct = direct},
                       {.bytes = each * files, .files = files, .direct = direct});
        };
        const Timed one = served(1.0), many = served(5.0);
        CHECK(many.open.in(unit::s) == Approx(5.0 * one.open.in(unit::s)).epsilon(1e-9));
        CHECK(many.read.in(unit::s) == Approx(5.0 * one.read.in(unit::s)).epsilon(1e-9));
        CHECK(many.write.in(unit::s) == Approx(5.0 * one.write.in(unit::s)).epsilon(1e-9));
      }
}

}  // namespace storage_requests_test
