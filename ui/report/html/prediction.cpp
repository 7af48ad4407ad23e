#include <algorithm>
#include <cctype>

#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/stages.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
#include "ui/report/waterfall.hpp"

namespace stallcast::report::html {
namespace {

/// Of the targets on the metric or what is below it, the worst.
std::string status_of(const Prediction& p, const std::string& metric) {
  std::string worst;
  for (const AssertionOutcome& a : p.assertions) {
    if (a.metric != metric && !a.metric.starts_with(metric + ".")) continue;
    if (worst.empty() || a.status == "fail" || (a.status == "inconclusive" && worst == "pass"))
      worst = a.status;
  }
  return worst;
}

/// `text`, with what follows `words` on one line: numbers stay with their units.
std::string together_after(std::string_view words, const std::string& text) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return markup(text);
  const std::size_t end = at + words.size();
  return markup(text.substr(0, end)) + element("span", text.substr(end), "ends");
}

/// Of the figure of what names that begin with `owner` are of.
std::string tile(const Prediction& p, const std::string& owner, const metric::Figure& figure) {
  const std::string metric = owner + std::string(figure.key);
  const Metric* m = find(p, metric);
  if (m == nullptr || (figure.domain == metric::Domain::tenant && m->value == 0.0)) return "";
  const std::string status = status_of(p, metric);
  std::string out = "<div class=\"tile " + status + "\">" + element("span", figure.name_alone()) +
                    element("b", as_counted(metric, print_value(m->value, m->unit)));
  if (const std::string said = outcomes_and_middle(p, metric); !said.empty()) {
    out += "<small>" + together_after("of outcomes ", said) + "</small>";
  } else if (m->ci95 && !m->ci90) {
    const std::string low = as_counted(metric, print_value(m->ci95->first, m->unit));
    const std::string high = as_counted(metric, print_value(m->ci95->second, m->unit));
    if (low != high) out += element("small", "mean of seeds " + low + " to " + high);
  }
  if (status == "fail") out += element("small", "target missed", "fail");
  if (status == "inconclusive") out += element("small", "not sure", "inconclusive");
  if (status == "pass") out += element("small", "target met", "pass");
  return out + "</div>\n";
}

std::string tiles(const Prediction& p, metric::Domain domain, const std::string& owner) {
  std::string out;
  for (const metric::Figure& figure : metric::figures())
    if (figure.domain == domain &&
        (figure.tile == metric::TileOn::page || figure.tile == metric::TileOn::both))
      out += tile(p, owner, figure);
  return out.empty() ? out : "<div class=\"tiles\">\n" + out + "</div>\n";
}

std::string tiles(const Prediction& p) {
  std::string out;
  for (const auto& [job, shares] : p.breakdown) {
    if (p.breakdown.size() > 1) out += element("h3", "Job " + job);
    out += tiles(p, metric::Domain::job, metric::of_job(job));
  }
  if (of_tenants_alone(p))
    for (const std::string& tenant : tenants_of(p))
      out += element("h3", "Tenant " + tenant) +
             tiles(p, metric::Domain::tenant, metric::of_tenant(tenant));
  return out + tiles(p, metric::Domain::pipeline, "pipeline.") +
         tiles(p, metric::Domain::cost, metric::of_cost("")) +
         tiles(p, metric::Domain::power, "power.");
}

std::string predicted(const Prediction& p, const AssertionOutcome& a) {
  const std::string said = outcomes_and_middle(p, a.metric);
  if (!said.empty()) return print_predicted(a) + " (" + said + ")";
  return a.ci95 ? as_counted(a.metric, print_metric({a.value, a.unit, a.ci95})) +
                      goodput_remark(a.goodput)
                : print_predicted(a);
}

std::string targets(const Prediction& p) {
  std::vector<Column> columns = {{"status"},    {"target"},     {"that"},
                                 {"predicted"}, {"limited by"}, {"why"}};
  const bool drawn =
      std::any_of(p.assertions.begin(), p.assertions.end(),
                  [](const AssertionOutcome& a) { return a.probability.has_value(); });
  if (drawn) columns.insert(columns.begin() + 4, {"holds in"});
  std::vector<std::vector<std::string>> rows;
  for (const AssertionOutcome& a : p.assertions) {
    const bool warns = a.level == "warn" && a.status == "fail";
    rows.push_back(
        {element("span", warns ? "warning" : a.status, warns || is_unlikely(a) ? "warn" : a.status),
         markup(a.id), path(a.that), markup(predicted(p, a)),
         named(a.limited_by) + (a.waited ? " (waited for most)" : ""), markup(a.why)});
    if (drawn) rows.back().insert(rows.back().begin() + 4, cases_phrase(a));
  }
  return table(columns, rows);
}

std::string time_split(const Prediction& p) {
  std::string out;
  for (const auto& [job, shares] : p.breakdown) {
    if (p.breakdown.size() > 1) out += element("h3", "Job " + job);
    out +=
        stacked_bar("where the time of " + job + " goes", cause_parts(shares, cpu_words(p, job)));
    if (const std::string undone = undone_phrase(p, job); !undone.empty())
      out += element("p", undone, "soft");
  }
  return out;
}

std::string stages(const Prediction& p) {
  std::vector<Span> spans;
  std::vector<std::vector<std::string>> rows;
  for (const StageLine& row : stage_lines(p)) {
    spans.push_back({row.id, row.begins, row.lasts});
    rows.push_back({markup(row.id), markup(row.dates), markup(row.rate), markup(row.waited),
                    named(row.limit)});
  }
  if (rows.empty()) return "";
  return element("p", stage_limit(p)) + span_bars("when each stage is at work", spans) +
         table({{"stage"}, {"when"}, {"rate"}, {"waits"}, {"limited by"}}, rows);
}

}  // namespace

