#include <array>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "calibration/observe/observation_json.hpp"
#include "engine/base/gzip.hpp"
#include "observe/observe_support.hpp"

namespace stallcast::calibration {
namespace {

const std::vector<std::pair<std::string, std::string>>& all_small() {
  static const std::vector<std::pair<std::string, std::string>> kAll{
      {"chakra", small_chakra()},    {"darshan-dxt", small_dxt()}, {"dftracer", small_dftracer()},
      {"dlio-output", small_dlio()}, {"iolog", small_iolog()},     {"kineto", small_kineto()},
      {"strace", small_strace()}};
  return kAll;
}

std::uint64_t records(const Observation& o) {
  return o.source.inputs.empty() ? 0 : o.source.inputs[0].records;
}

/// Whole, cut, or refused: an observation of a trace with faults is one of these, and can be
/// written.
bool is_sound(const Observation& o, const Diagnostics& faults) {
  Diagnostics reading;
  const std::string text = write_observation(o);
  const Observation back = read_observation(text, "o.json", reading);
  if (!reading.items().empty() || write_observation(back) != text) return false;
  if (faults.has_errors()) return true;
  const bool complete = !o.source.inputs.empty() && o.source.inputs[0].complete;
  return complete == faults.items().empty();  // a warning says that it is cut
}

TEST_CASE("every small trace is of the format that recognises it") {
  for (const auto& [format, text] : all_small()) {
    INFO(format);
    const TraceFormat* found = recognise_trace(trace_file(text));
    REQUIRE(found != nullptr);
    CHECK(found->id == format);
    CHECK(recognise_trace(trace_file(base::gzip(text))) == found);
  }
}

TEST_CASE("a trace that is cut at any byte gives what it holds, and never more than the whole") {
  for (const auto& [format, text] : all_small()) {
    const std::uint64_t whole = records(observe(format, text));
    std::uint64_t before = 0, cut = 0, parts = 0;
    for (std::size_t size = 0; size < text.size(); ++size) {
      INFO(format << " cut behind byte " << size);
      Diagnostics faults;
      const Observation o = observe(format, std::string_view(text).substr(0, size), faults);
      REQUIRE(is_sound(o, faults));
      if (faults.has_errors()) {
        // Only where nothing was read yet: what follows a good row is a cut, never an error.
        REQUIRE(before == 0);
        continue;
      }
      REQUIRE(records(o) >= before);
      REQUIRE(records(o) <= whole);
      before = records(o);
      cut += o.source.inputs[0].complete ? 0 : 1;
      ++parts;
    }
    INFO(format);
    // All but those that end with a line or a message, which nobody can know to be cut.
    CHECK(cut * 100 > parts * 95);
  }
}

TEST_CASE("a cut is at a byte that the file has, also behind a refilled buffer") {
  const std::string one = R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"pid":0,"tid":7},)";
  for (const std::size_t events : {3U, 1000U, 10'000U}) {
    std::string text = R"({"traceEvents": [)";
    for (std::size_t i = 0; i < events; ++i) text += one;
    for (const std::size_t less : {1U, 30U}) {
      const std::size_t size = text.size() - less;
      INFO(size);
      Diagnostics faults;
      const Observation o = observe("kineto", std::string_view(text).substr(0, size), faults);
      REQUIRE(o.source.inputs.size() == 1);
      CHECK(o.source.inputs[0].cut.starts_with("byte " + std::to_string(size) + " of"));
    }
  }
}

TEST_CASE("a packed trace that is cut at any byte says where") {
  for (const auto& [format, text] : all_small()) {
    const std::string packed = base::gzip(text);
    for (std::size_t size = 2; size < packed.size(); ++size) {
      INFO(format << " cut behind byte " << size);
      Diagnostics faults;
      const Observation o = observe(format, std::string_view(packed).substr(0, size), faults);
      REQUIRE(is_sound(o, faults));
      if (!faults.has_errors()) {
        REQUIRE_FALSE(o.source.inputs[0].complete);
        REQUIRE_FALSE(o.source.inputs[0].cut.empty());
      }
    }
  }
}

TEST_CASE("a trace with any byte changed is read, cut or refused") {
  for (const auto& [format, text] : all_small()) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      constexpr std::array kOthers{'\0', '\n', '"', '9', '\xff', '}', '-'};
      for (const std::size_t turn : {at, at * 3 + 1}) {
        const char other = kOthers[turn % kOthers.size()];
        std::string changed = text;
        changed[at] = other;
        INFO(format << " byte " << at << " is " << static_cast<int>(other));
        Diagnostics faults;
        const Observation o = observe(format, changed, faults);
        REQUIRE(is_sound(o, faults));
      }
    }
  }
}

TEST_CASE("JSON that is nested without end is refused, not followed") {
  for (const char* format : {"kineto", "chakra", "dlio-output", "dftracer"}) {
    Diagnostics faults;
    (void)observe(format, R"({"traceEvents": )" + std::string(2'000'000, '['), faults);
    INFO(format);
    REQUIRE(faults.has_errors());
  }
}

TEST_CASE("a line without end is refused where it stands, and words of it are quoted in part") {
  for (const char* format : {"darshan-dxt", "dftracer", "iolog", "strace"}) {
    std::string text;
    for (const auto& [name, small] : all_small())
      if (name == format) text = small;
    const std::size_t middle = text.find('\n', text.size() / 2) + 1;
    for (const std::size_t length : {std::size_t{1} << 20U, std::size_t{17} << 20U}) {
      Diagnostics faults;
      (void)observe(format, text.substr(0, middle) + std::string(length, 'A') + text.substr(middle),
                    faults);
      INFO(format << " with " << length);
      if (length > kLongestLine) REQUIRE(faults.has_errors());
      for (const Diagnostic& fault : faults.items()) {
        CHECK(fault.message.size() < 400);
        CHECK(fault.position.line > 1);
      }
    }
  }
}

TEST_CASE("a trace of one format is no trace of another") {
  for (const auto& [format, text] : all_small()) {
    for (const auto& [other, unused] : all_small()) {
      if (other == format) continue;
      INFO(format << " read as " << other);
      Diagnostics faults;
      (void)observe(other, text, faults);
      CHECK(faults.has_errors());
    }
  }
}

}  // namespace
}  // namespace stallcast::calibration
