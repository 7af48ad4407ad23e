#include "models/failure/kinds.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kPerHostOrGpu[] = {"gpu", "host"};
constexpr std::string_view kPerProcess[] = {"gpu", "host", "job", "worker"};
constexpr std::string_view kShape =
    "1 is memoryless; fits of cluster logs give 0.7-1: more failures soon after the last";

constexpr Field<FailureParams> kHosts =
    field("hosts", &FailureParams::hosts, kOptional, "id of the host class it hits; absent: all");
constexpr Field<FailureParams> kAt =
    field("at", &FailureParams::at, kOptional,
          "date in the run at which it comes, once; then \"mtbf\" does not count", kNonNegative);
constexpr Field<FailureParams> kShapeField = field(
    "shape", &FailureParams::shape, "1", "Weibull shape of the times between two failures of a job",
    between("0.7", "1.1", assumed(up_to(10.0, {.minimum = 0.2}), kShape),
            "as cited: 0.7-1; 1.1 where repairs renew the machine"));
constexpr Field<FailureParams> kGroup =
    field("group", &FailureParams::group, "4", "hosts of one rack or power domain, lost together",
          assumed(up_to(1e5), "four 8-GPU servers in a 40 kW rack"));
constexpr Field<FailureParams> kRepair =
    field("repair", &FailureParams::repair, "1 d", "until a failed host is a spare again",
          between("4 h", "7 d", assumed(kPositive),
                  "expert range: a reboot and tests take hours, a new part days"));

constexpr std::array<Field<FailureParams>, 8> kHost{
    kHosts,
    kAt,
    field(
        "mtbf", &FailureParams::mtbf, "50000 h", "mean time between failures of one \"per\"",
        between("15000 h", "120000 h",
                cited(kPositive,
                      "MLPerf Storage v2: 50,000 h per accelerator; Llama 3: 419 unexpected "
                      "interruptions of 16,384 GPUs in 54 days, 50,680 h per GPU"),
                "expert range: Meta RSC 5e-3 a node and day (38,400 h a GPU); young sites worse")),
    field("per", &FailureParams::per, "gpu", "what \"mtbf\" is of", one_of(kPerHostOrGpu)),
    kShapeField,
    field("correlated", &FailureParams::correlated, "5 %",
          "share of the failures that takes all hosts of a \"group\"",
          between("1 %", "15 %", assumed(kShare, "switches, power and cooling: a few per cent"),
                  "expert range: a few per cent, more with shared power shelves")),
    kGroup,
    kRepair};

constexpr std::array<Field<FailureParams>, 5> kProcess{
    kHosts, kAt,
    field("mtbf", &FailureParams::mtbf, kOptional, "mean time between failures of one \"per\"",
          kPositive),
    field("per", &FailureParams::per, "job",
          "what \"mtbf\" is of; worker: one process of the loader, whose end ends the job",
          one_of(kPerProcess)),
    kShapeField};

constexpr std::array<Field<FailureParams>, 6> kRack{
    kHosts,
    kAt,
    field("mtbf", &FailureParams::mtbf, kOptional, "mean time between failures of one group",
          kPositive),
    kShapeField,
    kGroup,
    kRepair};

}  // namespace

FailureParams host_failure_params(const Component& component) { return bind<kHost>(component); }
FailureParams process_failure_params(const Component& component) {
  return bind<kProcess>(component);
}
FailureParams rack_failure_params(const Component& component) { return bind<kRack>(component); }
std::span<const FieldInfo> host_failure_fields() { return kInfos<kHost>; }
std::span<const FieldInfo> process_failure_fields() { return kInfos<kProcess>; }
std::span<const FieldInfo> rack_failure_fields() { return kInfos<kRack>; }

}  // namespace stallcast::models
