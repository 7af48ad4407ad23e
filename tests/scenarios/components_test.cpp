#include <algorithm>
#include <catch2/catch.hpp>

#include "scenarios/resolve/print_resolved.hpp"
#include "tests/scenarios/support.hpp"

/// How components and their values are read: kinds, products, measured profiles, and what is said
/// of values that are none.
namespace components_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string set(std::vector<std::string> options) {
  return remarks(load_with(std::move(options)).diagnostics());
}

std::string said(const std::string& text) {
  return remarks(load_with({}, "", text.c_str()).diagnostics());
}

CalibrationProfile profile() {
  CalibrationProfile out;
  out.id = "lab";
  ProfileValue read;
  read.role = "storage";
  read.kind = "lustre";
  read.field = "ost.write";
  read.dimension = Dimension::rate;
  read.value = 3e9;
  read.low = 2e9;
  read.high = 4e9;
  read.fit = "io.write";
  ProfileValue exact = read;
  exact.field = "ost.read";  // the scenario says it
  ProfileValue other = read;
  other.kind = "beegfs";
  other.value = 1.0;
  ProfileValue law = read;
  law.field = "mdt.count";
  law.dimension = Dimension::count;
  law.value = law.low = law.high = 3;
  out.values = {read, exact, other, law};
  return out;
}

/// What observed runs say of reads: a factor of what is stated.
NarrowedInput reading_factor() {
  NarrowedInput out;
  out.role = "storage";
  out.field = "ost.read";
  out.scales = true;
  out.value = 0.9;
  out.low = 0.8;
  out.high = 1.0;
  return out;
}

Scenario with_profile(const CalibrationProfile& profile, std::vector<std::string> sets = {}) {
  return Scenario::read({.file = "test.json", .text = kScenario, .sets = std::move(sets)},
                        &profile);
}

}  // namespace

TEST_CASE("what was measured goes before defaults, and what the scenario says before both") {
  const CalibrationProfile lab = profile();
  const Component storage = design_of(with_profile(lab)).storage[0];
  const Value& write = *storage.find("ost.write");
  CHECK(write.number == 3e9);
  CHECK(write.source.kind == Source::Kind::profile);
  CHECK(write.source.where == "profile:lab");
  CHECK(write.source.citation == "fit io.write");
  REQUIRE(write.range);
  CHECK(write.range->low == 2e9);
  CHECK(storage.find("ost.read")->number == 4e9);
  CHECK(storage.find("ost.read")->source.kind == Source::Kind::scenario);
  // An interval of no width says that it is exact.
  CHECK(storage.find("mdt.count")->number == 3);
  CHECK_FALSE(storage.find("mdt.count")->range);
  // What a fit says of a value is not printed as the user's own words.
  const std::string text = scenarios::print_resolved(design_of(with_profile(lab)), true);
  CHECK_THAT(text, Contains("\"write\": \"3 GB/s\",  // profile:lab: fit io.write"));
}

