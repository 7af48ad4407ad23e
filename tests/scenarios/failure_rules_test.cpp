#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

/// What is said of failures, of jobs that recover from them, and of GPUs that are lent.
namespace failure_rules_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

/// One job of 32 GPUs that saves every minute to a Lustre of one server, "others" beside it where
/// something names them.
struct Text {
  std::string failures;  ///< what is in the list
  std::string job = R"("checkpoint": { "to": "scratch", "every": "1 min", "size": "1 TB" },)";
  std::string run = R"("duration": "1 h")";
  std::string storage = R"({ "id": "scratch", "type": "lustre", "ost": { "count": 8 },
                             "oss": { "count": 1 } })";
  bool others = false;  ///< whether they are there in any case
};

/// The only remark, without its hint; "" when there is none.
std::string remark(const Text& text) {
  const bool named =
      text.others || (text.failures + text.job).find("\"others\"") != std::string::npos;
  const std::string whole = R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 4 })" +
                            std::string(named ? R"(, { "id": "others", "count": 2 })" : "") +
                            R"( ] },
           "storage": [ )" + text.storage +
                            R"( ], "jobs": [ { )" + text.job +
                            R"( "id": "train", "hosts": "gpu", "step": { "compute": "1 s" } } ],
           "failures": [ )" +
                            text.failures + R"( ], "run": { )" + text.run + " } }";
  const auto loaded = load_with({}, "", whole.c_str());
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics().items())
    out += (out.empty() ? "" : "; ") + d.pointer + " " + d.message;
  return out;
}

const std::string kNever = R"({ "type": "host", "mtbf": "1000 h", "hosts": "gpu" })";

}  // namespace

TEST_CASE("a failure comes before the run ends, and the job back too") {
  const auto at = [](const std::string& date, const std::string& type = "host") {
    return remark({R"({ "id": "loss", "type": ")" + type + R"(", "hosts": "gpu", "at": ")" + date +
                   R"(" })"});
  };
  CHECK(at("10 min") == "");
  CHECK(at("2 h") == "/failures/0/at the run ends before this failure");
  CHECK_THAT(at("3599 s"),
             Catch::StartsWith("/run/duration the run ends before job \"train\" is back from "
                               "failure \"loss\", which takes until "));
  // A process needs no other host.
  CHECK_THAT(at("3599 s", "process"), Catch::Contains("is back from failure \"loss\""));
  const Text fault{R"({ "id": "oss", "type": "storage", "on": "scratch", "part": "target",
                        "at": "2 h" })"};
  CHECK(remark(fault) == "/failures/0/at the run ends before this failure");
}

TEST_CASE("what spares and repairs are for is there") {
  const auto with = [](const std::string& failure, const std::string& recovery) {
    return remark(
        {.failures = failure, .job = R"("recovery": { )" + recovery + " }," + Text{}.job});
  };
  const std::string process = R"({ "type": "process", "mtbf": "1000 h", "hosts": "gpu" })";
  const std::string slow =
      R"({ "type": "host", "mtbf": "1000 h", "hosts": "gpu", "repair": "5 d" })";
  CHECK(
      with(process, R"("spares": 2)") ==
      "/jobs/0/recovery/spares no failure takes a host of job \"train\": its spares are paid for, "
      "and stand by for nothing");
  CHECK(with(kNever, R"("spares": 2)") == "");
  CHECK(with(process, R"("spares": 0)") == "");
  CHECK(
      with(slow, R"("detect": "1 min")") ==
      "/failures/0/repair how long a repair takes changes nothing: without \"spares\" another host "
      "is always there");
  CHECK(with(slow, R"("spares": 0)") == "");
  const std::string alone = R"({ "type": "host", "mtbf": "1000 h", "hosts": "gpu", "group": 1)";
  CHECK(with(alone + R"(, "correlated": "50 %" })", R"("spares": 1)") ==
        "/failures/0/correlated one host is lost with a \"group\" of 1, correlated or not");
  CHECK(with(alone + " }", R"("spares": 1)") == "");
}

