#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stallcast/client.hpp"
#include "stallcast/label.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/picture_load.hpp"
#include "ui/report/renderers.hpp"

namespace overview_test {

using namespace stallcast;

namespace {

bool apart(const PictureBox& a, const PictureBox& b) {
  return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y ||
         b.y + b.height <= a.y;
}

/// Text whose lines were joined where they had been wrapped.
std::string unwrapped(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != '\n' && c != ' ')
      out += c;
    else if (out.empty() || out.back() != ' ')
      out += ' ';
  return out;
}

void check_layout(const Prediction& p) {
  const Picture& picture = p.picture;
  REQUIRE_FALSE(picture.empty());
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const PictureBox& b = picture.boxes[i];
    INFO(b.path);
    CHECK_FALSE(b.title.empty());
    CHECK((b.x >= 0.0 && b.x + b.width <= picture.width));
    CHECK((b.y >= 0.0 && b.y + b.height <= picture.height));
    // Letters of 13 are at most 7.5 wide: whole names beside whole figures.
    CHECK(7.5 * static_cast<double>(b.title.size()) < b.width - 20.0);
    for (const PicturePart& part : b.parts) {
      INFO(part.count << " " << part.label << "|" << report::part_load(p, part).text);
      const std::size_t letters =
          part.count.size() + 1 + part.label.size() + report::part_load(p, part).text.size();
      CHECK(7.5 * static_cast<double>(letters) < b.width - 20.0);
    }
    for (std::size_t j = 0; j < i; ++j) CHECK(apart(b, picture.boxes[j]));
  }
  for (const PictureWire& w : picture.wires) {
    REQUIRE((w.from < picture.boxes.size() && w.to < picture.boxes.size()));
    const PictureBox &from = picture.boxes[w.from], &to = picture.boxes[w.to];
    CHECK(from.x + from.width < to.x);
    CHECK((w.y_from > from.y && w.y_from < from.y + from.height));
    CHECK((w.y_to > to.y && w.y_to < to.y + to.height));
  }
}

/// A page is so wide; letters are 13 high in the drawing, and can be read from 9 on.
constexpr double kPage = 1120.0, kLetters = 13.0, kReadable = 9.0;

std::string many_stores(int hosts, int stores) {
  std::string out = R"({ "id": "many", "cluster": { "hosts": [ { "id": "gpu", "count": )" +
                    std::to_string(hosts) + R"(, "use": "host/dgx-h100" } ] }, "storage": [)";
  for (int i = 0; i < stores; ++i)
    out += std::string(i == 0 ? "" : ",") + R"({ "id": "store)" + std::to_string(i) +
           (i % 3 == 2
                ? R"(", "type": "s3" })"
                : R"(", "type": "lustre", "ost": { "count": 1200 }, "oss": { "count": 300 } })");
  return out + R"(], "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
    "dataset": { "on": "store0", "format": "webdataset", "shard": "1 GiB", "sample": "100 kB", "size": "20 TB" },
    "loader": { "type": "pytorch", "workers": 8, "prefetch": 4 } } ], "run": { "duration": "1 min" } })";
}

/// What limits is drawn red where it is a part of hosts, the fabric or storage; an outage is none.
void check_limit_is_drawn(const Prediction& p) {
  const std::string limit = report::limit_of(p).name;
  const auto use = std::find_if(p.resources.begin(), p.resources.end(),
                                [&](const ResourceUse& u) { return u.name == limit; });
  for (const char* other : {"job.", "tenant.", "failure."})
    if (limit.starts_with(other)) return;
  if (use == p.resources.end()) return;
  std::size_t red = 0;
  for (const PictureBox& b : p.picture.boxes)
    for (const PicturePart& part : b.parts) red += report::part_load(p, part).limit ? 1U : 0U;
  INFO(limit);
  CHECK(red >= 1);
}

}  // namespace

