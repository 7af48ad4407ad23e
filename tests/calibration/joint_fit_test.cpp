#include "calibration/fit/joint.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "calibration/fit/bindings.hpp"
#include "calibration/measure/mixes.hpp"

namespace stallcast::calibration::fit {
namespace {

using namespace literals;

/// R(n, b) = alpha + n (s + b / B).
Fit line(double alpha, double s, double rate) {
  Fit fit;
  fit.law = "line";
  fit.parameters = {
      {"alpha", "s", alpha, alpha, alpha}, {"s", "s", s, s, s}, {"B", "B/s", rate, rate, rate}};
  return fit;
}
const Fit kRead = line(40e-6, 10e-6, 4e9), kWrite = line(60e-6, 20e-6, 2e9);

/// Mixes of 4 KiB and 1 MiB that take `c` times what one line for both gives.
std::vector<MeasurementSet> mixes(double c) {
  MeasurementSet set;
  for (const double size : {4096.0, 1048576.0})
    for (const double share : {0.25, 0.5, 0.75}) {
      Measurement m;
      m.operation = "mixed";
      m.size = Bytes::from(size, unit::B);
      m.depth = 16;
      m.read_share = share;
      // 16 outstanding, all in one line
      const double read = 40e-6 + 16 * (10e-6 + size / 4e9);
      const double write = 60e-6 + 16 * (20e-6 + size / 2e9);
      m.ops = OpRate::from(16.0 / (c * (share * read + (1.0 - share) * write)), unit::per_s);
      set.measurements.push_back(m);
    }
  return {set};
}

std::vector<MeasurementSet> watched(std::vector<double> rates) {
  MeasurementSet set;
  set.measurements.emplace_back();
  set.measurements.back().operation = "write";
  set.measurements.back().rate_series = std::move(rates);
  return {set};
}
std::vector<double> seconds(std::size_t fast, std::size_t slow) {
  std::vector<double> out;
  for (std::size_t i = 0; i < fast; ++i) out.push_back(5e9 + (i % 2 == 0 ? 1e7 : -1e7));
  for (std::size_t i = 0; i < slow; ++i) out.push_back(1e9 + (i % 2 == 0 ? 1e7 : -1e7));
  return out;
}

}  // namespace

TEST_CASE("mixes that share one line need no parameter of their own") {
  const auto fit = fit_mixes(mixes(1.0), kRead, kWrite, {});
  REQUIRE(fit);
  CHECK(fit->verdict == FitVerdict::accepted);
  CHECK(fit->parameters.front().value == Approx(1.0).epsilon(1e-9));
  CHECK(fit->cells == 6);
}

TEST_CASE("what mixes take longer than one line is found") {
  const auto fit = fit_mixes(mixes(1.4), kRead, kWrite, {});
  REQUIRE(fit);
  CHECK(fit->verdict == FitVerdict::usable);
  CHECK(fit->parameters.front().value == Approx(1.4).epsilon(1e-9));
  CHECK(fit->median_error < 1e-9);
}

/// The same as tools tell them: a record of each way, in which repeats differ in the last digits.
std::vector<MeasurementSet> told_apart(const std::vector<MeasurementSet>& sets) {
  MeasurementSet out;
  for (const double off : {0.998, 1.002})
    for (const Measurement& m : sets[0].measurements)
      for (const bool reads : {true, false}) {
        Measurement& half = out.measurements.emplace_back(m);
        half.operation = reads ? "read" : "write";
        half.read_share = *m.read_share * off;
        half.ops = m.ops * (reads ? *half.read_share : 1.0 - *half.read_share);
      }
  return {out};
}

TEST_CASE("a mix that a tool tells as two records is one run of both") {
  for (const double c : {1.0, 1.4}) {
    const auto fit = fit_mixes(told_apart(mixes(c)), kRead, kWrite, {});
    REQUIRE(fit);
    CHECK(fit->parameters.front().value == Approx(c).epsilon(1e-6));
    CHECK(fit->cells == 6);
    CHECK(fit->runs == 12);
    CHECK(fit->noise < 1e-6);
  }
  // Reads of 4 KiB beside writes of 1 MiB: each as long as its own size takes.
  auto sets = told_apart(mixes(1.0));
  sets[0].measurements.resize(2);
  Measurement &reads = sets[0].measurements[0], &writes = sets[0].measurements[1];
  writes.size = 1_MiB;
  const double p = *reads.read_share;
  const double both = 16.0 / (p * (40e-6 + 16 * (10e-6 + 4096 / 4e9)) +
                              (1.0 - p) * (60e-6 + 16 * (20e-6 + 1048576 / 2e9)));
  reads.ops = OpRate::from(p * both, unit::per_s);
  writes.ops = OpRate::from((1.0 - p) * both, unit::per_s);
  const auto fit = fit_mixes(sets, kRead, kWrite, {});
  REQUIRE(fit);
  CHECK(fit->median_error < 0.01);
  CHECK_THAT(fit->residuals.front().cell, Catch::StartsWith("4.1 kB and 1.05 MB, 25 % reads"));
  // Of several in a row each has its own other half.
  const std::vector<Measurement> row{reads, writes, reads, writes};
  for (const std::size_t i : {0U, 1U, 2U, 3U}) CHECK(other_half(row, i) == &row[i ^ 1U]);
  // One half alone does not tell what the other was.
  sets[0].measurements.pop_back();
  CHECK_FALSE(fit_mixes(sets, kRead, kWrite, {}));
}

TEST_CASE("mixes where reads alone were not measured are doubted") {
  Fit shallow = kRead;
  shallow.ranges = {{"size", "B", 4096.0, 1048576.0}, {"depth", "count", 1.0, 8.0}};
  const auto fit = fit_mixes(mixes(1.0), shallow, kWrite, {});
  CHECK(fit->verdict == FitVerdict::usable);
  CHECK_THAT(fit->reasons.back(), Catch::StartsWith("6 of 6 mixes are of sizes or depths"));
  shallow.ranges[1].high = 16.0;
  CHECK(fit_mixes(mixes(1.0), shallow, kWrite, {})->verdict == FitVerdict::accepted);
}

TEST_CASE("mixes and watched writes on a busy machine are usable at best") {
  auto sets = mixes(1.0);
  sets[0].measurements[2].flags = {"busy"};  // one of six
  const auto mix = fit_mixes(sets, kRead, kWrite, {});
  CHECK(mix->verdict == FitVerdict::usable);
  CHECK(mix->reasons.size() == 2);
  auto writes = watched(seconds(40, 60));
  writes[0].measurements[0].flags = {"busy"};
  CHECK(fit_phases(writes, {})->verdict == FitVerdict::usable);
}

TEST_CASE("mixes that are faster than one line are taken as one line") {
  const auto fit = fit_mixes(mixes(0.85), kRead, kWrite, {});
  REQUIRE(fit);
  CHECK(fit->verdict == FitVerdict::usable);
  CHECK(fit->parameters.front().value == 1.0);
  CHECK(fit->median_error == Approx(1.0 / 0.85 - 1.0).epsilon(1e-6));               // 18 %
  CHECK(fit_mixes(mixes(0.7), kRead, kWrite, {})->verdict == FitVerdict::refused);  // 43 %
}

TEST_CASE("mixes of reads and writes with limits of their own wait in two lines") {
  // 200 MB/s each way, and 4000 requests/s: of 128 KiB the bytes limit, of 4 KiB the requests.
  Fit way;
  way.law = "throttle";
  way.parameters = {{"alpha", "s", 1e-6, 1e-6, 1e-6},
                    {"S", "B/s", 1e12, 1e12, 1e12},
                    {"s", "s", 250e-6, 250e-6, 250e-6},
                    {"B", "B/s", 2e8, 2e8, 2e8}};
  MeasurementSet set;
  for (const double share : {0.25, 0.5, 0.7, 0.75}) {
    Measurement m;
    m.operation = "mixed";
    m.size = share == 0.7 ? 4_KiB : 128_KiB;
    m.depth = 16;
    m.read_share = share;
    const double alone = share == 0.7 ? 4000.0 : 2e8 / m.size.in(unit::B);
    // R(j) = j D: G(n) is a geometric sum, D^n (p^(n+1) - q^(n+1)) / (p - q), of equal shares (n +
    // 1) (D / 2)^n.
    const double p = share, q = 1.0 - share;
    const double both =
        p == q ? 2.0 * 16 / 17
               : (std::pow(p, 16) - std::pow(q, 16)) / (std::pow(p, 17) - std::pow(q, 17));
    m.ops = OpRate::from(alone * both, unit::per_s);
    set.measurements.push_back(m);
  }
  const auto fit = fit_mixes({{set}}, way, way, {});
  REQUIRE(fit);
  CHECK(fit->law == "own lines");
  CHECK(fit->verdict == FitVerdict::accepted);
  CHECK(fit->median_error < 1e-6);
  CHECK(fit->parameters.empty());
  const auto values = values_of(*fit);
  REQUIRE(values.size() == 1);
  CHECK(values.front().field == "write.line");
  CHECK(values.front().text == "own");
}

/// Requests a second of n in flight that each wait for their own kind alone, all m of which end
/// m's response after they began: simulated, a read after each with chance p.
double simulated(const std::vector<double>& reads, const std::vector<double>& writes, double p,
                 std::size_t n) {
  std::mt19937 random(7);
  std::bernoulli_distribution is_read(p);
  struct Request {
    bool read;
    double left;
  };
  std::vector<Request> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back({is_read(random), 1.0});
  double time = 0.0, done = 0.0;
  while (done < 200'000) {
    const auto m = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const Request& one) { return one.read; }));
    const auto takes = [&](const Request& one) { return one.read ? reads[m] : writes[n - m]; };
    double next = 1e9;
    for (const Request& one : all) next = std::min(next, one.left * takes(one));
    time += next;
    std::vector<Request> later = all;
    for (std::size_t i = 0; i < n; ++i) {
      later[i].left -= next / takes(all[i]);
      if (later[i].left > 1e-9) continue;
      later[i] = {is_read(random), 1.0};
      done += 1.0;
    }
    all = std::move(later);
  }
  return done / time;
}