TEST_CASE("observed runs narrow what is not exact") {
  CalibrationProfile lab = profile();
  NarrowedInput factor = reading_factor();
  NarrowedInput absolute = factor;
  absolute.field = "ost.write";
  absolute.scales = false;
  absolute.value = 2.5e9;
  absolute.low = 2.4e9;
  absolute.high = 2.6e9;
  NarrowedInput elsewhere = absolute;
  elsewhere.component = "other";
  elsewhere.value = 1.0;
  NarrowedInput none = absolute;
  none.field = "no.such";
  lab.narrowed = {factor, absolute, elsewhere, none};

  const Component exact = design_of(with_profile(lab)).storage[0];
  CHECK(exact.find("ost.read")->number == 4e9);  // said without a range
  CHECK(exact.find("ost.write")->number == 2.5e9);
  CHECK(exact.find("ost.write")->range->high == 2.6e9);
  CHECK(exact.find("ost.write")->source.citation == "observed runs");
  const Component rough =
      design_of(with_profile(lab, {"storage.ost.read=4 GB/s +- 50 %"})).storage[0];
  CHECK(rough.find("ost.read")->number == Approx(3.6e9));
  CHECK(rough.find("ost.read")->range->low == Approx(3.2e9));
  CHECK(rough.find("ost.read")->range->why == "observed runs");

  // What is left of a range is printed as one, in the unit that the field is usually written in.
  lab.narrowed[1].value = 2.734228264519135 * 1073741824.0;
  const std::string text = scenarios::print_resolved(
      design_of(with_profile(lab, {"storage.ost.read=4 GB/s +- 50 %"})), false);
  CHECK_THAT(text,
             Contains(R"("read": { "value": "3.6 GB/s", "low": "3.2 GB/s", "high": "4 GB/s", )"
                      R"("why": "observed runs" })"));
  CHECK_THAT(text, Contains(R"("write": { "value": "2.9358)") &&
                       Contains(R"( GB/s", "low": "2.4 GB/s", "high": "2.6 GB/s", )"));
}

TEST_CASE("a range stated since goes before observed runs") {
  CalibrationProfile lab = profile();
  NarrowedInput factor = reading_factor();
  factor.said = 4e9;
  factor.said_low = 2e9;
  factor.said_high = 6e9;
  NarrowedInput share;
  share.role = "storage";
  share.field = "capacity.fill";
  share.value = 0.7;
  share.low = 0.68;
  share.high = 0.72;
  const std::string filled = "storage.capacity.fill=80 % +- 5 %";
  const Value before =
      *design_of(with_profile(profile(), {filled})).storage[0].find("capacity.fill");
  share.said = before.number;
  share.said_low = before.range->low;
  share.said_high = before.range->high;
  lab.narrowed = {factor, share};
  const auto read = [&](const char* range) {
    return *design_of(with_profile(lab, {std::string("storage.ost.read=") + range}))
                .storage[0]
                .find("ost.read");
  };
  // As it was calibrated, or the same share of another value.
  CHECK(read("4 GB/s +- 50 %").number == Approx(3.6e9));
  CHECK(read("6 GB/s +- 50 %").number == Approx(5.4e9));
  CHECK(read("2711.23 MB/s +- 1355.6 MB/s").number == Approx(0.9 * 2711.23e6));
  const Value kept = read("4 GB/s +- 10 %");
  CHECK(kept.number == 4e9);
  CHECK(kept.range->high == Approx(4.4e9));
  const auto fill = [&](const std::string& text) {
    return design_of(with_profile(lab, {text})).storage[0].find("capacity.fill")->number;
  };
  CHECK(fill(filled) == 0.7);
  CHECK(fill("storage.capacity.fill=81 % +- 5 %") == 0.81);
  CHECK(fill("storage.capacity.fill=80 % +- 4 %") == 0.8);
}

TEST_CASE("a kind and a product agree") {
  CHECK_THAT(set({"storage.use=storage/s3-standard"}),
             Contains("kind /storage/0/type \"storage/s3-standard\" is of type \"s3\", not "
                      "\"lustre\" | remove \"type\" or \"use\""));
  CHECK_THAT(
      set({"jobs.use=host/dgx-h100"}),
      Contains("product /jobs/0/use \"host/dgx-h100\" is a host, and job \"train\" is a job"));
  CHECK_THAT(set({"run.use=fast"}), Contains("| the catalogue has no run"));
  CHECK_THAT(set({"storage.use=7"}), Contains("type /storage/0/use \"use\" takes a text"));
  CHECK(set({"storage.use=null"}) == "");
  // Without a kind or a product there is nothing to read.
  CHECK_THAT(
      set({"storage.type=null"}),
      Contains("missing /storage/0 storage \"scratch\" has no \"type\" | add \"type\": one"));
  CHECK_THAT(set({"storage.type=7"}), Contains("type /storage/0/type \"type\" takes a text"));
}

TEST_CASE("a key of another kind is unknown, and null leaves it out") {
  CHECK(set({"storage.osd=null"}) == "");
  CHECK_THAT(set({"storage.osds=null"}), Contains("unknown key \"osds\""));
  CHECK_THAT(set({"storage.osd={\"count\": 4}"}), Contains("unknown key \"osd\""));
  CHECK_THAT(set({"storage.ost=4"}),
             Contains("type /storage/0/ost \"ost\" is an object, not a number | its keys are "));
  // Null takes back all that is below it.
  CHECK_THAT(set({"storage.ost=null"}),
             Contains("missing /storage/0/ost storage \"scratch\" has no \"ost.count\"") &&
                 Contains("add it, for example \"ost\": { \"count\": 8 }"));
  // The right key under a name that is nearly it is not missed besides.
  CHECK_THAT(set({"storage.ost.count=null", "storage.ost.cuont=8"}),
             Contains("unknown key \"cuont\"") && !Contains("has no \"ost.count\""));
  CHECK_THAT(said(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": { "id": "scratch", "type": "lustre", "ots": { "count": 8 } },
    "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ] })"),
             Contains("unknown key \"ots\"") && !Contains("has no \"ost.count\""));
}

TEST_CASE("what is required is asked for with an example of its sort") {
  CHECK_THAT(said("{}"), Contains(R"(add "cluster": { "hosts": [ { "id": ... } ] })"));
  CHECK_THAT(said(R"({ "cluster": {} })"), Contains(R"(| add "hosts": [ { "id": ... } ])"));
  CHECK_THAT(set({"jobs.step.compute=null"}),
             Contains("missing /jobs/0/step") && Contains("add it, for example \"compute\": \""));
  CHECK_THAT(set({"jobs.hosts=null"}), Contains("add it, for example \"hosts\": \"...\""));
}

TEST_CASE("values of the wrong type or unit say what is taken, and how it is written") {
  CHECK_THAT(set({"jobs.dataset.on=7"}),
             Contains("\"on\" takes a text, not a number | write \"7\""));
  CHECK_THAT(set({"jobs.dataset.on={}"}), Contains("\"on\" takes a text, not an object | \n"));
  CHECK_THAT(set({"jobs.dataset.direct=1"}),
             Contains("\"direct\" takes true or false, not a number"));
  CHECK_THAT(set({"jobs.loader.workers=[4]"}),
             Contains("takes a whole number, not a list | write 64"));
  CHECK_THAT(set({"storage.ost.read=true"}), Contains("not true or false | write \""));
  CHECK_THAT(set({"jobs.loader.workers=1.5"}),
             Contains("is a whole number, not 1.5 | write 2, or use ceil(...)"));
  // A bare number may have been meant in several units.
  CHECK_THAT(set({"jobs.step.compute=60"}), Contains("| write \"60 s\" or \"60 ms\""));
  CHECK_THAT(set({R"(jobs.step.compute="60")"}), Contains("| write \"60 s\" or \"60 ms\""));
  CHECK_THAT(set({"cluster.hosts.nic.rate=200"}), Contains("| write \"200 Gb/s\""));
  CHECK_THAT(set({R"(cluster.hosts.nic.rate="200")"}), Contains("| write \"200 Gb/s\""));
  CHECK_THAT(set({R"(cluster.hosts.nic.rate="200 G")"}),
             Contains("| write \"200 GB/s\" or \"200 GiB/s\""));
  CHECK_THAT(set({"storage.ost.read=4e9"}),
             Contains("| did you mean \"4 GB/s\"?") || Contains("| write \"4 GB/s\""));
  CHECK_THAT(set({"storage.ost.read=4"}), Contains("| write \"4 GB/s\""));
  CHECK_THAT(set({"jobs.after=soon"}),
             Contains("takes a list of texts, not a text | write [\"soon\"]"));
  CHECK_THAT(set({"jobs.after=7"}), Contains("takes a list of texts, not a number | \n"));
  CHECK_THAT(set({"jobs.after=[7]"}),
             Contains("/jobs/0/after/0 \"after\" takes texts, not a number"));
}

TEST_CASE("values outside their limits say the limits and what the value is") {
  CHECK_THAT(set({"jobs.loader.workers=-1"}),
             Contains("\"workers\" must be at least 0 and at most 4096, not -1 | "
                      "write a value that is at least 0 and at most 4096: worker proc"));
  // Far too large is told about the upper limit alone, which is the field's own where it has one.
  CHECK_THAT(set({"cluster.hosts.count=1e17"}), Contains("must be at most 10000000, not 1e+17"));
  CHECK_THAT(set({"storage.ost.read=0 GB/s"}),
             Contains("\"ost.read\" must be above 0 B/s, not 0 B/s"));
  CHECK_THAT(set({"jobs.dataset.also.share=120 %"}), Contains("and at most 100 %, not 120 %"));
}

TEST_CASE("lists may hold expressions") {
  const auto after = [](const std::string& list) {
    std::string text = kScenario;
    text.replace(text.find("\"count\": 4"), 10, "\"count\": \"=n\"");
    text.insert(1, R"("params": { "n": 4, "who": "prepare" }, "stages": [ { "id": "prepare",
      "type": "verify", "from": "scratch", "hosts": "gpu", "size": "1 TB" } ], )");
    const std::string job = "\"id\": \"train\",";
    text.insert(text.find(job) + job.size(), "\"after\": " + list + ",");
    return load_with({}, "", text.c_str());
  };
  CHECK(design_of(after(R"(["=who"])")).jobs[0].job.find("after")->list ==
        std::vector<std::string>{"prepare"});
  CHECK_THAT(remarks(after(R"(["=who", "=whom"])").diagnostics()),
             Contains("expression /jobs/0/after/1 no parameter \"whom\"") &&
                 Contains("did you mean \"who\"?"));
}

