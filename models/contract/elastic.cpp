#include "models/contract/elastic.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::array<Field<ElasticParams>, 4> kElastic{
    field("gpus", &ElasticParams::gpus, kRequired,
          "GPUs the job lends to inference, evenly from all its hosts", kAtLeastOne),
    field("period", &ElasticParams::period, "24 h", "from one time they are lent to the next",
          assumed(kPositive, "demand of users repeats every day")),
    field("busy", &ElasticParams::busy, "8 h",
          "of every period, its end: how long inference has them; the save before they come back "
          "included",
          assumed(kPositive, "a third of a day is busy")),
    field("stop", &ElasticParams::stop, "30 s",
          "from a durable save until the processes have ended and GPUs are free",
          between("10 s", "2 min",
                  assumed(kNonNegative, "end of processes and of their GPU contexts"),
                  "expert range: a scheduler's grace time is 30 s, stuck processes take minutes"))};

}  // namespace

ElasticParams elastic_params(const Component& component) { return bind<kElastic>(component); }
std::span<const FieldInfo> elastic_fields() { return kInfos<kElastic>; }

}  // namespace stallcast::models