std::string limits_table(const Prediction& p) {
  std::vector<std::vector<std::string>> rows;
  for (const LimitRow& row : limit_rows(p)) {
    rows.push_back({named(row.resource), row.waited, row.busy, markup(row.headroom)});
    if (p.gains) rows.back().insert(rows.back().begin() + 1, {markup(row.gain), path(row.by)});
  }
  if (rows.empty()) {
    std::string none = no_limit_rows(p);
    none.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(none.front())));
    return element("p", none + ".");
  }
  std::vector<html::Column> heads = {
      {"resource"}, {of_the_time(p).substr(1), "number"}, {"busy", "number"}, {"headroom"}};
  if (p.gains) heads.insert(heads.begin() + 1, {{"gain"}, {"most of it by"}});
  std::string out = table(heads, rows);
  for (const std::string& note : {gains_note(p), limits_left_out(p)})
    if (!note.empty()) out += element("p", note);
  return out;
}

namespace {

std::string data_path_table(const Prediction& p) {
  std::vector<std::vector<std::string>> rows;
  for (const ResourceUse* use : data_path(p))
    rows.push_back({named(use->name), print_value(use->throughput, use->unit),
                    print_value(use->capacity, use->unit), print_share(use->utilization()),
                    share_bar(use->utilization())});
  return table({{"resource"},
                {"mean", "number"},
                {"capacity", "number"},
                {"busy", "number"},
                {"", "number"}},
               rows);
}

std::string what_ifs(const Prediction& p) {
  if (p.alternatives.empty()) return "";
  const bool alone = !time_gained(p).empty();
  const GainedFigure figure = figure_gained(p, p.alternatives);
  std::vector<GainBar> gains;
  std::vector<std::vector<std::string>> rows;
  for (const Alternative& a : p.alternatives) {
    const double gain = alone ? a.gain : a.*figure.gain;
    gains.push_back(
        {label::of_change(a.change), 0.0, gain, alone ? print_share(gain) : points(gain, 2)});
    rows.push_back({titled(label::of_change(a.change), a.change), markup(gain_text(a, p))});
  }
  return element(
             "p",
             "Each change alone, simulated; " + (alone ? "time " + time_gained(p) + " saved."
                                                       : "points of " + figure.name + " gained."),
             "soft") +
         gain_bars("gain of each change", gains, kShownGain) +
         table({{"change"}, {"with it"}}, rows);
}

std::string figures(const Prediction& p, const ReportContext& context) {
  std::string out;
  for (const FigureBlock& block : figure_blocks(p)) {
    std::vector<std::vector<std::string>> rows;
    for (const FigureRow& row : block.rows)
      rows.push_back({markup(row.label), markup(row.text), path(row.metric)});
    out += element("h3", block.title) +
           captioned(block.title, table({{"figure"}, {"value"}, {"metric"}}, rows));
    if (block.title != kCostTitle) continue;
    rows.clear();
    for (const InputLine& price : context.prices)
      rows.push_back({path(price.path), markup(price.value), markup(price.source)});
    out += captioned("Prices", table({{"price"}, {"value"}, {"source"}}, rows));
  }
  return out;
}

std::string trust(const Prediction& p, const ReportContext& context) {
  std::string out;
  if (p.extrapolated)
    out += element("p", "Outside of the range the calibration profile was fitted in.", "warn");
  if (p.profile_sha256.empty())
    out += element("p",
                   "No calibration profile: rates are those of the scenario, the products it "
                   "names and documented defaults.");
  else
    out += element("p", "Calibrated by profile " + p.profile_sha256 +
                            (p.profile_id.empty() ? "" : " (" + p.profile_id + ")") + ".");
  for (const std::string& warning : p.warnings) out += element("p", warning, "warn");
  if (context.assumptions.empty()) return out;
  std::vector<std::vector<std::string>> rows;
  for (const Assumption& a : context.assumptions)
    rows.push_back({path(a.path), markup(a.value), markup(a.why)});
  const std::string list = table({{"input"}, {"value"}, {"why"}}, rows);
  // Where draws say what to measure first, the list is for looking things up.
  if (figure_to_settle(p).empty())
    return out + element("h3", "Assumed, not measured: check these first") + list;
  return out + "<details>" +
         element("summary", "Assumed, not measured: " + count_of(rows.size(), "input")) + "\n" +
         list + "</details>\n";
}

/// Inputs whose source begins with `kind`, together by what they rest on.
std::string inputs_from(std::string_view kind, std::string_view noun,
                        const ReportContext& context) {
  std::vector<std::pair<std::string, std::string>> groups;  // of sources, with their lists
  std::size_t n = 0;
  for (const InputLine& input : context.inputs) {
    if (!input.source.starts_with(kind)) continue;
    ++n;
    auto same = std::find_if(groups.begin(), groups.end(),
                             [&](const auto& group) { return group.first == input.source; });
    if (same == groups.end()) same = groups.insert(same, {input.source, ""});
    same->second += "<li>" + path(input.path) + " " + element("b", input.value) + "</li>";
  }
  if (n == 0) return "";
  std::string out = element("h3", count_of(n, noun)) + "<div class=\"together\">\n";
  for (const auto& [source, list] : groups) out += element("p", source) + "<ul>" + list + "</ul>\n";
  return out + "</div>\n";
}

/// Those that somebody set one by one; those that come with a product, and defaults, together.
std::string inputs(const ReportContext& context) {
  constexpr std::string_view kProduct = "catalog:", kDefault = "default";
  std::vector<std::vector<std::string>> rows;
  for (const InputLine& input : context.inputs)
    if (!input.source.starts_with(kProduct) && !input.source.starts_with(kDefault))
      rows.push_back({path(input.path), markup(input.value), markup(input.source)});
  return table({{"input"}, {"value"}, {"source"}}, rows) +
         inputs_from(kProduct, "product figure", context) +
         inputs_from(kDefault, "default", context);
}

}  // namespace

