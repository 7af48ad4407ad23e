#include "calibration/observed_job/self_check.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "calibration/observed_job/factor_search.hpp"
#include "calibration/observed_job/job_writer.hpp"
#include "scenarios/scenario_builder.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::calibration {
namespace {

constexpr int kRounds = 24;
/// Near enough: of the step, of a first batch, of a save.
/// How well simulations tell the mean of a step, while costs are solved for and in the end.
constexpr double kSolved = 0.005, kChecked = 0.0025;
constexpr double kNearStep = 0.001, kNearFirst = 0.01, kNearSave = 0.005;
/// Steps of an epoch that solving simulates, at least.
constexpr std::int64_t kSteps = 600;
/// Least discrepancy that is said, and of the log odds.
constexpr double kLeastOff = 0.002, kLeastOdds = 0.01;

/// Half of what holds nine steps in ten on a store the job was not seen on.
/// [docs/models/observed-job.md, "The self-check and the discrepancy"]
constexpr double kElsewhere = 0.025;

/// Simulations that tell the mean of a step to `error`, half of the 90 % interval.
int replicas_for(const JobFacts& facts, double error, int least, int most) {
  const double steps = static_cast<double>(facts.steps) * static_cast<double>(facts.epochs);
  const double wanted = std::pow(1.645 * facts.compute.variation() / error, 2) / steps;
  return static_cast<int>(std::clamp(std::ceil(wanted), 1.0 * least, 1.0 * most));
}

/// Half of what holds nine first batches in ten of other runs.  [docs/models/observed-job.md, eq.
/// 7]
double half_of_first(const CheckedFigure& figure, const KnownTime& first) {
  const double off = figure.simulated > 0.0 ? std::log(figure.simulated / first.value) : 1.0;
  return std::hypot(off, 1.645 * std::hypot(first.spread, kFirstBatchSpread));
}

/// First batches of all epochs on average, of what `first` was solved for.
KnownTime mean_first(const Observation& o, const JobFacts& facts, KnownTime first) {
  if (!lives_on(o, facts) || !facts.first_of_run) return first;
  const double epochs = static_cast<double>(facts.epochs);
  first.value = (first.value + (epochs - 1.0) * facts.first_of_later->mean) / epochs;
  return first;
}

double log_odds(double share) {
  const double kept = std::clamp(share, 1e-6, 1.0 - 1e-6);
  return std::log(kept / (1.0 - kept));
}

/// What a simulation says of the job, in seconds.
struct Simulated {
  double step = 0.0, wait = 0.0, first = 0.0, save = 0.0;
  double between = 0.0;              ///< wait of steps that begin no epoch
  double of_run = 0.0, later = 0.0;  ///< first batches, where these are told apart
  Prediction all;
};

std::string job_metric(std::string_view figure) { return metric::of_job(kObservedJob, figure); }

const char* save_figure(const SaveFacts& save) {
  return save.asynchronous ? "checkpoint.duration" : "checkpoint.stall";
}

/// A loop waits for the save before and then begins the next; a simulated one has begun by then.
double save_of(const Prediction& p, const SaveFacts& save) {
  const double whole = figure_or_zero(p, job_metric(save_figure(save)));
  if (!save.asynchronous) return whole;
  return whole - figure_or_zero(p, job_metric("checkpoint.backpressure"));
}

Simulated said_by(const Prediction& p, const JobFacts& facts) {
  Simulated out;
  const auto figure = [&](std::string_view name) { return figure_or_zero(p, job_metric(name)); };
  out.step = figure("steady.step.time");
  out.wait = figure("steady.wait");
  out.first = figure("first_batch");
  if (facts.saves) out.save = save_of(p, *facts.saves);
  out.between = out.wait;
  return out;
}

Result<Prediction> predicted(const WrittenJob& written, const CalibrationProfile* profile,
                             const SimulateJob& simulate, int replicas) {
  const Scenario scenario =
      ScenarioBuilder::from_json(written.json, "the scenario of the job", profile);
  if (!scenario.ok()) return scenario.failure();
  return simulate(scenario.design(), replicas);
}

/// Of a job whose first batches are told apart, too: that of the run is what one epoch begins with.
std::optional<Failure> tell_apart(const Observation& o, WrittenJob written, const JobFacts& facts,
                                  const CalibrationProfile* profile, const SimulateJob& simulate,
                                  int replicas, Simulated& said) {
  if (!facts.first_of_run) return std::nullopt;
  base::Json& job = written.json["jobs"][0];
  const double epochs = static_cast<double>(facts.epochs), steps = job["steps"].get<double>();
  job["epochs"] = 1;
  const Result<Prediction> one = predicted(written, profile, simulate, replicas);
  if (!one.ok()) return one.failure();
  said.of_run = figure_or_zero(*one, job_metric("first_batch"));
  said.later = std::max(0.0, (said.first * epochs - said.of_run) / (epochs - 1.0));
  // Workers that start are in first batches, and in no wait of steps.
  const double starting = said.of_run - figure_or_zero(*one, job_metric("first_batch.waited"));
  const double began = (said.later - (lives_on(o, facts) ? 0.0 : starting)) * (epochs - 1.0);
  if (steps > 1.0)
    said.between =
        std::max(0.0, (said.wait * (steps * epochs - 1.0) - began) / ((steps - 1.0) * epochs));
  return std::nullopt;
}

Result<Simulated> simulated(const Observation& o, const WrittenJob& job, const JobFacts& facts,
                            const CalibrationProfile* profile, const SimulateJob& simulate,
                            int replicas) {
  Result<Prediction> prediction = predicted(job, profile, simulate, replicas);
  if (!prediction.ok()) return prediction.failure();
  Simulated out = said_by(*prediction, facts);
  out.all = *std::move(prediction);
  if (const auto failed = tell_apart(o, job, facts, profile, simulate, replicas, out))
    return *failed;
  return out;
}

class Solver {
 public:
  Solver(const Observation& o, const JobFacts& facts, FreeCosts costs, const JobWriting& how,
         const CalibrationProfile* profile, const SimulateJob& simulate)
      : o_(o),
        facts_(facts),
        costs_(costs),
        how_(how),
        profile_(profile),
        simulate_(simulate),
        search_(1.0) {
    std::int64_t steps = kSteps;
    if (facts.saves && facts.saves->every_steps)
      steps = std::max(steps, 3 * *facts.saves->every_steps);
    how_.most_steps = steps;
    how_.discrepancy = {};
    costs_.known = start_costs(profile);
  }

