#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "stallcast/client.hpp"
#include "ui/app/check.hpp"
#include "ui/app/run_report.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/report.hpp"
#include "ui/server/service.hpp"
#ifdef STALLCAST_WITH_DESKTOP
#include "ui/desktop/figures.hpp"
#endif

/// One design has one verdict, one limit, one recommendation and the same digits, wherever it is
/// looked at. What JSON says is looked for in what people read.
namespace views_agree_test {

using namespace stallcast;
using Json = nlohmann::json;

namespace {

client::Session& session() {
  static client::Session one({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  return one;
}

std::vector<std::string> library() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/library"))
    if (entry.path().extension() == ".json") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<Scenario> read(const std::string& file, std::vector<std::string> sets = {}) {
  return session().read({.file = file, .sets = std::move(sets)}).scenario;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// What a reader sees of markup: no tags, no escapes, one blank between words.
std::string seen(std::string text) {
  std::string out;
  bool tag = false;
  for (const char c : text) {
    if (c == '<') tag = true, out += ' ';
    if (!tag) out += std::isspace(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
    if (c == '>') tag = false;
  }
  for (const auto& [from, to] : {std::pair{"&lt;", "<"},
                                 {"&gt;", ">"},
                                 {"&quot;", "\""},
                                 {"&#39;", "'"},
                                 {"&#64;", "@"},
                                 {"&amp;", "&"}})
    replace(out, from, to);
  while (out.find("  ") != std::string::npos) replace(out, "  ", " ");
  return out;
}

/// The same of Markdown.
std::string seen_markdown(std::string text) {
  for (const char* escaped : {"\\`", "\\*", "\\_", "\\[", "\\]", "\\|"})
    replace(text, escaped, std::string(1, escaped[1]));
  replace(text, "**", "");
  return seen(text);
}

std::string up_to(const std::string& text, const char* mark) {
  return text.substr(0, text.find(mark));
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// "95.1 %": as a share of at least a tenth is printed.
std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * share);
  return text;
}

/// What every view has to say of a design.
std::vector<std::string> said(const Json& result) {
  std::vector<std::string> out;
  for (const char* key : {"phrase", "advice"})
    if (const std::string text = result["limit"][key]; !text.empty()) out.push_back(text);
  if (result.contains("system")) out.push_back(result["system"]);
  for (const auto& [job, causes] : result["breakdown"].items())
    if (const double busy = result["metrics"]["job." + job + ".gpu.utilization"]["value"];
        busy >= 0.1)
      out.push_back(percent(busy));
  return out;
}

void holds(const char* view, const std::string& text, const std::vector<std::string>& phrases) {
  for (const std::string& phrase : phrases) {
    INFO(view << " lacks \"" << phrase << "\" in: " << text.substr(0, 3000));
    CHECK(text.find(phrase) != std::string::npos);
  }
}

client::RunReport run(const Scenario& scenario) {
  client::RunQuestion wanted;
  wanted.predict.replicas = 1;
  wanted.draws = 0;
  wanted.timeline = false;
  auto found = client::run_report(session(), scenario, wanted);
  REQUIRE(found.ok());
  return *std::move(found);
}

CheckReport checked(const std::string& file, const Scenario& scenario) {
  client::CheckRequest request;
  request.scenarios.push_back({file, scenario.file(), scenario});
  request.question.replicas = 1;
  request.in_repository = false;
  auto found = client::check(session(), request);
  REQUIRE(found.ok());
  return *std::move(found);
}

/// All that shows one prediction.
void views_agree(const std::string& file, const Scenario& scenario) {
  const Prediction p = run(scenario).prediction;
  const report::ReportContext context = report::context_of(scenario.design(), client::version());
  const auto rendered = [&](report::Format format) {
    return report::render(p, context, format, {});
  };
  const Json result = Json::parse(rendered(report::Format::json));
  std::vector<std::string> phrases = said(result);
  const std::string verdict = result["verdict"];
  if (verdict != "none") phrases.push_back(upper(verdict) + ", ");
  const std::string text = seen(rendered(report::Format::text));
  holds("text", text, phrases);
  holds("markdown", seen_markdown(up_to(rendered(report::Format::markdown), "<details")), phrases);
  if (verdict != "none") phrases.back() = verdict + " : ";
  const std::string page = rendered(report::Format::html);
  const std::size_t body = page.find("<h1");
  holds("html", seen(up_to(page.substr(body), "<details")), phrases);
  const std::size_t slide = rendered(report::Format::slide).find("<h1");
  holds("slide", seen(rendered(report::Format::slide).substr(slide)), phrases);
#ifdef STALLCAST_WITH_DESKTOP
  if (const std::string limit = result["limit"]["phrase"]; !limit.empty())
    CHECK(desktop::limit_text(p).toStdString() == limit);
  for (const auto& [job, causes] : result["breakdown"].items()) {
    const Metric& busy = p.metrics.at("job." + job + ".gpu.utilization");
    if (busy.value >= 0.1) CHECK(desktop::metric_text(busy).toStdString() == percent(busy.value));
  }
#endif

  if (scenario.design().expect.empty()) return;
  const CheckReport report = checked(file, scenario);
  REQUIRE(report.scenarios.size() == 1);
  const CheckedScenario& one = report.scenarios[0];
  REQUIRE(one.prediction.has_value());
  const report::CheckContext tool{context, {}, "check"};
  const Json listed = Json::parse(report::check_json(report, tool))["scenarios"][0];
  // A waiver is for checks only.
  const bool waived =
      std::any_of(one.assertions.begin(), one.assertions.end(),
                  [](const CheckedAssertion& a) { return a.status == CheckStatus::waived; });
  REQUIRE(listed["assertions"].size() == result["assertions"].size());
  for (std::size_t i = 0; i < listed["assertions"].size(); ++i) {
    const Json &a = listed["assertions"][i], &b = result["assertions"][i];
    CHECK(a["value"] == b["value"]);
    if (!waived) CHECK(a["status"] == b["status"]);
  }
  if (waived) return;
  std::vector<std::string> of_check = {result["system"]};
  if (verdict == "fail") {
    CHECK(listed["limit"] == result["limit"]["phrase"]);
    CHECK(listed["advice"] == result["limit"]["advice"]);
    of_check = said(result);
    of_check.pop_back();  // the digits of utilization, where it is not what is missed
  }
  holds("comment", seen_markdown(up_to(report::check_markdown(report, tool), "<details")),
        of_check);
  std::erase(of_check, result["system"].get<std::string>());
  holds("check", seen(report::check_text(report, tool)), of_check);
}

}  // namespace

TEST_CASE("every view of a scenario of the library says the same") {
  std::size_t looked_at = 0;
  for (const std::string& file : library()) {
    INFO(file);
    const auto scenario = read(file);
    REQUIRE(scenario.has_value());
    views_agree(file, *scenario);
    ++looked_at;
  }
  CHECK(looked_at >= 80);
}

// The design that is one step smaller than a plan's answer misses a target. What is advised for it
// is as many as the plan says, if it is more of the same; and the plan names what limits it as
// `run` does.
TEST_CASE("advice of a design that is too small agrees with its plan") {
  std::size_t compared = 0;
  const std::vector<std::string> files = library();
  for (std::size_t i = 0; i < files.size(); i += 3) {  // a plan simulates ten designs
    const std::string& file = files[i];
    INFO(file);
    const auto scenario = read(file);
    REQUIRE(scenario.has_value());
    if (scenario->design().expect.empty() || !scenario->questions().plan.survive.empty()) continue;
    client::PlanQuestion wanted;
    wanted.spec.tornado = 0;
    wanted.spec.checks = 0;
    wanted.spec.replicas = 1;
    const auto plan = session().plan(*scenario, wanted, {.replicas = 1});
    if (!plan.ok() || plan->status != PlanStatus::found || plan->axes.size() != 1) continue;
    if (!plan->reason || plan->non_monotone || !plan->axes[0].ordered) continue;
    const PlanPoint* smaller = nullptr;
    for (const PlanNeighbour& n : plan->neighbours)
      if (n.direction < 0) smaller = &plan->points[n.point];
    if (smaller == nullptr || smaller->meets) continue;
    const auto set = plan->axes[0].path + "=" + smaller->values[0];
    INFO(set << ", the plan says " << plan->points[*plan->answer].values[0]);
    const auto small = read(file, {set});
    REQUIRE(small.has_value());
    const Prediction p = run(*small).prediction;
    REQUIRE(p.verdict == Verdict::fail);
    ++compared;
    CHECK(p.alternatives.empty() == false);
    bool same = false;
    for (const Alternative& a : p.alternatives) {
      UNSCOPED_INFO("advice: " << a.change << (a.meets_targets ? ", meets" : ", misses"));
      const std::string what = a.change.substr(0, a.change.find(' '));
      if (what != plan->axes[0].name) continue;
      same = true;
      CHECK(a.meets_targets);
      CHECK(a.change.ends_with(" -> " + plan->points[*plan->answer].values[0]));
    }
    CHECK(same);
    const Json json = Json::parse(report::render(p, {}, report::Format::json, {}));
    CHECK(std::any_of(smaller->targets.begin(), smaller->targets.end(), [&](const auto& t) {
      return t.status == "fail" &&
             (json["limit"]["target"].is_null() || json["limit"]["target"] == t.id);
    }));
    if (!json["limit"]["target"].is_null()) CHECK(json["limit"]["resource"] == smaller->binding);
  }
  CHECK(compared >= 8);
}

// The server answers with the same JSON, and with the same page.
TEST_CASE("the server says of a scenario what the command line says") {
  server::ServerSettings its;
  its.session = {.jobs = 2, .worker = STALLCAST_SIM_PATH};
  its.log = [](const std::string& line) { FAIL_CHECK(line); };
  server::Service service(its);
  const auto ask = [&](const char* method, const std::string& path, const std::string& body) {
    server::Request request;
    request.method = method;
    request.path = path;
    if (!body.empty()) request.query = {{"replicas", "1"}, {"draws", "0"}};
    request.body = body;
    return service.handle(request, session());
  };
  const std::vector<std::string> files = library();
  std::size_t asked = 0;
  for (std::size_t i = 0; i < files.size(); i += 12) {
    INFO(files[i]);
    const auto scenario = read(files[i]);
    REQUIRE(scenario.has_value());
    const server::Response taken = ask("POST", "/v1/runs", scenario->text());
    if (taken.status >= 300) continue;  // it needs files next to it
    std::string link;
    for (const auto& [name, value] : taken.headers)
      if (name == "Location") link = value;
    server::Response answer;
    answer.status = 202;
    for (int k = 0; k < 6000 && answer.status != 200; ++k) {
      answer = ask("GET", link + "/result", "");
      if (answer.status != 200) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    REQUIRE(answer.status == 200);
    const Prediction p = run(*scenario).prediction;
    const report::ReportContext context = report::context_of(scenario->design(), client::version());
    const Json here = Json::parse(report::render(p, context, report::Format::json, {}));
    const Json there = Json::parse(answer.body);
    for (const char* key :
         {"verdict", "limit", "assertions", "metrics", "breakdown", "alternatives", "system"})
      CHECK(here[key] == there[key]);
    const server::Response page = ask("GET", link + "/report.html", "");
    REQUIRE(page.status == 200);
    holds("page of the server", seen(up_to(page.body.substr(page.body.find("<h1")), "<details")),
          said(here));
    ++asked;
  }
  CHECK(asked >= 5);
}

}  // namespace views_agree_test
