#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "stallcast/scenario.hpp"

namespace fio_job_test {

using namespace stallcast;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

// A scenario next to a fio job file, in a folder of their own.
class Folder {
 public:
  explicit Folder(const std::string& job, const std::string& tenant = "") {
    path_ = fs::temp_directory_path() / "stallcast-fio-job-test";
    fs::create_directories(path_);
    std::ofstream(path_ / "noise.fio") << job;
    std::ofstream(path_ / "scenario.json")
        << R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] },
               "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
               "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" } } ],
               "tenants": [ { "id": "noise", "type": "fio", "on": "scratch", "hosts": "gpu",
                              "job_file": "noise.fio" )" +
               tenant + " } ] }";
    loaded_ = Scenario::read({.file = (path_ / "scenario.json").string()});
  }
  ~Folder() { fs::remove_all(path_); }

  [[nodiscard]] const Scenario& loaded() const { return loaded_; }
  [[nodiscard]] const Component& tenant() const { return loaded_.design().tenants.at(0); }
  [[nodiscard]] std::string message() const {
    std::string out;
    for (const Diagnostic& d : loaded_.diagnostics().items())
      out += d.pointer + ": " + d.message + " (" + d.hint + ")\n";
    return out;
  }

 private:
  fs::path path_;
  Scenario loaded_ = Scenario::read({.text = "{}"});
};

constexpr const char* kJob =
    "# noise of a neighbour\n[global]\nioengine=libaio\ndirect=1\nbs=128k\n\n"
    "[mixed]\nrw=randrw\nrwmixread=70\nnumjobs=16\niodepth=32\nrate_iops=500\nrate=64m\n";

}  // namespace

TEST_CASE("a job file is found from the file that names it") {
  const Folder folder(kJob);
  const fs::path there = fs::path(folder.loaded().design().file);
  const auto read =
      Scenario::read({.file = (there.parent_path().parent_path() / "mine.json").string(),
                      .text = R"({ "extends": ")" + there.parent_path().filename().string() +
                              R"(/scenario.json" })"});
  REQUIRE(read.ok());
  CHECK(read.design().tenants.at(0).find("bs")->number == 131072.0);
}

TEST_CASE("a tenant takes the options of its fio job file") {
  const Folder folder(kJob);
  INFO(folder.message());
  REQUIRE(folder.loaded().ok());
  const Component& t = folder.tenant();
  CHECK(t.find("bs")->number == 131072.0);  // fio's k is 1024
  CHECK(t.find("rw")->text == "randrw");
  CHECK(t.find("rwmixread")->number == Approx(0.7));
  CHECK(t.find("numjobs")->number == 16.0);
  CHECK(t.find("iodepth")->number == 32.0);
  CHECK(t.find("direct")->number == 1.0);
  CHECK(t.find("rate")->number == 64.0 * 1048576.0);
  CHECK(t.find("rate_iops")->number == 500.0);
  CHECK_THAT(t.find("bs")->source.where, Contains("noise.fio:5"));
}

TEST_CASE("what the scenario says wins over the fio job file") {
  const Folder folder(kJob, R"(, "bs": "4 KiB")");
  REQUIRE(folder.loaded().ok());
  CHECK(folder.tenant().find("bs")->number == 4096.0);
}

TEST_CASE("what comes last in a fio job file holds, whichever name it has") {
  const auto bytes = [](const std::string& job) {
    const Folder folder(job);
    INFO(folder.message());
    REQUIRE(folder.loaded().ok());
    return folder.tenant().find("bs")->number;
  };
  CHECK(bytes("[global]\nbs=4k\n[a]\nblocksize=128k\n") == 131072);
  CHECK(bytes("[global]\nblocksize=128k\n[a]\nbs=4k\n") == 4096);
  CHECK(bytes("[a]\nbs=4k\nbs=8k\n") == 8192);
  const Folder mixed("[global]\nrwmixread=70\n[a]\nreadwrite=readwrite\nrwmixwrite=10\n");
  REQUIRE(mixed.loaded().ok());
  CHECK(mixed.tenant().find("rw")->text == "rw");
  CHECK(mixed.tenant().find("rwmixread")->number == Approx(0.9));
  CHECK(bytes("[global]\nbs=4k,64k\n[a]\nbs=8k\n") == 8192);
}