  Result<FreeCosts> run(std::size_t& simulations) {
    // As a line that all share; then, with nothing shared, by how many readers that is as long.
    how_.alone = 0.0;
    if (const auto failed = rounds(&Solver::improve, simulations)) return *failed;
    identify();
    if (costs_.cause != WaitCause::storage || !costs_.identified || facts_.in_memory() ||
        profile_ != nullptr)
      return costs_;
    how_.alone = 1.0;
    search_ = FactorSearch(1.0);
    if (const auto failed = rounds(&Solver::improve_readers, simulations)) return *failed;
    how_.alone.reset();
    if (const auto failed = rounds(&Solver::improve_others, simulations)) return *failed;
    return costs_;
  }

 private:
  std::optional<Failure> rounds(bool (Solver::*improve)(const Simulated&),
                                std::size_t& simulations) {
    for (int round = 0; round < kRounds; ++round) {
      const Result<Simulated> said =
          simulated(o_, write_job(o_, facts_, costs_, how_), facts_, profile_, simulate_,
                    replicas_for(facts_, kSolved, 1, 8));
      simulations += facts_.first_of_run ? 2 : 1;
      if (!said.ok()) return said.failure();
      if (!(this->*improve)(*said)) break;
    }
    return std::nullopt;
  }

  /// Is there something left to improve?
  bool improve(const Simulated& said) {
    const bool wait = improve_wait(said);
    return improve_others(said) || wait;
  }

  bool improve_others(const Simulated& said) {
    const bool compute = improve_compute(said), first = improve_first(said);
    return improve_save(said) || compute || first;
  }

  /// A step without what it waits for data and saves.
  [[nodiscard]] double worked(const Simulated& said) const {
    const double saving =
        facts_.saves && !facts_.saves->asynchronous
            ? facts_.saving.in(unit::s)*said.save / std::max(facts_.saves->time.mean, 1e-12)
            : 0.0;
    return said.step - said.wait - saving;
  }

