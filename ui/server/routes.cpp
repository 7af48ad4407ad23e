#include "ui/server/routes.hpp"

#include <array>

#include "stallcast/format.hpp"
#include "ui/server/service.hpp"

namespace stallcast::server {
namespace {

constexpr RequestParameter kSet{"set",
                                "overrides a value of the scenario, as --set does; repeatable",
                                "array", "storage.scratch.ost.count=48"};
constexpr RequestParameter kName{"name", "what messages call the scenario; default: scenario.json",
                                 "string", "mine.json"};
constexpr RequestParameter kVariant{"variant", "a key of the scenario's `scenarios`"};
constexpr RequestParameter kSeed{"seed", "first random seed; default: the scenario's", "integer",
                                 "1"};
constexpr RequestParameter kReplicas{
    "replicas", "simulations; default: the scenario's", "integer", "3", 1, true};
constexpr RequestParameter kLimit{
    "time_limit_s",
    "wall clock for the run, in seconds; at most, and by default, the "
    "server's",
    "integer", "30", 1};
constexpr RequestParameter kAdvice{"advice", "false: do not try changes that would help", "string",
                                   "false"};

constexpr RequestParameter kDraws{
    "draws",
    "simulations with inputs drawn from what they may be in truth; default: as many as fit about a "
    "second; 0: none",
    "integer",
    "64",
    0,
    true};

constexpr std::array kDesign = {kName, kSet, kVariant};
constexpr std::array kResolve = {
    kName, kSet, kVariant,
    RequestParameter{"get", "only this value, with unit, range and source; repeatable", "array",
                     "storage.scratch.ost.count"}};
constexpr std::array kEstimate = {
    kName, kSet, kVariant,
    RequestParameter{"format", "json, or html: the same as a page", "string", "html"}};
constexpr std::array kRun = {kName, kSet, kVariant, kSeed, kReplicas, kLimit, kAdvice, kDraws};
constexpr std::array kPlan = {
    kName,
    kSet,
    kVariant,
    kSeed,
    kReplicas,
    kLimit,
    RequestParameter{"over", "search this, as --over does; repeatable", "array", "osts"},
    RequestParameter{"unit", "in multiples of so many, as --unit does; repeatable", "array",
                     "osts=2"},
    RequestParameter{"storage", "count what this storage system is made of"},
    RequestParameter{"minimize", "find the design with the least of this"},
    RequestParameter{"maximize", "find the design with the most of this"},
    RequestParameter{"survive", "the targets hold with one down, too; repeatable", "array", "oss"},
    RequestParameter{
        "confidence",
        "also find the best design for so many of all cases, by draws, as --confidence "
        "does",
        "string", "90%"},
    RequestParameter{"draws", "so many draws for it; default: as many as suit the design",
                     "integer", "64", 0, true},
    RequestParameter{"until", "for the design as `growth` says it will be, as 24mo or 2y"},
    RequestParameter{"checks", "designs simulated to test that more always helps; default: 8",
                     "integer", "4", 0, true},
    RequestParameter{"tornado", "assumed inputs to list, varied at the answer; default: 4",
                     "integer", "2", 0, true}};
constexpr std::array kExplain = {
    kName,
    kSet,
    kVariant,
    kSeed,
    kReplicas,
    kLimit,
    RequestParameter{"metric", "a number to take apart; repeatable; default: the headline ones",
                     "array", "job.train.gpu.utilization"},
    RequestParameter{"what_if", "most changes to try by simulation; default: 8, and 0 with metrics",
                     "integer", "4"}};
constexpr std::array kGrow = {
    kName,
    kSet,
    kVariant,
    kSeed,
    kReplicas,
    kLimit,
    RequestParameter{"of", "lets this value grow, too, as --of does; repeatable", "array",
                     "jobs.train.dataset.size=4 %/month"},
    RequestParameter{"until", "months to look, as 24mo or 2y; default: the scenario's, or 36"},
    RequestParameter{"every", "months between simulations", "integer", "3", 1}};
constexpr std::array kCompare = {kSeed, kReplicas, kLimit, kDraws};
constexpr std::array kCheck = {
    kName,
    kSet,
    kVariant,
    kSeed,
    kReplicas,
    kLimit,
    RequestParameter{"assert", "one more assertion; repeatable", "array", "cost.capex <= 2 MUSD"},
    RequestParameter{"path",
                     "the scenario's path in the baseline; default: the only one of its id"},
    RequestParameter{"tolerance", "how far a metric may become worse; repeatable", "array",
                     "job.*.step.time=1%"},
    RequestParameter{"new_only", "true: what failed in the baseline, too, passes", "string",
                     "true"},
    RequestParameter{"advice", "true: what limits a missed target, and what would meet it, too",
                     "string", "true"},
    RequestParameter{"allow_skew", "true: compare with a baseline of other model versions",
                     "string", "true"}};
constexpr std::array kDiff = {
    kSeed, kReplicas, kLimit,
    RequestParameter{"attribute", "who moved a metric: auto, shapley, oat or none", "string",
                     "none"}};
constexpr std::array kSweep = {
    kName,
    kSet,
    kVariant,
    kLimit,
    RequestParameter{"vary",
                     "varies a value, as --vary does; repeatable; default: the scenario's `sweep`",
                     "array", "storage.scratch.ost.count=8,16"},
    RequestParameter{"mode", "product, zip, latin:N or sobol:N"},
    RequestParameter{"metric", "shows this metric, NAME:min or NAME:max as a goal; repeatable",
                     "array"}};

constexpr std::string_view kJson = "application/json";
constexpr std::array kLinted = {Reply2xx{200, kJson, "Lint", "what is wrong with it, if anything"}};
constexpr std::array kResolved = {
    Reply2xx{200, kJson, "Resolved", "a scenario with every value written out"}};
constexpr std::array kEstimated = {
    Reply2xx{200, kJson, "Result", "bounds, with the method \"estimate\"; or a page of them"}};
constexpr std::array kSubmitted = {
    Reply2xx{202, kJson, "Run", "it waits or runs; look at Location after Retry-After seconds"},
    Reply2xx{200, kJson, "Run", "the same was asked before, and its result is there"}};
constexpr std::array kStatus = {Reply2xx{200, kJson, "Run", "its state"}};
constexpr std::array kResults = {
    Reply2xx{200, kJson, "Answer", "the report of the verb of that kind, as --format json"}};
constexpr std::array kPages = {Reply2xx{200, "text/html", "", "one self-contained page"}};
constexpr std::array kNothing = {Reply2xx{204, "", "", "done"}};
constexpr std::array kCatalog = {Reply2xx{200, kJson, "Catalog", "kinds, products and figures"}};
constexpr std::array kEntry = {Reply2xx{200, kJson, "Object", "a kind, product or figure"}};
constexpr std::array kTraces = {Reply2xx{200, kJson, "Object", "Chrome trace events"}};
constexpr std::array kObject = {Reply2xx{200, kJson, "Object", "a JSON document"}};
constexpr std::array kText = {Reply2xx{200, "text/plain", "", "one line or many"}};
constexpr std::array kScript = {Reply2xx{200, "text/javascript", "", "of the page"}};
constexpr std::array kStyle = {Reply2xx{200, "text/css", "", "of the page"}};

constexpr std::array kFaulty = {400, 413, 422, 503, 504};
constexpr std::array kBusy = {400, 413, 422, 429, 503};
constexpr std::array kUnknown = {404};
constexpr std::array kNoResult = {404, 409, 410, 422, 500, 504};
constexpr std::array kNotReady = {503};
/// For editors, which are told once where the schema of their scenarios is.
constexpr std::string_view kSchemaPath = "/v1/schema/1.0";
static_assert(kSchemaPath.ends_with(kScenarioFormat));

constexpr std::span<const int> kNoProblems;
constexpr std::span<const RequestParameter> kNone;

constexpr std::array kRoutes = {
    Route{"POST", "/v1/lint", "lint", "scenarios", "everything that is wrong with a scenario",
          Body::scenario, kDesign, kLinted, kFaulty, false, answer_lint},
    Route{"POST", "/v1/resolve", "resolve", "scenarios", "the resolved design", Body::scenario,
          kResolve, kResolved, kFaulty, false, answer_resolve},
    Route{"POST", "/v1/estimate", "estimate", "scenarios", "what bounds say, at once",
          Body::scenario, kEstimate, kEstimated, kFaulty, false, answer_estimate},
    Route{"POST", "/v1/runs", "run", "runs", "simulates a scenario", Body::scenario, kRun,
          kSubmitted, kBusy, false, answer_run},
    Route{"POST", "/v1/plan", "plan", "runs", "the smallest design that meets the targets",
          Body::scenario, kPlan, kSubmitted, kBusy, false, answer_plan},
    Route{"POST", "/v1/explain", "explain", "runs", "why: numbers down to their inputs",
          Body::scenario, kExplain, kSubmitted, kBusy, false, answer_explain},
    Route{"POST", "/v1/grow", "grow", "runs", "month by month: when what there is runs out",
          Body::scenario, kGrow, kSubmitted, kBusy, false, answer_grow},
    Route{"POST", "/v1/compare", "compare", "runs", "architectures side by side", Body::designs,
          kCompare, kSubmitted, kBusy, false, answer_compare},
    Route{"GET", "/v1/runs/{id}", "run_status", "runs", "the progress of a run", Body::none, kNone,
          kStatus, kUnknown, false, answer_status},
    Route{"GET", "/v1/runs/{id}/result", "run_result", "runs", "the result of a run", Body::none,
          kNone, kResults, kNoResult, false, answer_result},
    Route{"GET", "/v1/runs/{id}/report.html", "run_report", "runs", "the same for people",
          Body::none, kNone, kPages, kNoResult, false, answer_report},
    Route{"GET", "/v1/runs/{id}/slide.html", "run_slide", "runs",
          "of a simulation: its first page alone, for a projector", Body::none, kNone, kPages,
          kNoResult, false, answer_slide},
    Route{"GET", "/v1/runs/{id}/trace", "run_trace", "runs",
          "of a simulation: what happens when, for Perfetto", Body::none, kNone, kTraces, kNoResult,
          false, answer_trace},
    Route{"DELETE", "/v1/runs/{id}", "run_cancel", "runs", "cancels it, or forgets its result",
          Body::none, kNone, kNothing, kUnknown, false, answer_cancel},
    Route{"POST", "/v1/check", "check", "runs", "judges a scenario's assertions", Body::judged,
          kCheck, kSubmitted, kBusy, false, answer_check},
    Route{"POST", "/v1/diff", "diff", "runs", "what changed between two scenarios, and why",
          Body::pair, kDiff, kSubmitted, kBusy, false, answer_diff},
    Route{"POST", "/v1/sweeps", "sweep", "sweeps", "simulates many designs", Body::scenario, kSweep,
          kSubmitted, kBusy, false, answer_sweep},
    Route{"GET", "/v1/sweeps/{id}", "sweep_status", "sweeps", "how far a sweep is", Body::none,
          kNone, kStatus, kUnknown, false, answer_status},
    Route{"GET", "/v1/sweeps/{id}/result", "sweep_result", "sweeps", "its points and their figures",
          Body::none, kNone, kResults, kNoResult, false, answer_result},
    Route{"GET", "/v1/sweeps/{id}/report.html", "sweep_report", "sweeps", "the same for people",
          Body::none, kNone, kPages, kNoResult, false, answer_report},
    Route{"DELETE", "/v1/sweeps/{id}", "sweep_cancel", "sweeps",
          "cancels it, or forgets its result", Body::none, kNone, kNothing, kUnknown, false,
          answer_cancel},
    Route{"GET", "/v1/catalog", "catalog", "reference", "products and their sourced numbers",
          Body::none, kNone, kCatalog, kNoProblems, false, answer_catalog},
    Route{"GET", "/v1/catalog/{+id}", "catalog_entry", "reference",
          "one of them, by its id, as in /v1/catalog/host/dgx-h100", Body::none, kNone, kEntry,
          kUnknown, false, answer_catalog_entry},
    Route{"GET", "/v1/schema", "schema", "reference", "the JSON Schema of a scenario", Body::none,
          kNone, kObject, kNoProblems, false, answer_schema},
    Route{"GET", kSchemaPath, "schema_of_version", "reference",
          "the same, of this version of the format", Body::none, kNone, kObject, kNoProblems, false,
          answer_schema},
    Route{"GET", "/openapi.json", "openapi", "reference", "this description", Body::none, kNone,
          kObject, kNoProblems, false, answer_openapi},
    Route{"GET", "/healthz", "health", "operation", "the server answers", Body::none, kNone, kText,
          kNoProblems, true, answer_health},
    Route{"GET", "/readyz", "ready", "operation", "it takes runs", Body::none, kNone, kText,
          kNotReady, true, answer_ready},
    Route{"GET", "/metrics", "metrics", "operation", "figures for Prometheus", Body::none, kNone,
          kText, kNoProblems, false, answer_metrics},
    Route{"GET", "/", "page", "page", "a page to edit a scenario and see its report", Body::none,
          kNone, kPages, kNoProblems, true, answer_page},
    Route{"GET", "/page.js", "page_script", "page", "its script", Body::none, kNone, kScript,
          kNoProblems, true, answer_script},
    Route{"GET", "/page.css", "page_style", "page", "its style", Body::none, kNone, kStyle,
          kNoProblems, true, answer_style},
};

/// Whether `path` is of the form of `pattern`, and what stands for "{id}", or "{+id}" at its end.
bool fits(std::string_view pattern, std::string_view path, std::string& id) {
  if (const std::size_t rest = pattern.find("{+id}"); rest != pattern.npos) {
    if (!path.starts_with(pattern.substr(0, rest)) || path.size() == rest) return false;
    id = path.substr(rest);
    return true;
  }
  const std::size_t open = pattern.find("{id}");
  if (open == pattern.npos) return pattern == path;
  if (!path.starts_with(pattern.substr(0, open))) return false;
  path.remove_prefix(open);
  pattern.remove_prefix(open + 4);
  const std::size_t end = std::min(path.find('/'), path.size());
  if (end == 0 || path.substr(end) != pattern) return false;
  id = path.substr(0, end);
  return true;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

Match match(std::string_view method, std::string_view path) {
  Match out;
  for (const Route& route : kRoutes) {
    std::string id;
    if (!fits(route.path, path, id)) continue;
    if (!out.allowed.empty()) out.allowed += ", ";
    out.allowed += route.method == "GET" ? "GET, HEAD" : std::string(route.method);
    if (route.method != method) continue;
    out.route = &route;
    out.id = std::move(id);
  }
  return out;
}

}  // namespace stallcast::server