// Of every scenario of the library: one line and one drawing, every part with a name for people,
// and the same limit in every format.
TEST_CASE("each design of the library is one line, one drawing and one limit in every format") {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/library"))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  files.emplace_back("examples/exercise-512-h100-async.json");  // has the longest names of parts
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 40);
  for (const std::string& file : files) {
    INFO(file);
    const client::Reading reading = session.read({.file = file});
    REQUIRE(reading.scenario.has_value());
    const Design& design = reading.scenario->design();
    Result<Prediction> found = session.predict(design, {.replicas = 1});
    REQUIRE(found.ok());
    const Prediction& p = *found;
    CHECK(p.system.size() > 10);
    CHECK(p.system.size() < 220);
    check_layout(p);
    CHECK(p.picture.width <= kPage * kLetters / kReadable);
    check_limit_is_drawn(p);
    for (const ResourceUse& use : p.resources) {
      INFO(use.name);
      CHECK(label::knows(use.name));
      CHECK(use.load() >= use.utilization());
    }
    const std::string phrase = report::limit_phrase(p);
    const std::string text = unwrapped(report::prediction_text(p, {}, {}));
    CHECK(text.find(phrase) != std::string::npos);
    CHECK(text.find(p.system) != std::string::npos);
    const std::string page = report::prediction_html(p, {}, {});
    CHECK(page.find(report::markup(phrase)) != std::string::npos);
    CHECK(page.find("<figure id=\"system\">") != std::string::npos);
    const auto json = nlohmann::json::parse(report::prediction_json(p, {}, {}));
    CHECK(json["limit"]["phrase"] == phrase);
    CHECK(json["system"] == p.system);
    CHECK(report::prediction_markdown(p, {}).find(phrase) != std::string::npos);
  }
}

// From one host to ten thousand, with a WAN, tiers and as many stores as anybody has: whole names,
// boxes that are apart, and a drawing that is a page wide at most where letters of 9 can be read.
TEST_CASE("the picture is readable for one host and for ten thousand, with many stores") {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  for (const int hosts : {1, 100, 10'000})
    for (const int stores : {1, 3, 8}) {
      INFO(hosts << " hosts, " << stores << " stores");
      const client::Reading reading = session.read({.text = many_stores(hosts, stores)});
      for (const Diagnostic& d : reading.diagnostics.items()) INFO(d.message);
      REQUIRE(reading.scenario.has_value());
      const Prediction p = session.estimate(reading.scenario->design());
      CHECK(p.picture.boxes.size() == static_cast<std::size_t>(2 + stores));
      check_layout(p);
      CHECK(p.picture.width <= kPage * kLetters / kReadable);
    }
}

TEST_CASE("the first line counts the GPUs of hosts that something runs on") {
  const char* text = R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 1, "gpus": 8 }, { "id": "spare", "count": 31, "gpus": 8 } ] },
    "jobs": [ { "id": "train", "hosts": "gpu", "model": { "parameters": "7B" }, "step": { "compute": "1 s" } } ],
    "run": { "duration": "1 min" }
  })";
  client::Session session({.jobs = 1, .worker = STALLCAST_SIM_PATH});
  for (const auto& [sets, gpus] :
       {std::pair{std::vector<std::string>{}, "(8 of 256 GPUs)"},
        {std::vector<std::string>{"jobs.train.hosts=spare"}, "(248 of 256 GPUs)"}}) {
    const client::Reading reading = session.read({.text = text, .sets = sets});
    for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
    REQUIRE(reading.scenario.has_value());
    const Prediction p = session.estimate(reading.scenario->design());
    INFO(p.system);
    CHECK(p.system.find(gpus) != std::string::npos);
  }
}

