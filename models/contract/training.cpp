#include "models/contract/training.hpp"

#include "models/contract/priority.hpp"

namespace stallcast::models {
namespace {

using namespace base;

struct StepCommon {
  Fraction jitter, sharing;
  Seconds overhead, warm_up;
};
constexpr std::array<Field<StepCommon>, 4> kStepCommon{
    field("jitter", &StepCommon::jitter, "1 %",
          "standard deviation of one rank's step time over its mean (lognormal)",
          between("0.5 %", "3 %", assumed(kNonNegative, "1 % for dense training"),
                  "expert range: dense training 0.5-1 %, shared or uneven hosts up to 3 %")),
    field("overhead", &StepCommon::overhead, "0 ms",
          "host work per step and rank that nothing hides",
          between("0 ms", "5 ms", kNonNegative,
                  "DLIO loops lose 0.7-3 ms a step (MLPerf Storage v1.0); logging adds more")),
    field("sharing", &StepCommon::sharing, "0 %",
          "of a step, lost to the thread pools of other ranks where each core of a host has one; "
          "grows with the root of their number",
          between("0 %", "2 %", kNonNegative,
                  "TensorFlow under DLIO 4-10 % in steps of 3.5 to 435 ms, PyTorch near 0 "
                  "(MLPerf Storage v1.0); loops with little host work near 0")),
    field("warm_up", &StepCommon::warm_up, "0 s",
          "what the first step of the run, and of each restart, takes more: kernels are loaded, "
          "chosen and compiled",
          kNonNegative)};

constexpr std::array<Field<ModelParams>, 12> kModel{
    field("parameters", &ModelParams::parameters, kOptional, "number of parameters (70B, or 70e9)",
          kPositive),
    field("state.weights", &ModelParams::weights, "2", "bytes per parameter saved for the weights",
          cited(kNonNegative,
                "bf16 weights; 14 B in all agrees with the MLPerf Storage llama3 checkpoints")),
    field("state.master", &ModelParams::master, "4",
          "bytes per parameter saved for fp32 master weights",
          cited(kNonNegative, "mixed precision Adam")),
    field("state.momentum", &ModelParams::momentum, "4",
          "bytes per parameter saved for Adam's first moment",
          cited(kNonNegative, "mixed precision Adam")),
    field("state.variance", &ModelParams::variance, "4",
          "bytes per parameter saved for Adam's second moment",
          cited(kNonNegative, "mixed precision Adam")),
    field("state.other", &ModelParams::other, "0",
          "further bytes per parameter, for example fp32 gradients", kNonNegative),
    field("shape.vocabulary", &ModelParams::vocabulary, kOptional,
          "tokens of the vocabulary of a transformer", up_to(1e8)),
    field("shape.hidden", &ModelParams::hidden, kOptional, "hidden size", up_to(1e6)),
    field("shape.ffn", &ModelParams::ffn, kOptional, "hidden size of the feed-forward layers",
          up_to(1e7)),
    field("shape.heads", &ModelParams::heads, kOptional, "attention heads", up_to(1e5)),
    field("shape.kv_heads", &ModelParams::kv_heads, kOptional, "key and value heads", up_to(1e5)),
    field("shape.layers", &ModelParams::layers, kOptional, "transformer layers", up_to(1e5))};

constexpr std::string_view kAuRounds[] = {"dlio-v1", "dlio-v2"};
constexpr std::array<Field<JobParams>, 27> kJob{
    field("hosts", &JobParams::hosts, kRequired, "id of the host class it runs on"),
    field("accelerators", &JobParams::accelerators, kOptional,
          "GPUs used, spread evenly over the hosts; absent: all of them", kAtLeastOne),
    field("epochs", &JobParams::epochs, kOptional,
          "epochs to train; absent: as long as the run lasts", kAtLeastOne),
    field("steps", &JobParams::steps, kOptional,
          "steps of one epoch; absent: what the data set gives", kAtLeastOne),
    field("parallel.tensor", &JobParams::tensor, "1", "ranks that share every layer of the model",
          up_to(1e5)),
    field("parallel.pipeline", &JobParams::pipeline, "1", "stages the layers are dealt to",
          up_to(1e5)),
    field("barrier.base", &JobParams::barrier_base, "20 us", "release cost of the step barrier",
          between("10 us", "100 us", assumed(kNonNegative),
                  "expert range: NCCL 10-40 us, processes over MPI more")),
    field("barrier.per_doubling", &JobParams::barrier_per_doubling, "10 us",
          "release cost added per doubling of the number of ranks",
          between("5 us", "100 us", assumed(kNonNegative),
                  "expert range: NCCL 5-20 us; Python processes over MPI up to 400 us")),
    field("barrier.per_sqrt", &JobParams::barrier_per_sqrt, "0 s",
          "release cost per square root of the number of ranks: what a barrier of processes whose "
          "delays vary costs",
          between("0 s", "1 ms", kNonNegative,
                  "DLIO 0.13-1.55 ms by workload (MLPerf Storage v1.0); near 0 with NCCL")),
    field("barrier.fitted.fewest", &JobParams::barrier_fewest, kOptional,
          "fewest ranks the barrier was fitted to; fewer warn", kAtLeastOne),
    field("barrier.fitted.most", &JobParams::barrier_most, kOptional,
          "most ranks the barrier was fitted to; more warn", kAtLeastOne),
    field("au", &JobParams::au, "dlio-v2",
          "round of MLPerf Storage whose DLIO counts job.J.throughput.dlio: v1.0 all samples of an "
          "epoch over all of its time, v2.0 and later all but two steps of them over the time "
          "behind the first; job.J.au is the same in both",
          one_of(kAuRounds)),
    field("share", &JobParams::share, kOptional,
          "weight of its transfers when they share a resource, as tenants have it; absent: 1",
          kPositive),
    field("priority", &JobParams::priority, "normal",
          "class where a resource is shared: a higher one is served before a lower, \"share\" "
          "divides within one (NRS policies of Lustre, weights of NVMe queues, QoS classes)",
          one_of(kPriorities)),
    field("limit", &JobParams::limit, kOptional,
          "bytes a second that it may move to and from storage, all its ranks together (Lustre's "
          "NRS-TBF by job, QoS classes of WEKA and GPFS)",
          kPositive),
    field("limit_operations", &JobParams::limit_operations, kOptional,
          "requests of up to 4 MiB, opens and creates a second that it may begin, all its ranks "
          "together",
          kPositive),
    field("after", &JobParams::after, kOptional,
          "ids of the stages and jobs it follows; absent: stages that bring data to where its data "
          "set lies, []: none"),
    field("after_share", &JobParams::after_share, kOptional,
          "of what these bring, with which it begins: its first epoch reads what is there; absent: "
          "all of it",
          kShare),
    field(
        "run.tokens", &JobParams::run_tokens, kOptional,
        "tokens to train on in all, of which the simulation shows a part: job.J.run.time says how "
        "long that takes",
        kPositive),
    field("run.tokens_per_parameter", &JobParams::run_tokens_per_parameter, kOptional,
          "the same, for each parameter of the model: 20 is compute-optimal (Hoffmann et al. 2022)",
          kPositive),
    field("run.tokens_per_step", &JobParams::run_tokens_per_step, kOptional,
          "tokens of a step, all ranks together, where the step does not say it", kPositive),
    field("run.epochs", &JobParams::run_epochs, kOptional, "epochs to train in all", kPositive),
    field("run.steps", &JobParams::run_steps, kOptional, "steps to train in all", kPositive),
    field("discrepancy.step", &JobParams::off_step, kOptional,
          "what no input explains of the job's step times and throughput, half of what holds nine "
          "in ten, in place of what holds for all jobs; no simulation takes it",
          kNonNegative),
    field("discrepancy.first_batch", &JobParams::off_first_batch, kOptional,
          "the same of its first batches and first steps", kNonNegative),
    field("discrepancy.checkpoint", &JobParams::off_checkpoint, kOptional,
          "the same of its saves and restores", kNonNegative),
    field(
        "discrepancy.utilization", &JobParams::off_utilization, kOptional,
        "the same of its utilization, AU and goodput, of the logarithm of their odds: 0.25 are 2.1 "
        "points at 90 %",
        kNonNegative)};

constexpr std::string_view kSlowest[] = {"classes", "all"};
constexpr std::string_view kBackends[] = {"comm", "fluid"};
constexpr std::array<Field<RunParams>, 8> kRun{
    field("duration", &RunParams::duration, kOptional,
          "simulated time after which jobs stop at a step, of jobs in a row each from its own "
          "start; absent: their epochs, or 1 h. Needed "
          "where there are tenants, and neither a job nor a replay: they end then",
          kPositive),
    field("seed", &RunParams::seed, "1", "first random seed", kNonNegative),
    field("replicas", &RunParams::replicas, "3", "simulations with different seeds",
          FieldLimits{.minimum = 1.0, .maximum = 10000.0}),
    field("detail", &RunParams::detail, "16",
          "most classes of ranks simulated one by one when samples differ in size; workers told "
          "apart where they do not",
          up_to(4096)),
    field("fold", &RunParams::fold, "true",
          "simulate ranks that act alike as one class; false: every rank by itself"),
    field(
        "slowest", &RunParams::slowest, "all",
        "whom a step waits for where delays of reads are drawn and ranks are simulated as classes: "
        "the slowest of all ranks, those that are not simulated by the longest of their delays, or "
        "of the classes alone",
        one_of(kSlowest)),
    field("fast_forward", &RunParams::fast_forward, "true",
          "count what only repeats instead of simulating it"),
    field("backend", &RunParams::backend, "fluid",
          "who shares links among transfers: our solver, or comm, SimGrid's own transfers, to "
          "compare: slow with many at a time",
          one_of(kBackends))};

}  // namespace

ModelParams model_params(const Component& component) {
  ModelParams p = bind<kModel>(component);
  if (!p.parameters && p.has_shape()) p.parameters = p.shape_parameters();
  return p;
}
std::span<const FieldInfo> model_fields() { return kInfos<kModel>; }
JobParams job_params(const Component& component) { return bind<kJob>(component); }
std::span<const FieldInfo> job_fields() { return kInfos<kJob>; }
RunParams run_params(const Component& component) { return bind<kRun>(component); }
std::span<const FieldInfo> run_fields() { return kInfos<kRun>; }
std::span<const FieldInfo> step_common_fields() { return kInfos<kStepCommon>; }

double ModelParams::shape_parameters() const {
  if (!has_shape()) return 0.0;
  // P = 2 V h + h + L (2 h + h (h + 2 d) + h^2 + 3 f h), d = floor(h / heads) kv_heads
  const std::int64_t h = *hidden, d = h / *heads * *kv_heads;
  const std::int64_t layer = 2 * h + h * (h + 2 * d) + h * h + 3 * *ffn * h;
  return static_cast<double>(2 * *vocabulary * h + h + *layers * layer);
}

StepTime step_time(const Component& step, Seconds mean) {
  const StepCommon common = bind<kStepCommon>(step);
  return {.mean = mean,
          .cv = common.jitter.in(unit::ratio),
          .overhead = common.overhead,
          .sharing = common.sharing.in(unit::ratio),
          .warm_up = common.warm_up};
}

Seconds StepTime::slowest(double ranks, base::RandomStream& random) const {
  if (cv <= 0.0) return mean;
  // F_max = F^n for n independent ranks    [docs/models/compute.md, eq. 2]
  return Seconds::from(random.lognormal_max(mean.in(unit::s), spread, ranks), unit::s);
}

}  // namespace stallcast::models
