#pragma once

/// Which metrics reports for people show, under which names.
namespace stallcast::report {

struct MetricRow {
  const char* metric;
  const char* label;
};
inline constexpr MetricRow kJobRows[] = {{"au", "AU (DLIO)"},
                                         {"goodput", "goodput"},
                                         {"goodput.p5", "goodput, worst 5 %"},
                                         {"step.time", "step"},
                                         {"first_batch", "first batch after"},
                                         {"throughput.samples", "samples"},
                                         {"throughput.bytes", "data read"},
                                         {"restore.duration", "restore"}};
inline constexpr MetricRow kCheckpointRows[] = {{"checkpoint.size", "size"},
                                                {"checkpoint.stall", "stall per save"},
                                                {"checkpoint.duration", "durable after"},
                                                {"checkpoint.bandwidth", "bandwidth"},
                                                {"checkpoint.overhead", "overhead"}};

inline constexpr MetricRow kTenantRows[] = {{"read", "reads"},
                                            {"write", "writes"},
                                            {"operations", "requests"},
                                            {"latency", "latency"},
                                            {"weights.load", "weights loaded in"},
                                            {"behind", "not yet written"}};

inline constexpr MetricRow kFailureRows[] = {
    {"failures.mtbf", "mean time between"},
    {"failures.count", "failures"},
    {"failures.lost_work", "work lost by each"},
    {"failures.restart", "restart"},
    {"failures.lost.share", "time in lost work"},
    {"failures.restart.share", "time in restarts"},
    {"failures.waiting.share", "waiting for spares"},
    {"checkpoint.best_interval", "best save interval"},
    {"checkpoint.best_interval.goodput", "goodput with it"},
    {"checkpoint.best_interval.young", "Young's formula"},
    {"checkpoint.best_interval.daly", "Daly's formula"}};

inline constexpr MetricRow kRestartRows[] = {{"restart.count", "failures at a date"},
                                             {"restart.duration", "until steps go on"},
                                             {"restart.restore.duration", "of it, restore"},
                                             {"restart.waiting", "of it, for a spare"},
                                             {"restart.lost_work", "work lost"},
                                             {"restart.lost_steps", "steps done again"},
                                             {"restart.caught_up", "caught up after"}};

inline constexpr MetricRow kElasticRows[] = {
    {"elastic.lent.gpu_hours", "GPU hours lent"},      {"elastic.lent.share", "share of all"},
    {"elastic.lost.gpu_hours", "GPU hours in shifts"}, {"elastic.lost.share", "share of all"},
    {"elastic.trained.share", "trained, of all"},      {"elastic.shift.save", "save of a shift"},
    {"elastic.shift.restart", "restart of a shift"}};

inline constexpr MetricRow kFaultRows[] = {{"count", "failures"},
                                           {"lasted", "lasted"},
                                           {"stall", "GPUs waited"},
                                           {"gpu.utilization", "GPU utilization"}};

inline constexpr MetricRow kCostRows[] = {
    {"capex", "bought for"}, {"gpu_idle", "idle GPUs"}, {"per_useful_gpu_hour", "useful GPU-hour"}};

}  // namespace stallcast::report