TEST_CASE("mixes in two lines that take about as long lose what waits in the other line") {
  const Fit read = line(60e-6, 5e-6, 3e9), write = line(60e-6, 6e-6, 2.5e9);
  MeasurementSet set;
  for (const double share : {0.5, 0.7})
    for (const double size : {4096.0, 65536.0})
      for (const std::size_t depth : {4U, 8U}) {
        std::vector<double> reads, writes;
        for (std::size_t m = 0; m <= depth; ++m) {
          reads.push_back(60e-6 + static_cast<double>(m) * (5e-6 + size / 3e9));
          writes.push_back(60e-6 + static_cast<double>(m) * (6e-6 + size / 2.5e9));
        }
        Measurement m;
        m.operation = "mixed";
        m.size = Bytes::from(size, unit::B);
        m.depth = static_cast<double>(depth);
        m.read_share = share;
        m.ops = OpRate::from(simulated(reads, writes, share, depth), unit::per_s);
        set.measurements.push_back(m);
      }
  const auto fit = fit_mixes({{set}}, read, write, {});
  REQUIRE(fit);
  CHECK(fit->law == "own lines");
  CHECK(fit->verdict == FitVerdict::accepted);
  for (const FitResidual& one : fit->residuals)
    CHECK(one.fitted == Approx(one.measured).epsilon(0.01));
  // A depth between whole ones lies between them.
  set.measurements[0].depth = 4.5;
  const auto between = fit_mixes({{set}}, read, write, {});
  CHECK(between->residuals[1].fitted > fit->residuals[0].fitted);
}