TEST_CASE("offsets of a pattern are cut with a warning, here as in an import") {
  const Folder folder("[a]\nrw=randread:8\nioengine=libaio\niodepth=32,\n");
  INFO(folder.message());
  REQUIRE(folder.loaded().ok());
  CHECK(folder.tenant().find("rw")->text == "randread");
  CHECK(folder.tenant().find("iodepth")->number == 32);
  CHECK_THAT(folder.message(), Contains("noise.fio:2: \"rw=randread:8\" is taken as randread"));
}

TEST_CASE("fio job files as fio takes them: comments behind options, suffixes, its defaults") {
  const Folder folder(
      "[global] ; all jobs\nioengine=libaio\nbs=64k, # blocks\n; a line\n[a]\nrate_iops=10k\n"
      "iodepth=32;deep\n");
  INFO(folder.message());
  REQUIRE(folder.loaded().ok());
  const Component& t = folder.tenant();
  CHECK(t.find("rw")->text == "read");
  CHECK(t.find("bs")->number == 65536);
  CHECK(t.find("rate_iops")->number == 10240);
  CHECK(t.find("iodepth")->number == 32);
  const std::string twice = "[a]\nrw=read\n[a]\nrw=write\n";
  CHECK_THAT(Folder(twice).message(), Contains("has 2 jobs"));
  CHECK_THAT(Folder(twice, R"(, "section": "a")").message(), Contains("has 2 jobs \"a\""));
}

TEST_CASE("an engine of fio that holds one request at a time has a depth of one, and says so") {
  // fio's manual: a depth above 1 does not affect synchronous engines, and psync is the default.
  const Folder folder("[a]\nrw=read\niodepth=32\n");
  REQUIRE(folder.loaded().ok());
  CHECK(folder.tenant().find("iodepth")->number == 1);
  CHECK_THAT(folder.message(), Contains("noise.fio:3: \"iodepth=32\" is 1 with ioengine psync"));
  const Folder said("[a]\nrw=read\niodepth=32\n", R"(, "iodepth": 8)");
  CHECK(said.tenant().find("iodepth")->number == 8);
  CHECK(said.message().empty());
}

TEST_CASE("a file of several fio jobs needs a choice") {
  const std::string two = std::string(kJob) + "[scan]\nrw=read\nbs=1m\n";
  const Folder open(two);
  CHECK_FALSE(open.loaded().ok());
  CHECK_THAT(open.message(), Contains("has 2 jobs") && Contains("mixed, scan"));
  const Folder chosen(two, R"(, "section": "scan")");
  REQUIRE(chosen.loaded().ok());
  CHECK(chosen.tenant().find("bs")->number == 1048576.0);
  const Folder wrong(two, R"(, "section": "scam")");
  CHECK_THAT(wrong.message(), Contains("no job \"scam\"") && Contains("scan"));
}

TEST_CASE("fio options that cannot be read or are not modelled are reported") {
  const Folder split("[a]\nbs=4k,64k\n");
  CHECK_FALSE(split.loaded().ok());
  CHECK_THAT(split.message(), Contains("noise.fio:2") && Contains("bs=4k,64k"));
  const Folder unknown("[a]\nrw=read\nzonemode=zbd\n");
  CHECK(unknown.loaded().ok());
  CHECK_THAT(unknown.message(), Contains("\"zonemode\" is not modelled"));
  const Folder pattern("[a]\nrw=trim\n");
  CHECK_FALSE(pattern.loaded().ok());
  const Folder empty("");
  CHECK_THAT(empty.message(), Contains("has no job"));
  const Folder missing(kJob, R"(, "x-": 0, "section": "mixed", "bs": "4 XB")");
  CHECK_FALSE(missing.loaded().ok());
}

TEST_CASE("sizes and rates of fio are binary unless they say otherwise") {
  const auto bytes = [](const std::string& bs) {
    const Folder folder("[a]\nrw=read\nbs=" + bs + "\n");
    INFO(folder.message());
    REQUIRE(folder.loaded().ok());
    return folder.tenant().find("bs")->number;
  };
  CHECK(bytes("4096") == 4096);
  CHECK(bytes("4096b") == 4096);
  CHECK(bytes("1.5K") == 1536);
  CHECK(bytes("64kb") == 65536);
  CHECK(bytes("64kib") == 64000);  // fio exchanges the two
  CHECK(bytes("1Mb") == 1048576);
  CHECK(bytes("1mib") == 1e6);
  CHECK(bytes("1M\nkb_base=1000") == 1e6);  // wherever it stands
  CHECK(bytes("1MiB\nkb_base=1000") == 1048576);
  CHECK(bytes("1M\nkb_base=1024") == 1048576);
  for (const char* bad : {"k", "4p", "4 x k", ""}) {
    INFO(bad);
    const Folder folder("[a]\nrw=read\nbs=" + std::string(bad) + "\n");
    CHECK_FALSE(folder.loaded().ok());
    CHECK_THAT(folder.message(), Contains("noise.fio:3: cannot read \"bs=" + std::string(bad) +
                                          "\" (one value for all directions"));
  }
}

