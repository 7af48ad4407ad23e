#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "stallcast/client.hpp"

// What a session costs that keeps its worker: an estimate and a prediction of a changed design, and
// many designs of a sweep. Text in, figures out.
namespace {

using namespace stallcast;

constexpr int kRepeats = 15;
constexpr int kRounds = 5;
constexpr int kDesigns = 500;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// CPU time of this process and of the children it has waited for.
double cpu_seconds() {
  double sum = 0.0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  }
  return sum;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// `source` with its n-th change: another step time and number of OSTs.
ScenarioFile changed(ScenarioFile source, int n) {
  source.sets.push_back("jobs[train].step.compute=" + std::to_string(850000 + n) + " us");
  source.sets.push_back("storage[scratch].ost.count=" + std::to_string(40 + n % 7));
  return source;
}

Design design_of(const client::Session& session, const ScenarioFile& source) {
  client::Reading reading = session.read(source);
  if (reading.scenario) return reading.scenario->design();
  for (const Diagnostic& d : reading.diagnostics.items())
    std::fprintf(stderr, "%s\n", d.message.c_str());
  std::exit(EXIT_FAILURE);
}

Prediction answer(Result<Prediction> prediction) {
  if (prediction.ok()) return std::move(prediction).value();
  std::fprintf(stderr, "%s\n", prediction.failure().message.c_str());
  std::exit(EXIT_FAILURE);
}

/// What a slider waits for.
void measure_one(const client::Settings& settings) {
  const ScenarioFile source{.file = SCENARIOS "64-hosts-1h.json"};
  client::Session session(settings);
  std::vector<double> estimates, predictions, known;
  std::uint64_t events = answer(session.predict(design_of(session, source))).events;
  for (int i = 0; i < kRepeats; ++i) {
    double start = seconds();
    (void)session.estimate(design_of(session, changed(source, i)));
    estimates.push_back(1e3 * (seconds() - start));
    for (std::vector<double>* times : {&predictions, &known}) {
      start = seconds();
      events = answer(session.predict(design_of(session, changed(source, i)))).events;
      times->push_back(1e3 * (seconds() - start));
    }
  }
  std::printf(
      "`64-hosts-1h` with another step time and number of OSTs, wall clock, median of %d, reading "
      "the file included:\nestimate %.2f ms, prediction %.1f ms (%llu events), the same again "
      "from the results kept %.2f ms.\n\n",
      kRepeats, median(estimates), median(predictions), static_cast<unsigned long long>(events),
      median(known));
  std::printf("RESULT\tre-prediction in a warm worker, 512 GPUs, 1 h simulated\t%.1f ms\t30 ms\n",
              median(predictions));
  std::printf("RESULT\testimate of the same\t%.2f ms\t2 ms\n", median(estimates));
}

void measure_many(const client::Settings& settings) {
  const ScenarioFile source{.file = SCENARIOS "4-hosts-10s.json"};
  std::vector<double> rates, wall_cpu, reading;
  std::uint64_t events = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double cpu = cpu_seconds(), start = seconds();
    {
      client::Session session(settings);
      session.warm_up();
      std::vector<Design> designs;
      for (int i = 0; i < kDesigns; ++i) designs.push_back(design_of(session, changed(source, i)));
      reading.push_back(1e3 * (seconds() - start) / kDesigns);
      for (Result<Prediction>& prediction : session.predict_all(designs))
        events = answer(std::move(prediction)).events;
    }
    rates.push_back(kDesigns / (seconds() - start));
    wall_cpu.push_back(1e3 * (cpu_seconds() - cpu) / kDesigns);
  }
  std::printf(
      "%d designs of `4-hosts-10s` (some %llu events each), all different, %d at a time, start of "
      "the worker\nincluded, median of %d: %.0f a second; %.2f ms of CPU time each, %.2f ms to "
      "read "
      "one.\n\n",
      kDesigns, static_cast<unsigned long long>(events), settings.jobs, kRounds, median(rates),
      median(wall_cpu), median(reading));
}

}  // namespace

int main() {
  const client::Settings settings{.jobs = 2, .worker = STALLCAST_SIM_PATH};
  measure_one(settings);
  measure_many(settings);
}