  /// What a step waits longer than was seen: for data, and for the data of other ranks where that
  /// was seen, too. Ranks that all wait at one time wait for none.
  [[nodiscard]] double waited_more(const Simulated& said) const {
    const double off = said.between - facts_.between.in(unit::s);
    if (!facts_.others) return off;
    return off + worked(said) - facts_.compute.mean - facts_.others->in(unit::s);
  }

  bool improve_compute(const Simulated& said) {
    // What one rank computes was seen by itself: nothing that ranks wait for is in it.
    if (facts_.ranks == 1 || facts_.others) return false;
    const double wanted = (facts_.step - facts_.wait - facts_.saving).in(unit::s);
    const double is = worked(said);
    if (is <= 0.0 || std::abs(is / wanted - 1.0) < kNearStep) return false;
    costs_.compute = std::clamp(costs_.compute * wanted / is, 0.5, 2.0);
    return true;
  }

  bool improve_wait(const Simulated& said) {
    if (costs_.cause == WaitCause::none || !facts_.waits_known) return false;
    if (costs_.cause == WaitCause::storage && profile_ != nullptr) return false;
    const double off = waited_more(said);
    if (std::abs(off) < kNearStep * facts_.step.in(unit::s)) return false;
    if (search_.exhausted() && !try_another(off)) return false;
    const double next = search_.next(off);
    if (costs_.cause == WaitCause::storage) costs_.storage = next;
    if (costs_.cause == WaitCause::cpu) costs_.cpu = next;
    if (costs_.cause == WaitCause::handover) costs_.handover = next;
    return true;
  }

  bool improve_readers(const Simulated& said) {
    const bool others = improve_others(said);
    const double off = waited_more(said);
    if (std::abs(off) < kNearStep * facts_.step.in(unit::s) || search_.exhausted()) return others;
    costs_.readers = search_.next(off);
    return true;
  }

  bool improve_first(const Simulated& said) {
    if (!facts_.first_batch || costs_.cause == WaitCause::none) return false;
    // Of workers that live on only the first of the run is begun with.
    const bool once = lives_on(o_, facts_) && facts_.first_of_run;
    const Seen& seen = once ? *facts_.first_of_run : *facts_.first_batch;
    const double is = once ? said.of_run : said.first;
    if (!(seen.mean > 0.0)) return false;
    const Seconds before = costs_.beginning;
    const double runs = std::sqrt(static_cast<double>(std::max<std::uint64_t>(seen.count, 1)));
    costs_.first = combined({seen.mean, kFirstBatchSpread / runs},
                            {is - before.in(unit::s), costs_.known.spread});
    const double wanted = costs_.first->value;
    if (std::abs(is / wanted - 1.0) < kNearFirst) return false;
    // Less than no time to start workers is in no field.
    const Seconds least =
        -1.0 * (costs_.known.boot + costs_.known.start * static_cast<double>(workers_of(o_)));
    costs_.beginning = std::max(before + Seconds::from(wanted - is, unit::s), least);
    return costs_.beginning != before;
  }

  bool improve_save(const Simulated& said) {
    if (!facts_.saves || !facts_.saves->flushed() || !costs_.write || !(said.save > 0.0) ||
        profile_ != nullptr)
      return false;
    const SaveFacts& save = *facts_.saves;
    const double more = save.time.mean - said.save;
    if (std::abs(more) < kNearSave * save.time.mean) return false;
    const double writing = *save.size / *costs_.write / Seconds::from(1, unit::s);
    if (writing + more > 0.02 * save.time.mean) {
      costs_.write = *save.size / Seconds::from(writing + more, unit::s);
      return true;
    }
    const Rate faster = *costs_.serialize * 1.5;
    if (faster > Rate::from(1, unit::TBps)) return false;
    costs_.serialize = faster;
    return true;
  }

  /// Where a cause explains nothing even when it costs next to nothing, another one is tried.
  bool try_another(double off) {
    if (off <= 0.0) return false;
    const auto next = [&]() -> std::optional<WaitCause> {
      if (costs_.cause == WaitCause::handover) return WaitCause::storage;
      if (costs_.cause == WaitCause::storage && facts_.sample_cpu) return WaitCause::cpu;
      return std::nullopt;
    }();
    if (!next || (*next == WaitCause::storage && profile_ != nullptr)) return false;
    costs_.cause = *next;
    search_ = FactorSearch(1.0);
    return true;
  }

