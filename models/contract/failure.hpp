#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// What breaks, how often, and how a job comes back. docs/models/failures.md.
namespace stallcast::models {

/// What a failure takes with it, in growing order. A copy of the training state that lies within
/// is gone with it; `beyond` is lost with nothing.
enum class Scope { process, host, rack, beyond };

/// What differs between kinds of failures.
struct FailureStyle {
  bool kills = true;  ///< the job starts again; else a storage system goes on with less
  Scope scope = Scope::host;
};

/// Fields of all kinds together; a kind sets those of its own table.
struct FailureParams {
  std::optional<std::string> hosts;  ///< class it hits; none: every class
  std::optional<Seconds> at;         ///< date in the run: it comes once, and not at random
  std::optional<Seconds> mtbf;       ///< mean time between failures of one `per`
  double shape = 1.0;                ///< of the Weibull distribution of times between failures
  std::string per = "rack";          ///< "gpu", "host", "rack", "job", "worker"
  Fraction correlated;               ///< share that takes `group` hosts at once
  std::int64_t group = 1;            ///< hosts of one rack
  Seconds repair;                    ///< until a failed host is back among the spares
};

/// The smallest failure that takes the copies in a tier along: those inside hosts, `inside` telling
/// whether a storage system lies there, are lost with their host, those of peers with a rack.
[[nodiscard]] Scope lost_with(std::string_view tier, bool inside);

/// How a job comes back.
struct RecoveryParams {
  Seconds detect, replace, start, init;
  std::optional<Seconds> restore;
  std::optional<std::int64_t> spares;
  Seconds horizon;
  std::int64_t runs = 1;
  std::int64_t search =
      4000;       ///< failures that each interval tried goes through; 0: none is sought
  Seconds mount;  ///< of one pod: attach and mount its volumes
  std::optional<std::int64_t> mount_parallel;  ///< pods at one time; none: all
  std::int64_t pods = 1;                       ///< of one host

  /// Until all pods of a job on `hosts` hosts have their volumes.  [docs/models/failures.md, eq.
  /// 11]
  [[nodiscard]] Seconds mounted(double hosts) const;
};

[[nodiscard]] RecoveryParams recovery_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> recovery_fields();

/// A failure with a date, in the detailed run.
struct Outage {
  Seconds at;
  Scope scope = Scope::process;
  double hosts = 0.0;  ///< lost with it, the last ones of their class
  Seconds repair;
  std::string id{};
};
/// Those of `design` that hit the jobs on host class `host`, in the order of their dates.
[[nodiscard]] std::vector<Outage> outages(const Design& design, std::string_view host);
/// Whether a failure of hosts that strikes `job` comes at a date, or at random.
[[nodiscard]] bool fails_at_a_date(const Design& design, const JobDesign& job);
[[nodiscard]] bool fails_at_random(const Design& design, const JobDesign& job);

/// What of a job can fail.
struct FailingParts {
  double ranks = 1.0, hosts = 1.0;
  double workers = 0.0;  ///< loader processes of all ranks
};
/// How many things that fail this way such a job has.
[[nodiscard]] double failing_units(const FailureParams& p, const FailingParts& job);
/// Hosts of a job on `hosts` hosts that are lost where a whole group is.
[[nodiscard]] double lost_together(const FailureParams& p, double hosts);

}  // namespace stallcast::models