// 24 GPUs save nearly all of the time, 8 compute.
TEST_CASE("GPUs of hosts that several jobs share weigh as many as each has") {
  client::Session session({.jobs = 1, .worker = STALLCAST_SIM_PATH});
  const client::Reading reading = session.read({.text = R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8 } ] },
    "storage": [ { "id": "scratch", "type": "nfs", "head": { "count": 1, "read": "100 GB/s", "write": "100 GB/s" } } ],
    "jobs": [ { "id": "large", "hosts": "gpu", "accelerators": 24, "step": { "compute": "1 s" },
                "checkpoint": { "to": "scratch", "size": "1 TB", "every_steps": 10 } },
              { "id": "small", "hosts": "gpu", "accelerators": 8, "step": { "compute": "1 s" } } ],
    "run": { "duration": "2 min" } })"});
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  const Result<Prediction> p = session.predict(reading.scenario->design(), {.replicas = 1});
  REQUIRE(p.ok());
  const auto busy = [&](const char* job) {
    return p->metrics.at(std::string("job.") + job + ".gpu.utilization").value;
  };
  REQUIRE(busy("large") < busy("small") - 0.1);
  for (const PictureBox& b : p->picture.boxes)
    if (b.role == PictureBox::Role::hosts)
      CHECK(report::part_load(*p, b.parts.front()).mean ==
            Approx((24.0 * busy("large") + 8.0 * busy("small")) / 32.0).epsilon(1e-12));
}

TEST_CASE("counts in a drawing are of all hosts, of GPUs and of NICs") {
  client::Session session({.jobs = 1, .worker = STALLCAST_SIM_PATH});
  const client::Reading reading = session.read({.text = many_stores(6, 1)});
  REQUIRE(reading.scenario.has_value());
  const Result<Prediction> p = session.predict(reading.scenario->design(), {.replicas = 1});
  REQUIRE(p.ok());
  const Value* each = reading.scenario->design().hosts.front().find("nic.count");
  REQUIRE(each != nullptr);
  std::map<std::string, std::string> counts;
  for (const PictureBox& b : p->picture.boxes)
    for (const PicturePart& part : b.parts)
      if (b.role == PictureBox::Role::hosts) counts[part.label] = part.count;
  CHECK(counts["NICs"] == std::to_string(6 * static_cast<int>(each->number)));
  CHECK(counts["GPUs"] == "48");
}

// 40 classes of one host each, of which a job uses the first: one box for it and one for 39 hosts
// that do nothing. A class of another product has a box of its own.
TEST_CASE("classes of hosts that do nothing are one box of the picture") {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  std::string hosts;
  for (int i = 0; i < 40; ++i)
    hosts += R"({ "id": "h)" + std::to_string(i) + R"(", "count": 1, "use": "host/dgx-h100" }, )";
  const client::Reading reading =
      session.read({.text = R"({ "id": "spare", "cluster": { "hosts": [ )" + hosts +
                            R"({ "id": "old", "count": 2, "use": "host/dgx-a100" } ] },
    "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 4 } } ],
    "jobs": [ { "id": "train", "hosts": "h0", "step": { "compute": "1 s" },
    "dataset": { "on": "scratch", "format": "webdataset", "shard": "1 GiB", "sample": "100 kB", "size": "20 TB" },
    "loader": { "type": "pytorch", "workers": 8, "prefetch": 4 } } ], "run": { "duration": "1 min" } })"});
  for (const Diagnostic& d : reading.diagnostics.items()) INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  const Result<Prediction> p = session.predict(reading.scenario->design(), {.replicas = 1});
  REQUIRE(p.ok());
  check_layout(*p);
  std::vector<std::string> titles;
  for (const PictureBox& b : p->picture.boxes)
    if (b.role == PictureBox::Role::hosts) titles.push_back(b.title + ", " + b.subtitle);
  CHECK(titles ==
        std::vector<std::string>{"1 x NVIDIA DGX H100, hosts h0",
                                 "39 x NVIDIA DGX H100, hosts h1 and 38 more classes, idle",
                                 "2 x NVIDIA DGX A100, hosts old"});
}