std::string heading(const std::string& id, const std::string& verdict, const std::string& phrase,
                    const std::string& limit, const std::string& system, bool doubtful) {
  std::string out = element("h1", id) + "\n";
  if (!system.empty()) out += element("p", system, "soft system") + "\n";
  out += "<p class=\"verdict\">";
  if (!verdict.empty()) out += element("span", verdict, doubtful ? "warn" : verdict) + ": ";
  out += markup(phrase) + "</p>\n";
  return limit.empty() ? out : out + element("p", limit, "limit") + "\n";
}

std::string reproduce_section(const ReportContext& context, const Prediction* prediction,
                              const Style& style) {
  const std::string by =
      prediction != nullptr ? run_phrase(*prediction, context, style) : made_by(context);
  const bool bounds = prediction != nullptr && is_estimate(*prediction);
  return section(
      bounds ? "Simulate it" : "Reproduce",
      (context.command.empty() ? "" : element("pre", context.command)) + element("p", by, "soft"));
}

std::string targets_mark(Verdict verdict, bool nominal, const std::string& missed) {
  switch (verdict) {
    case Verdict::none:
      return "";
    case Verdict::pass:
      return nominal ? element("span", "nominally", "inconclusive")
                     : element("span", "meets\u00a0all", "pass");
    case Verdict::inconclusive:
      return element("span", "unsure", "inconclusive");
    case Verdict::fail:
      break;
  }
  return element("span", missed.empty() ? "misses" : "misses " + missed, "fail");
}

std::string prediction_sections(const Prediction& p, const ReportContext& context,
                                const Style& style, const std::string& first) {
  const auto titled = [&](const std::string& title, const char* rest) {
    return first.find("<h2>" + title + "</h2>") == std::string::npos ? title : title + rest;
  };
  return section("Stages", stages(p)) + folded("Key figures", tiles(p)) +
         folded(titled("Targets", " in full"), targets(p)) + sureness_section(p) +
         folded(titled("Where the time goes", ", in full"), time_split(p)) +
         folded("What limits it", limits_table(p)) +
         folded("Data path, mean over the run", data_path_table(p)) +
         folded("What happens when",
                context.timeline ? timeline_section(*context.timeline, p) : std::string()) +
         folded("What would change it", what_ifs(p)) + folded("Figures", figures(p, context)) +
         folded("What this rests on", trust(p, context)) +
         folded("Inputs, and who set them", inputs(context)) +
         reproduce_section(context, &p, style);
}

}  // namespace stallcast::report::html

namespace stallcast::report {

std::string prediction_html(const Prediction& p, const ReportContext& context, const Style& style) {
  const std::string first = html::first_page(p, context);
  return html::page("Stallcast: " + p.scenario_id,
                    first + html::prediction_sections(p, context, style, first) +
                        html::data("result", result_object(p, context, style).dump()));
}

std::string prediction_slide(const Prediction& p, const ReportContext& context,
                             const Style& style) {
  return html::page("Stallcast: " + p.scenario_id,
                    html::slide(p, context, style) +
                        html::data("result", result_object(p, context, style).dump()));
}

}  // namespace stallcast::report