TEST_CASE("parameters that are none say why") {
  CHECK_THAT(remarks(load_beside(R"("params": { "2n": 4 })").diagnostics()),
             Contains("2:13 param /params/2n \"2n\" cannot be used in expressions | use letters"));
  CHECK_THAT(remarks(load_beside(R"("params": { "": 4 })").diagnostics()),
             Contains("\"\" cannot be used in expressions"));
  CHECK_THAT(set({"storage.ost.count==n"}),
             Contains("expression /storage/0/ost/count no parameter \"n\" for \"=n\" | add it to "
                      "\"params\""));
  std::string text = kScenario;
  text.insert(1, R"("params": { "rate": "4 GB/s", "x-note": 1, "none": null }, )");
  const auto with = [&](const std::string& option) {
    return remarks(load_with({option}, "", text.c_str()).diagnostics());
  };
  CHECK(with("storage.ost.read==rate") == "");
  CHECK_THAT(with("storage.ost.read==speed_of_it"),
             Contains("no parameter \"speed_of_it\"") && Contains("| the parameters are rate\n"));
  CHECK_THAT(with("storage.ost.read==2 * rate"),
             Contains("\"rate\" is the quantity \"4 GB/s\" and can only stand alone"));
  CHECK_THAT(with("storage.ost.read==rate MB/s"), Contains("can only stand alone"));
}

