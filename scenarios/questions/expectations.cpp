#include "scenarios/questions/expectations.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "engine/base/assertion.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::scenarios {
namespace {

constexpr std::array<std::string_view, 7> kKeys = {"id",    "that",  "level",     "why",
                                                   "waive", "until", "confidence"};
constexpr std::string_view kLevels[] = {"error", "warn"};

/// "2027-03-01", a day of the calendar.
bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  int parts[3] = {};
  for (std::size_t i = 0, part = 0; i < text.size(); ++i) {
    if (i == 4 || i == 7) {
      ++part;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') return false;
    parts[part] = 10 * parts[part] + (text[i] - '0');
  }
  using namespace std::chrono;
  return year_month_day(year(parts[0]), month(static_cast<unsigned>(parts[1])),
                        day(static_cast<unsigned>(parts[2])))
      .ok();
}

/// A target of the first job, as a hint writes it.
std::string example(const Json& root) {
  const Json* id = find(root, "/jobs/0/id");
  const std::string job = id != nullptr && id->is_string() ? id->get<std::string>() : "train";
  return "\"" + metric::gpu_utilization(job) + " >= 95 %\"";
}

class ExpectationReader {
 public:
  explicit ExpectationReader(ReadContext& context) : context_(context) {}

  Expectation read(const std::string& at, std::size_t number) {
    Expectation e;
    e.pointer = at;
    e.level = "error";
    e.where = report().where(at);
    const std::pair<std::string_view, std::string*> texts[] = {
        {"id", &e.id},   {"that", &e.that},   {"level", &e.level},
        {"why", &e.why}, {"waive", &e.waive}, {"until", &e.until}};
    for (const auto& [key, text] : texts) {
      const std::string place = at + "/" + std::string(key);
      const Json* node = present(place);
      if (node == nullptr) continue;
      if (const auto read = read_text(context_, place, *node, key)) *text = *read;
      if (key == "that") e.where = report().where(place);
    }
    if (e.id.empty()) e.id = "expect-" + std::to_string(number);
    if (!used_.insert(e.id).second)
      report().error("duplicate-id", at + "/id",
                     "two \"expect\" entries have the id \"" + e.id + "\"", "give each its own id");
    if (present(at + "/that") == nullptr)
      report().error("missing", at, "the \"expect\" entry \"" + e.id + "\" has no \"that\"",
                     "add \"that\": " + example(context_.tree.root));
    if (std::find(std::begin(kLevels), std::end(kLevels), e.level) == std::end(kLevels)) {
      const std::vector<std::string> names(std::begin(kLevels), std::end(kLevels));
      report().error("choice", at + "/level", "\"" + e.level + "\" is not a level",
                     allowed_hint(e.level, names));
    }
    read_confidence(e);
    check_assertion(e);
    check_waiver(e);
    return e;
  }

 private:
  Reporter& report() { return context_.report; }

  const Json* present(const std::string& pointer) const {
    const Json* node = find(context_.tree.root, pointer);
    return node != nullptr && !node->is_null() ? node : nullptr;
  }

  void read_confidence(Expectation& e) {
    const std::string place = e.pointer + "/confidence";
    const Json* node = present(place);
    if (node == nullptr) return;
    static constexpr base::FieldInfo kConfidence{"confidence",
                                                 Dimension::ratio,
                                                 base::kOptional,
                                                 "in how many of all cases the target must hold",
                                                 {.minimum = 0.01, .maximum = 0.99}};
    if (const auto value = read_value(context_, kConfidence, place, *node))
      e.confidence = value->number;
  }

  // What the metric is worth is judged once it is known what the run reports.
  void check_assertion(const Expectation& e) {
    const std::string at = e.pointer + "/that";
    if (e.that.empty()) return;
    if (e.that.find_first_of("<>=") == std::string::npos &&
        e.that.find(" in ") == std::string::npos) {
      report().error("expect", at, "\"" + e.that + "\" has no comparison",
                     "write " + example(context_.tree.root) + "; operators: < <= > >= == in");
      return;
    }
    if (const auto parsed = base::parse_assertion(e.that); !parsed.ok())
      report().error("expect", at, parsed.failure().message, parsed.failure().hint);
  }

  // A waiver that ends is looked at again; one that does not is a target nobody has.
  void check_waiver(const Expectation& e) {
    const bool waived = present(e.pointer + "/waive") != nullptr;
    const bool ends = present(e.pointer + "/until") != nullptr;
    if (waived && !ends)
      report().error("missing", e.pointer + "/waive",
                     "the waiver of \"" + e.id + "\" has no \"until\"",
                     "add the last day it holds: \"until\": \"2027-03-01\"");
    if (waived && base::trim(e.waive).empty())
      report().error("missing", e.pointer + "/waive",
                     "the waiver of \"" + e.id + "\" gives no reason", "say why it may fail");
    if (ends && !waived)
      report().error("missing", e.pointer + "/until",
                     "\"until\" of \"" + e.id + "\" belongs to a waiver",
                     "add \"waive\": \"why it may fail\", or remove \"until\"");
    if (ends && !is_date(e.until))
      report().error("date", e.pointer + "/until", "\"" + e.until + "\" is not a date",
                     "write \"2027-03-01\"");
  }

  ReadContext& context_;
  std::set<std::string> used_;
};

}  // namespace

std::vector<Expectation> read_expectations(ReadContext& context,
                                           std::span<const std::string_view> more) {
  std::vector<Expectation> out;
  const Json* list = find(context.tree.root, "/expect");
  if (list == nullptr || list->is_null()) return out;
  if (!list->is_array()) {
    context.report.error("type", "/expect",
                         "\"expect\" is a list, not " + std::string(type_name(*list)),
                         "write [ { \"that\": " + example(context.tree.root) + " } ]");
    return out;
  }
  std::vector<std::string_view> keys(kKeys.begin(), kKeys.end());
  keys.insert(keys.end(), more.begin(), more.end());
  ExpectationReader reader(context);
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string at = "/expect" + base::pointer_token(i);
    const Json& item = (*list)[i];
    if (!item.is_object()) {
      context.report.error(
          "type", at, "an \"expect\" entry is an object, not " + std::string(type_name(item)),
          "write { \"that\": " + (item.is_string() ? item.dump() : example(context.tree.root)) +
              " }");
      continue;
    }
    check_keys(item, at, keys, "an \"expect\" entry", context.report);
    out.push_back(reader.read(at, out.size() + 1));
  }
  return out;
}

}  // namespace stallcast::scenarios