TEST_CASE("mixes need both series, and something mixed") {
  CHECK_FALSE(fit_mixes(mixes(1.0), Fit{}, kWrite, {}));
  CHECK_FALSE(fit_mixes({}, kRead, kWrite, {}));
}

TEST_CASE("a write that slows down has two rates and a size between them") {
  // 40 s at 5 GB/s, of which 1 GB/s drains: a buffer of 160 GB; then 1 GB/s
  const auto fit = fit_phases(watched(seconds(40, 60)), {});
  REQUIRE(fit);
  CHECK(fit->verdict == FitVerdict::accepted);
  CHECK(fit->parameters[0].value == Approx(5e9).epsilon(1e-3));
  CHECK(fit->parameters[1].value == Approx(160e9).epsilon(1e-3));
  CHECK(fit->parameters[2].value == Approx(1e9).epsilon(1e-3));
}

TEST_CASE("a second rate that was seen shortly is only usable, none at all is refused") {
  CHECK(fit_phases(watched(seconds(40, 15)), {})->verdict == FitVerdict::usable);
  CHECK(fit_phases(watched(seconds(40, 0)), {})->verdict == FitVerdict::refused);
  CHECK_FALSE(fit_phases(watched(seconds(15, 0)), {}));
}

}  // namespace stallcast::calibration::fit