TEST_CASE("a part that fails has others beside it") {
  const auto part = [](const std::string& part, const std::string& storage = Text{}.storage) {
    return remark({.failures = R"({ "id": "fault", "type": "storage", "on": "scratch",
                                    "at": "1 min", "part": ")" +
                               part + R"(" })",
                   .storage = storage});
  };
  CHECK(part("target") == "");
  CHECK(part("server") ==
        "/failures/0/part the only server of storage \"scratch\" has no other server to take over");
  const std::string drives =
      R"({ "id": "scratch", "type": "nvmeof", "drive": { "count": 2 }, "target": { "count": 4 },
           "raid": { "level": "0" } })";
  CHECK(part("server", drives) ==
        "/failures/0/part storage \"scratch\" has no second copy of what lies on the server that "
        "fails");
  CHECK(part("target", R"({ "id": "scratch", "type": "cxl", "device": { "count": 4 } })") ==
        "/failures/0/part storage \"scratch\" has no second copy of what lies on the target that "
        "fails");
  CHECK(part("server", R"({ "id": "scratch", "type": "s3" })") ==
        "/failures/0/part storage \"scratch\" of type \"s3\" has no server that fails by itself");
}

TEST_CASE("what lies once is lost with a target or server, not with a metadata server") {
  const auto fails = [](const std::string& part, const std::string& storage) {
    return remark({.failures = R"({ "id": "fault", "type": "storage", "on": "scratch",
                                    "at": "1 min", "part": ")" +
                               part + R"(" })",
                   .storage = R"({ "id": "scratch", )" + storage + " }"});
  };
  const std::string lost =
      "/failures/0/part storage \"scratch\" has no second copy of what lies on the server that "
      "fails";
  const std::string hdfs = R"("type": "hdfs", "datanode": { "count": 8 })";
  CHECK(fails("server", hdfs) == "");
  CHECK(fails("server", hdfs + R"(, "replicas": 1)") == lost);
  CHECK(fails("metadata", hdfs + R"(, "replicas": 1)") == "");
  CHECK(fails("service", hdfs + R"(, "replicas": 1)") == "");
  const std::string weka = R"("type": "weka", "backend": { "count": 8 })";
  CHECK(fails("server", weka) == "");
  CHECK(fails("server", weka + R"(, "stripe": { "data": 4, "parity": 0 })") == lost);
  const std::string daos = R"("type": "daos", "server": { "count": 8 })";
  CHECK(fails("server", daos) == "");
  CHECK(fails("server", daos + R"(, "object": { "parity": 0 })") == lost);
  // Copies do not count where a code is given, nor parity where none is.
  for (const std::string& kind :
       {std::string(R"("type": "cephfs", "osd": { "count": 80 }, "server": { "count": 8 })"),
        std::string(R"("type": "chunkstore", "node": { "count": 8 })")}) {
    CHECK(fails("server", kind) == "");
    CHECK(fails("server", kind + R"(, "replicas": 1)") == lost);
    CHECK(fails("server", kind + R"(, "replicas": 1, "code": { "data": 4, "parity": 2 })") ==
          R"(/storage/0/replicas "replicas" has no effect unless "code.data" is 0)");
    CHECK(fails("server", kind + R"(, "code": { "data": 4, "parity": 0 })") == lost);
  }
}

