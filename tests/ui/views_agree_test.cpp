#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <cmath>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stallcast/client.hpp"
#include "ui/app/check.hpp"
#include "ui/app/run_report.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/limit.hpp"
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

/// A server whose one session simulates for all views: a design is simulated once, however often
/// it is asked for. Whatever asks another question than the server does gets another answer.
class Server {
 public:
  Server() : settings_(its_settings()), service_(settings_), front_(settings_.session) {}

  /// What comes of `work` in the session that also answers requests.
  template <class Work>
  auto with_session(Work work) {
    using Found = decltype(work(front_));
    const auto found = std::make_shared<std::promise<Found>>();
    server::RunRequest request;
    request.kind = request.content = request.text = "views " + std::to_string(++works_);
    request.task = [=](client::Session& session, const server::RunWatch&) {
      try {
        found->set_value(work(session));
      } catch (...) {
        found->set_exception(std::current_exception());
      }
      return server::Outcome{};
    };
    request.view = [](client::Session&, const server::Outcome&) { return server::RunAnswer{}; };
    auto future = found->get_future();
    const auto taken = service_.runs.submit(std::move(request), front_);
    REQUIRE(std::holds_alternative<server::RunStatus>(taken));
    return future.get();
  }

  server::Response ask(const char* method, const std::string& path, const std::string& body = "") {
    server::Request request;
    request.method = method;
    request.path = path;
    if (!body.empty()) request.query = {{"replicas", "1"}, {"draws", "4"}};
    request.body = body;
    return service_.handle(request, front_);
  }

  /// The path of the run that `text` begins; its result is there.
  std::string run(const std::string& text) {
    const server::Response taken = ask("POST", "/v1/runs", text);
    INFO(taken.body);
    REQUIRE(taken.status < 300);
    with_session([](client::Session&) { return 0; });  // comes after it
    for (const auto& [name, value] : taken.headers)
      if (name == "Location") return value;
    return "";
  }

  [[nodiscard]] const client::Session& front() const { return front_; }

 private:
  static server::ServerSettings its_settings() {
    server::ServerSettings out;
    out.session = {.jobs = 2, .worker = STALLCAST_SIM_PATH};
    out.sessions = 1;
    out.root = ".";
    out.log = [](const std::string& line) { throw std::runtime_error(line); };
    return out;
  }
  const server::ServerSettings settings_;
  server::Service service_;
  client::Session front_;  ///< simulates nothing
  std::size_t works_ = 0;
};