TEST_CASE("numbers, shares and switches of fio that are none are reported with their line") {
  for (const char* option : {"numjobs=many", "numjobs=", "numjobs=.", "numjobs=1.2.3", "numjobs=-4",
                             "direct=yes", "rwmixread=half", "rate_iops=500,500", "rate=fast"}) {
    INFO(option);
    const Folder folder("[a]\n" + std::string(option) + "\n");
    CHECK_THAT(folder.message(), Contains("/tenants/0/job_file: ") &&
                                     Contains("noise.fio:2: cannot read \"" + std::string(option)));
  }
  // What is a number is held to the limits of the field.
  for (const char* option : {"numjobs=.5", "numjobs=123456789012"}) {
    INFO(option);
    CHECK_THAT(Folder("[a]\n" + std::string(option) + "\n").message(),
               Contains("/tenants/0/numjobs: \"numjobs\" "));
  }
  const auto direct = [](const std::string& line) {
    const Folder folder("; comment\n[a]\nrw=read\n" + line + "\n");
    INFO(folder.message());
    REQUIRE(folder.loaded().ok());
    return folder.tenant().find("direct")->number;
  };
  CHECK(direct("direct") == 1.0);
  CHECK(direct("direct=true") == 1.0);
  CHECK(direct("direct=0") == 0.0);
}

TEST_CASE("a fio job file that is not there, or may not be read, is an error") {
  const Folder folder(kJob, R"(, "x-": 0)");
  const auto said = [&](const std::string& file, bool files) {
    const std::string text =
        R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] },
             "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
             "run": { "duration": "1 min" },
             "tenants": [ { "id": "noise", "type": "fio", "on": "scratch", "hosts": "gpu",
                            "rw": "read", "job_file": )" +
        file + " } ] }";
    std::string out;
    const Scenario loaded = Scenario::read({.file = "s.json", .text = text, .extend_files = files});
    for (const Diagnostic& d : loaded.diagnostics().items())
      out += d.pointer + ": " + d.message + " | " + d.hint + "\n";
    return out;
  };
  CHECK(said("\"nowhere.fio\"", true) ==
        "/tenants/0/job_file: cannot read \"nowhere.fio\" | the path is relative to the "
        "folder of the file that names it\n");
  CHECK(said("\"/etc/passwd\"", false) ==
        "/tenants/0/job_file: files cannot be read here | write the options of the job into the "
        "tenant\n");
  CHECK(said("null", true) == "");
  CHECK_THAT(said("7", true), Contains("/tenants/0/job_file: \"job_file\" takes a text"));
}

TEST_CASE("bad values of tenants name their field") {
  const auto message = [](const std::string& fields) {
    const std::string text =
        R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] },
             "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
             "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" } } ],
             "tenants": [ { "id": "kv", )" +
        fields + " } ] }";
    std::string out;
    const Scenario loaded = Scenario::read({.file = "s.json", .text = text});
    for (const Diagnostic& d : loaded.diagnostics().items())
      out += d.pointer + ": " + d.message + "\n";
    return out;
  };
  const std::string kv =
      R"("type": "inference", "on": "scratch", "hosts": "gpu", "rate": "10 ops/s")";
  CHECK(message(kv).empty());
  CHECK_THAT(message(R"("type": "inference", "on": "scrach", "hosts": "gpu", "rate": "1 ops/s")"),
             Contains("/tenants/0/on: no storage system \"scrach\""));
  CHECK_THAT(message(R"("type": "inference", "on": "scratch", "hosts": "cpu", "rate": "1 ops/s")"),
             Contains("/tenants/0/hosts: no host class \"cpu\""));
  CHECK_THAT(message(kv + R"(, "burst": 20, "burst_share": "10 %")"),
             Contains("/tenants/0/burst:"));
  CHECK_THAT(message(kv + R"(, "share": 0)"), Contains("/tenants/0/share:"));
  CHECK_THAT(message(kv + R"(, "start": "5 s", "stop": "4 s")"), Contains("/tenants/0/stop:"));
  CHECK_THAT(message(R"("type": "ingest", "on": "scratch", "hosts": "gpu", "rate": "-1 GB/s")"),
             Contains("/tenants/0/rate:"));
}

}  // namespace fio_job_test