TEST_CASE("what is waited for most is no limit where nothing was tried") {
  Prediction p;
  p.breakdown["train"] = {{"compute", 0.5}, {"data", 0.5}};
  p.bottlenecks = {{"storage.s.osd", 0.04, 0.6, "", {}}, {"storage.s.mds", 0.98, 0.4, "", {}}};
  CHECK(report::limit_phrase(p) ==
        "waits most for the OSDs of s: 30.0 % of the time is spent waiting for it");
  const auto waited = nlohmann::json::parse(report::prediction_json(p, {}, {}));
  CHECK(waited["most_waited_for"] == "storage.s.osd");
  CHECK(waited["limit"]["kind"] == "waited");
  CHECK(waited["limit"]["label"] == "");
  CHECK(waited["limit"]["resource"].is_null());
  p.gains = Gains{};
  p.bottlenecks = {{"storage.s.mds", 0.98, 0.4, "", Gain{0.35, 0.2, "", ""}}};
  const auto tried = nlohmann::json::parse(report::prediction_json(p, {}, {}));
  CHECK(!tried.contains("most_waited_for"));
  CHECK(tried["limit"]["label"] == "MDSs of s");
}

TEST_CASE("of a missed target, too, what is waited for most is no limit where nothing was tried") {
  Prediction p;
  p.verdict = Verdict::fail;
  p.breakdown["train"] = {{"compute", 0.5}, {"data", 0.5}};
  p.bottlenecks = {{"storage.s.osd", 0.04, 0.6, "", {}}};
  p.metrics["job.train.gpu.utilization"] = {0.5, "ratio", {}};
  AssertionOutcome missed{
      "busy", "job.train.gpu.utilization >= 90 %", 0.5, "ratio", "fail", "error", "", ""};
  missed.metric = "job.train.gpu.utilization";
  missed.limit = 0.9;
  missed.limited_by = "storage.s.osd";
  missed.waited = true;
  p.assertions = {missed};
  CHECK(report::limit_phrase(p) ==
        "waits most for the OSDs of s, target busy: 30.0 % of the time is "
        "spent waiting for it");
  const auto waited = nlohmann::json::parse(report::prediction_json(p, {}, {}));
  CHECK(waited["most_waited_for"] == "storage.s.osd");
  CHECK(waited["limit"]["kind"] == "waited");
  CHECK(waited["assertions"][0]["limited_by"].is_null());
  CHECK(waited["assertions"][0]["most_waited_for"] == "storage.s.osd");
  CHECK(unwrapped(report::prediction_text(p, {}, {})).find("waits most for the OSDs of s") !=
        std::string::npos);
  p.assertions[0].waited = false;
  CHECK(report::limit_phrase(p).starts_with("limited by the OSDs of s, target busy"));
}

TEST_CASE("the limit of the target that is missed by most is named first") {
  Prediction p;
  p.verdict = Verdict::fail;
  p.breakdown["train"] = {{"compute", 0.9}, {"data", 0.06}, {"sync", 0.04}};
  p.bottlenecks = {{"host.gpu.nic.read", 0.5, 0.9, "", Gain{0.05, 0.05, "", ""}}};
  p.gains = Gains{};
  CHECK(report::limit_of(p).name == "host.gpu.nic.read");
  p.assertions = {{"near", "", 94.0, "ratio", "fail", "error", "job.train.barrier", "", 95.0},
                  {"far", "", 20.0, "s", "fail", "error", "storage.s.ost", "", 10.0},
                  {"soft", "", 90.0, "s", "fail", "warn", "storage.s.mdt", "", 10.0}};
  const report::Limit limit = report::limit_of(p);
  CHECK(limit.name == "storage.s.ost");
  CHECK(limit.target == "far");
  CHECK(report::limit_phrase(p) == "limited by the OSTs of s, target far");
}

}  // namespace overview_test
