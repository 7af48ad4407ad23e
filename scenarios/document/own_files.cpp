#include "scenarios/document/own_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace stallcast::scenarios {
namespace {

using base::Json;

constexpr std::string_view kOurs = "stallcast.";

/// "FILE" in a hint is the file itself.
struct Kind {
  std::string_view schema, what, hint;
};
constexpr std::array kKinds = {
    Kind{"result", "a result of \"stallcast run\" or \"plan\"",
         "\"stallcast diff FILE OTHER\" compares it with another one or with a scenario"},
    Kind{"explain", "a report of \"stallcast explain\"", ""},
    Kind{"check", "a report of \"stallcast check\"",
         "what designs are held to later is made with \"stallcast check SCENARIO --baseline "
         "NEW.json "
         "--update-baseline\""},
    Kind{"baseline", "a baseline",
         "give it beside the scenario: stallcast check SCENARIO --baseline FILE"},
    Kind{"profile", "a profile", "give it beside the scenario: --profile FILE"},
    Kind{"measurements", "measurements", "\"stallcast calibrate FILE\" makes a profile of them"},
    Kind{"observation", "an observation of a job",
         "\"stallcast import observation FILE --scenario\" writes the scenario that reproduces it"},
    Kind{"comparison", "a report of \"stallcast compare\"", ""},
    Kind{"diff", "a report of \"stallcast diff\"", ""},
    Kind{"growth", "a report of \"stallcast grow\"", ""},
    Kind{"sweep", "a report of \"stallcast sweep\"", ""},
    Kind{"replay", "a report of \"stallcast replay\"", ""},
    Kind{"values", "values of \"stallcast resolve --get\"", ""},
    Kind{"lint", "a report of \"stallcast lint\"", ""},
    Kind{"validation", "a report of \"stallcast validate\"", ""},
};

/// The file that it was made of, where it says so.
std::string made_of(const Json& root) {
  const auto scenario = root.find("scenario");
  if (scenario == root.end() || !scenario->is_object()) return "";
  const auto file = scenario->find("file");
  return file != scenario->end() && file->is_string() ? file->get<std::string>() : "";
}

}  // namespace

std::optional<OwnFile> own_file(const Json& root, const std::string& file) {
  const auto schema = root.find("schema");
  if (schema == root.end() || !schema->is_string()) return std::nullopt;
  const std::string name = schema->get<std::string>();
  if (!name.starts_with(kOurs)) return std::nullopt;
  const std::string id = name.substr(kOurs.size(), name.rfind('/') - kOurs.size());
  const auto kind = std::ranges::find_if(kKinds, [&](const Kind& k) { return k.schema == id; });
  OwnFile out{kind == kKinds.end() ? "another file of this program, \"" + name + "\""
                                   : std::string(kind->what),
              kind == kKinds.end() ? "" : std::string(kind->hint)};
  constexpr std::string_view kFile = "FILE";
  if (const std::size_t at = out.hint.find(kFile); at != std::string::npos)
    out.hint.replace(at, kFile.size(), file);
  const std::string from = made_of(root);
  if (out.hint.empty())
    out.hint = from.empty() ? "give the scenario that it was made of" : "it is of " + from;
  else if (!from.empty())
    out.hint += "; its scenario is " + from;
  return out;
}

}  // namespace stallcast::scenarios