TEST_CASE("a word where arithmetic needs a number is reported once, where it stands") {
  std::string text = kScenario;
  text.insert(1, R"("params": { "n": { "value": "two" } }, )");
  const std::string told =
      remarks(load_with({"storage.ost.count==4 * n", "storage.mdt.count==2 * n"}, "", text.c_str())
                  .diagnostics());
  CHECK_THAT(told, Contains("type /params/n/value the parameter \"n\" is the text \"two\", and "
                            "\"=4 * n\" needs a number | write the number"));
  CHECK(std::count(told.begin(), told.end(), '\n') == 1);
}

TEST_CASE("a word that names no type may stand for one: by its help, or by a product") {
  CHECK_THAT(set({"jobs.dataset.format=tar"}), Contains("did you mean \"webdataset\"? allowed:"));
  CHECK_THAT(set({"storage.type=vast"}),
             Contains("did you mean \"nfs\", as storage/vast-janelia-1 is? allowed:") &&
                 !Contains("unknown key"));
  CHECK_THAT(set({"storage.type=zzzzzz"}), Contains("| allowed: "));
}

TEST_CASE("of a type that is given twice no more is judged") {
  std::string text = kScenario;
  const std::string type = R"("type": "lustre")";
  REQUIRE(text.find(type) != std::string::npos);
  text.replace(text.find(type), type.size(), type + R"(, "type": "nfs")");
  const std::string told = remarks(load_with({}, "", text.c_str()).diagnostics());
  CHECK_THAT(told, Contains("key \"type\" is given twice"));
  CHECK(std::count(told.begin(), told.end(), '\n') == 1);
}