  /// The interval of the cause's factor, where waits decide it.
  void identify() {
    if (costs_.cause == WaitCause::none || !waits_for_data(o_, facts_) || search_.exhausted())
      return;
    const double error = std::hypot(facts_.wait_error, kNearStep) * facts_.step.in(unit::s);
    if (search_.slope() <= 0.0) {
      costs_.identified = 0.05;
      return;
    }
    costs_.identified = std::clamp(std::expm1(error / search_.slope()), 0.02, 0.5);
  }

  const Observation& o_;
  const JobFacts& facts_;
  FreeCosts costs_;
  JobWriting how_;
  const CalibrationProfile* profile_;
  const SimulateJob& simulate_;
  FactorSearch search_;
};

}  // namespace

Result<FreeCosts> solve(const Observation& observation, const JobFacts& facts, FreeCosts costs,
                        const JobWriting& how, const CalibrationProfile* profile,
                        const SimulateJob& simulate, std::size_t& simulations) {
  return Solver(observation, facts, costs, how, profile, simulate).run(simulations);
}

Result<SelfCheck> check_job(const Observation& observation, const JobFacts& facts,
                            const FreeCosts& costs, const JobWriting& how,
                            const CalibrationProfile* profile, const SimulateJob& simulate) {
  const Result<Simulated> said =
      simulated(observation, write_job(observation, facts, costs, how), facts, profile, simulate,
                replicas_for(facts, kChecked, 3, 30));
  if (!said.ok()) return said.failure();
  SelfCheck out;
  for (const JobFigure& figure : figures_of(facts, kObservedJob))
    out.figures.push_back({figure, figure.what == JobFigure::What::save
                                       ? said->save
                                       : figure_or_zero(said->all, figure.metric)});
  const auto half = [](const CheckedFigure& figure) {
    const double off =
        figure.simulated > 0.0 ? std::log(figure.simulated / figure.seen.value) : 1.0;
    return std::max(std::hypot(off, figure.seen.error), kLeastOff);
  };
  const CheckedFigure *step = nullptr, *wait = nullptr;
  for (const CheckedFigure& figure : out.figures) {
    const JobFigure::What what = figure.seen.what;
    if (what == JobFigure::What::wait) wait = &figure;
    if (!(figure.seen.value > 0.0)) continue;
    if (what == JobFigure::What::step) {
      // With a profile its storage is known by probes, so that it can be put on another one.
      out.discrepancy.step = std::hypot(half(figure), profile == nullptr ? 0.0 : kElsewhere);
      step = &figure;
    }
    if (what == JobFigure::What::first_batch)
      out.discrepancy.first_batch =
          costs.first ? half_of_first(figure, mean_first(observation, facts, *costs.first))
                      : half(figure);
    if (what == JobFigure::What::save) out.discrepancy.checkpoint = half(figure);
  }
  if (step != nullptr && wait != nullptr && step->simulated > 0.0) {
    // What is used is what neither waits nor saves take.
    const double saving = facts.saving / facts.step;
    double seen = wait->seen.value / step->seen.value, is = wait->simulated / step->simulated;
    if (facts.others) {  // ranks wait for each other as well
      seen += facts.others->in(unit::s) / step->seen.value;
      is = 1.0 - facts.compute.mean / step->simulated - saving;
    }
    const double apart = log_odds(1.0 - is - saving) - log_odds(1.0 - seen - saving);
    const double used = std::clamp(1.0 - seen - saving, 1e-6, 1.0 - 1e-6);
    out.discrepancy.utilization =
        std::max(std::hypot(apart, facts.wait_error / (used * (1.0 - used))), kLeastOdds);
    JobFigure share{JobFigure::What::wait, "wait share", "",
                    Dimension::ratio,      seen,         facts.wait_error};
    out.figures.insert(out.figures.begin() + (wait - out.figures.data()) + 1, {share, is});
  }
  const auto first = std::find_if(out.figures.begin(), out.figures.end(), [](const auto& figure) {
    return figure.seen.what == JobFigure::What::first_batch;
  });
  if (facts.first_of_run && first != out.figures.end()) {
    const std::vector<JobFigure> both = first_batches_of(facts);
    *first = {both[0], said->of_run};
    out.figures.insert(first + 1, {both[1], said->later});
  }
  return out;
}

}  // namespace stallcast::calibration