std::vector<std::string> library() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/library"))
    if (entry.path().extension() == ".json") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string up_to(const std::string& text, const char* mark) {
  return text.substr(0, text.find(mark));
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

/// What is seen of a page before anything is unfolded.
std::string front_page(const std::string& page) {
  return seen(up_to(page.substr(page.find("<h1")), "<details"));
}

/// The same of Markdown.
std::string seen_markdown(std::string text) {
  for (const char* escaped : {"\\`", "\\*", "\\_", "\\[", "\\]", "\\|"})
    replace(text, escaped, std::string(1, escaped[1]));
  replace(text, "**", "");
  return seen(text);
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

/// What the command line asks of `scenario`; for a page of HTML, as servers always do, also what
/// there is around it.
Result<client::RunReport> run(client::Session& session, const Scenario& scenario,
                              bool around = false) {
  client::RunQuestion wanted;
  wanted.predict.replicas = 1;
  wanted.draws = 4;
  wanted.timeline = false;
  wanted.around = around;
  return client::run_report(session, scenario, wanted);
}

Result<CheckReport> checked(client::Session& session, const std::string& file,
                            const Scenario& scenario) {
  client::CheckRequest request;
  request.scenarios.push_back({file, scenario.file(), scenario});
  request.question.replicas = 1;
  request.in_repository = false;
  return client::check(session, request);
}

/// What people read of one prediction, but for its check.
void pages_agree(const Prediction& p, const report::ReportContext& context, const Json& result) {
  const auto rendered = [&](report::Format format) {
    return report::render(p, context, format, {});
  };
  std::vector<std::string> phrases = said(result);
  const std::string verdict = result["verdict"];
  if (verdict != "none") phrases.push_back(upper(verdict) + ", ");
  holds("text", seen(rendered(report::Format::text)), phrases);
  holds("markdown", seen_markdown(up_to(rendered(report::Format::markdown), "<details")), phrases);
  if (verdict != "none") phrases.back() = verdict + " : ";
  holds("html", front_page(rendered(report::Format::html)), phrases);
  holds("slide", front_page(rendered(report::Format::slide)), phrases);
#ifdef STALLCAST_WITH_DESKTOP
  if (const std::string limit = result["limit"]["phrase"]; !limit.empty())
    CHECK(desktop::limit_text(p).toStdString() == limit);
  for (const auto& [job, causes] : result["breakdown"].items()) {
    const Metric& busy = p.metrics.at("job." + job + ".gpu.utilization");
    if (busy.value >= 0.1) CHECK(desktop::metric_text(busy).toStdString() == percent(busy.value));
  }
#endif
}

/// A diff says what limits a design as its run does, unless only draws judge its targets.
void diff_agrees(client::Session& session, const Scenario& scenario, const Prediction& p) {
  for (const AssertionOutcome& a : p.assertions)
    if (a.confidence) return;
  client::DiffQuestion wanted;
  wanted.predict.replicas = 1;
  const auto diff = session.diff({.name = "base", .scenario = scenario},
                                 {.name = "head", .scenario = scenario}, wanted);
  REQUIRE(diff.ok());
  CHECK(report::limit_phrase(diff->base.prediction) == report::limit_phrase(p));
  CHECK(report::limit_phrase(diff->head.prediction) == report::limit_phrase(p));
}

/// The server answers with the same JSON, and with pages that say it.
void server_agrees(Server& server, const std::string& link, const Json& result) {
  const server::Response answer = server.ask("GET", link + "/result");
  REQUIRE(answer.status == 200);
  Json there = Json::parse(answer.body);
  for (const auto& [key, value] : result.items()) {
    if (key == "command" || key == "scenario" || key == "prices") continue;  // name the file
    INFO(key);
    CHECK(there[key] == value);
  }
  for (const char* page : {"/report.html", "/slide.html"}) {
    const server::Response shown = server.ask("GET", link + page);
    REQUIRE(shown.status == 200);
    holds(page, front_page(shown.body), said(result));
  }
}

void check_agrees(const CheckReport& report, const report::ReportContext& context,
                  const Json& result) {
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
  if (result["verdict"] == "fail") {
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
  Server server;
  std::size_t looked_at = 0, served = 0;
  for (const std::string& file : library()) {
    INFO(file);
    const auto scenario = server.front().read({.file = file}).scenario;
    REQUIRE(scenario.has_value());
    // What is around a design takes longer than all else: every third is asked of the server, too.
    const bool serves = looked_at++ % 3 == 0;
    const std::string link = serves ? server.run(scenario->text()) : "";
    const auto [found, check] = server.with_session([&](client::Session& session) {
      auto predicted = run(session, *scenario, serves);
      if (predicted.ok()) diff_agrees(session, *scenario, predicted->prediction);
      return std::pair{std::move(predicted), checked(session, file, *scenario)};
    });
    REQUIRE(found.ok());
    const report::ReportContext context = report::context_of(scenario->design(), client::version());
    const Json result =
        Json::parse(report::render(found->prediction, context, report::Format::json, {}));
    for (const auto& [name, metric] : found->prediction.metrics) {
      INFO(name);
      CHECK(std::isfinite(metric.value));
    }
    pages_agree(found->prediction, context, result);
    if (serves) {
      server_agrees(server, link, result);
      ++served;
    }
    if (!scenario->design().expect.empty()) {
      REQUIRE(check.ok());
      check_agrees(*check, context, result);
    }
  }
  CHECK(looked_at >= 80);
  CHECK(served >= 25);
}

// The design that is one step smaller than a plan's answer misses a target. What is advised for it
// is as many as the plan says, if it is more of the same; and the plan names what limits it as
// `run` does.
TEST_CASE("advice of a design that is too small agrees with its plan") {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  std::size_t compared = 0;
  const std::vector<std::string> files = library();
  for (std::size_t i = 0; i < files.size(); i += 3) {  // a plan simulates ten designs
    const std::string& file = files[i];
    INFO(file);
    const auto scenario = session.read({.file = file}).scenario;
    REQUIRE(scenario.has_value());
    if (scenario->design().expect.empty() || !scenario->questions().plan.survive.empty()) continue;
    client::PlanQuestion wanted;
    wanted.spec.tornado = 0;
    wanted.spec.checks = 0;
    wanted.spec.replicas = 1;
    const auto plan = session.plan(*scenario, wanted, {.replicas = 1});
    if (!plan.ok() || plan->status != PlanStatus::found || plan->axes.size() != 1) continue;
    if (!plan->reason || plan->non_monotone || !plan->axes[0].ordered) continue;
    const PlanPoint* smaller = nullptr;
    for (const PlanNeighbour& n : plan->neighbours)
      if (n.direction < 0) smaller = &plan->points[n.point];
    if (smaller == nullptr || smaller->meets) continue;
    const auto set = plan->axes[0].path + "=" + smaller->values[0];
    INFO(set << ", the plan says " << plan->points[*plan->answer].values[0]);
    const auto small = session.read({.file = file, .sets = {set}}).scenario;
    REQUIRE(small.has_value());
    const auto found = run(session, *small);
    REQUIRE(found.ok());
    const Prediction& p = found->prediction;
    REQUIRE(p.verdict == Verdict::fail);
    ++compared;
    CHECK(p.alternatives.empty() == false);
    bool same = false;
    for (const Alternative& a : p.alternatives) {
      UNSCOPED_INFO("advice: " << a.change << ", " << report::verdict_name(a.verdict));
      const std::string what = a.change.substr(0, a.change.find(' '));
      if (what != plan->axes[0].name) continue;
      same = true;
      CHECK(a.verdict == Verdict::pass);
      CHECK(a.change.ends_with(" -> " + plan->points[*plan->answer].values[0]));
    }
    CHECK(same);
    const Json json = Json::parse(report::render(p, {}, report::Format::json, {}));
    CHECK(std::any_of(smaller->targets.begin(), smaller->targets.end(), [&](const auto& t) {
      return t.status == "fail" &&
             (json["limit"]["target"].is_null() || json["limit"]["target"] == t.id);
    }));
    if (!json["limit"]["target"].is_null()) CHECK(json["limit"]["resource"] == smaller->binding);
    CHECK((json["limit"]["kind"] == "waited") == smaller->waited);
  }
  CHECK(compared >= 8);
}

}  // namespace views_agree_test