TEST_CASE("the frame of a scenario is checked") {
  CHECK_THAT(said(R"({ "cluster": [], "jobs": [] })"),
             Contains("type /cluster \"cluster\" is an object, not a list | its keys are hosts, "
                      "fabric"));
  CHECK_THAT(said(R"({ "cluster": { "hosts": [] }, "jobs": [] })"),
             Contains("missing /cluster/hosts the scenario has no host class | add \"hosts\": [") &&
                 Contains("missing /jobs the scenario has neither a job nor a tenant nor a stage"));
  CHECK_THAT(
      said(R"({ "cluster": { "hosts": [ { "id": "", "count": 1 } ] } })"),
      Contains("id /cluster/hosts/0/id \"\" cannot be an id | use letters, digits, - and _"));
  CHECK_THAT(said(R"({ "cluster": { "hosts": [ { "id": 7, "count": 1 } ] } })"),
             Contains("/cluster/hosts/0/id \"id\" takes a text"));
  const std::string dotted = said(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] },
    "jobs": [ { "id": "tr.ain", "hosts": "gpu", "step": { "compute": "1 s" } } ],
    "expect": [ { "that": "job.tr.ain.gpu.utilization >= 90 %" } ] })");
  CHECK_THAT(dotted, Contains("\"tr.ain\" cannot be an id") && !Contains("/expect"));
  CHECK_THAT(said(R"({ "id": 7 })"), Contains("1:9 type /id \"id\" takes a text, not a number"));
  CHECK_THAT(remarks(load_beside(R"("scenarios": [])").diagnostics()),
             Contains("2:14 type /scenarios \"scenarios\" is an object of named variants | write"));
  CHECK_THAT(
      remarks(
          load_beside(R"("scenarios": { "x-note": 7, "big": { "storge": {} } })").diagnostics()),
      Contains("unknown key \"storge\" in the variant \"big\" | did you mean \"storage\"?"));
  for (const std::string key : {"extends", "scenarios"})
    CHECK_THAT(
        remarks(
            load_with({}, "", (R"({ "scenarios": { "big": { ")" + key + R"(": {} } } })").c_str())
                .diagnostics()),
        Contains("/scenarios/big/" + key + " the variant \"big\" cannot have \"" + key + "\""));
  CHECK_THAT(said(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 1 }, 7 ] } })"),
             Contains("type /cluster/hosts/1 a host class is an object, not a number"));
}

TEST_CASE("an idle scenario waits for somebody to add a job") {
  const std::string text = R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] } })";
  CHECK(Scenario::read({.file = "x.json", .text = text, .idle = true}).ok());
  CHECK_FALSE(Scenario::read({.file = "x.json", .text = text}).ok());
}

TEST_CASE("where parts are searched the scenario may have too few of them, designs may not") {
  const std::string text = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] },
  "storage": { "id": "nas", "type": "nfs", "head": { "count": 1 } },
  "jobs": [ { "id": "train", "hosts": "gpu", "steps": 10, "step": { "compute": "1 s" } } ],
  "failures": [ { "id": "f", "type": "storage", "on": "nas", "part": "server", "at": "2 s" } ] })";
  CHECK_FALSE(Scenario::read({.file = "x.json", .text = text}).ok());
  const Scenario searched = Scenario::read({.file = "x.json", .text = text, .few = true});
  REQUIRE(searched.ok());
  const auto with = [&](double heads) {
    const Change change{"storage.head.count", Amount{heads}};
    return searched.with({&change, 1}).ok();
  };
  CHECK_FALSE(with(1.0));
  CHECK(with(2.0));
}

}  // namespace components_test