TEST_CASE("a recovery is from something, and to something") {
  const std::string recovery = R"("recovery": { "detect": "1 min" },)";
  CHECK(remark({.failures = "", .job = recovery}) ==
        "/jobs/0/recovery job \"train\" has a recovery, but nothing fails");
  // Failures that were taken out leave a job without a recovery of its own.
  CHECK(remark({.failures = ""}) == "");
  CHECK(remark({.failures = kNever, .job = recovery}) ==
        "/jobs/0 job \"train\" never saves: every failure loses all its work");
  CHECK_THAT(remark({.failures = kNever, .run = R"("duration": "30 s")"}),
             Catch::EndsWith("/run/duration no save falls into the 30 s that are simulated in "
                             "detail, so what failures cost is unknown"));
  // The run ends when the first is due, or before so many steps.
  const auto saves = [](const std::string& interval) {
    return remark(
        {.failures = kNever,
         .job = R"("checkpoint": { "to": "scratch", "size": "1 TB", )" + interval + " },"});
  };
  const std::string none = "/run/duration no save falls into the 1 h";
  CHECK_THAT(saves(R"("every": "1 h")"), Catch::Contains(none));
  CHECK_THAT(saves(R"("every_steps": 3600)"), Catch::Contains(none));
  CHECK(saves(R"("every_steps": 3599)") == "");
}

TEST_CASE("months are predicted from a run without failures") {
  const std::string dated = R"({ "id": "loss", "type": "host", "hosts": "gpu", "at": "10 min" })";
  CHECK_THAT(remark({kNever + ", " + dated}), Catch::Contains("at random: months are predicted"));
  const Text lends{.failures = dated, .job = Text{}.job + R"("elastic": { "gpus": 8 },)"};
  CHECK_THAT(remark(lends), Catch::Contains("job \"train\" lends GPUs by a schedule, which is"));
}

TEST_CASE("a fault in a job is told where it also has a recovery of its own") {
  CHECK_THAT(remark({.failures = kNever, .job = R"("barrier": { "base": { "value": "40 us" } },
                               "recovery": { "horizon": "30 d" },)"}),
             Catch::Contains("/jobs/0/barrier/base \"barrier.base\" has a range without \"low\""));
}

TEST_CASE("who lends GPUs saves before, and keeps some") {
  const auto lends = [](const std::string& fields, const std::string& job = Text{}.job) {
    return remark({.failures = "", .job = job + R"("elastic": { )" + fields + " },"});
  };
  CHECK(lends(R"("gpus": 8)") == "");
  CHECK(lends(R"("gpus": 8)", "") ==
        "/jobs/0/elastic job \"train\" lends GPUs, and saves nothing to go on from");
  CHECK(lends(R"("gpus": 32)") ==
        "/jobs/0/elastic/gpus no GPU trains: all 32 GPUs of job \"train\" are lent");
  CHECK(lends(R"("gpus": 8, "period": "24 h", "busy": "24 h")") ==
        "/jobs/0/elastic/busy inference never gives the GPUs back: \"busy\" is all of \"period\"");
  CHECK_THAT(lends(R"("gpus": 8, "period": "24 h", "busy": "1 s")"),
             Catch::StartsWith("/jobs/0/elastic/busy a restart takes "));
  CHECK_THAT(lends(R"("gpus": 8, "period": "86401 s", "busy": "24 h")"),
             Catch::StartsWith("/jobs/0/elastic/period a restart takes "));
}

TEST_CASE("a horizon beside a whole run, which its histories follow, is warned of") {
  const auto over = [](const std::string& horizon, const std::string& run) {
    return remark({.failures = R"({ "id": "sw", "type": "process", "mtbf": "1 d" })",
                   .job = R"("checkpoint": { "to": "scratch", "every": "1 min", "size": "1 TB" },
                             "recovery": { )" +
                          horizon + R"( }, )" + run});
  };
  const std::string days = R"("horizon": "5 d")", run = R"("run": { "steps": 1000 },)";
  CHECK(over(days, "") == "");
  CHECK(over("", run) == "");
  CHECK(over(R"("horizon": "30 d")", run) == "");
  CHECK_THAT(over(days, run),
             Catch::StartsWith("/jobs/0/recovery/horizon job \"train\" has a whole run, "));
}

TEST_CASE("failures of what a job saves to memory of hosts take the copies along") {
  const auto saves_to = [](const std::string& to, const std::string& failure) {
    return remark({.failures = failure,
                   .job = R"("checkpoint": { "to": ")" + to +
                          R"(", "every": "1 min", "size": "1 TB", "mode": "async" },)"});
  };
  const std::string loses = "takes all copies of job \"train\" with it: all its work is lost";
  const std::string host = R"({ "id": "loss", "type": "host", "mtbf": "1000 h", "hosts": "gpu")";
  CHECK(saves_to("host-memory", host + " }") == "/jobs/0/checkpoint/to failure \"loss\" " + loses);
  // Those of other hosts are there still, unless the failure takes a whole group.
  CHECK(saves_to("peer-memory", host + R"(, "correlated": "0 %" })") == "");
  CHECK(saves_to("peer-memory", host + R"(, "correlated": "10 %" })") ==
        "/jobs/0/checkpoint/to in 10 % of the cases failure \"loss\" takes a group of hosts, and "
        "all copies of job \"train\" with it: all its work is lost");
  CHECK(saves_to("host-memory", R"({ "type": "process", "mtbf": "1000 h", "hosts": "gpu" })") ==
        "");
  CHECK(saves_to("host-memory",
                 R"({ "type": "storage", "on": "scratch", "part": "target", "at": "1 min" })") ==
        "");
  CHECK_THAT(saves_to("host-memory", R"({ "type": "host", "mtbf": "1000 h", "hosts": "others" })"),
             Catch::Contains("its failures hit nothing") && !Catch::Contains(loses));
}

TEST_CASE("failures without a job to stop are remarked on") {
  const std::string text = R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
    "tenants": [ { "id": "in", "type": "ingest", "on": "scratch", "hosts": "gpu",
                   "rate": "1 GB/s" } ],
    "failures": [ { "id": "loss", "type": "host", "mtbf": "1000 h" } ],
    "run": { "duration": "1 h" } })";
  CHECK(remarks(load_with({}, "", text.c_str()).diagnostics()) ==
        "6:19 rule /failures/0 failure \"loss\" stops jobs, and there is none: tenants go on | "
        "remove it, or let a storage system fail: \"type\": \"storage\"\n");
}

TEST_CASE("failures hit a job that there is") {
  CHECK(remark({R"({ "id": "loss", "type": "host", "mtbf": "1000 h", "hosts": "others" })"}) ==
        "/failures/0/hosts no job runs on \"others\", so its failures hit nothing");
  CHECK_THAT(
      remark({R"({ "type": "process", "mtbf": "1000 h", "hosts": "gpu", "per": "worker" })"}),
      Catch::Contains("no job that it hits has loader processes that could fail"));
  CHECK(
      remark({.failures = R"({ "id": "loss", "type": "host", "at": "10 min" })", .others = true}) ==
      "/failures/0 failure \"loss\" has a date and does not say where it comes");
}

TEST_CASE("an outage at a date comes back in months of other failures") {
  const std::string out = R"({ "id": "out", "type": "storage", "on": "scratch", "part": "target",
                               "at": "10 min" })";
  CHECK(remark({out}) == "");
  CHECK_THAT(remark({kNever + ", " + out}),
             Catch::Contains("/failures/1/at what \"out\" does to steps and saves of the run "
                             "counts as often in the months"));
}

TEST_CASE("cache servers fail as a whole, since what one held would be gone") {
  const auto fails = [](const std::string& part) {
    return remark({R"({ "id": "out", "type": "storage", "on": "front", "part": ")" + part +
                       R"(", "at": "10 min" })",
                   Text{}.job, Text{}.run,
                   Text{}.storage + R"(, { "id": "front", "type": "cache", "over": "scratch",
                                           "server": { "count": 3, "size": "1 TB" } })"});
  };
  for (const char* part : {"target", "server", "metadata"})
    CHECK_THAT(fails(part),
               Catch::StartsWith("/failures/0/part storage \"front\" of type \"cache\" "
                                 "fails as a whole: what a server of it holds"));
  CHECK_THAT(fails("service"), !Catch::Contains("as a whole"));
}

}  // namespace failure_rules_test
