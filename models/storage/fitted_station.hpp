#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/resources.hpp"
#include "models/storage/served_bytes.hpp"

/// A device that is known by its response times over size and depth: docs/models/measured.md.
namespace stallcast::models {

/// How responses grow with what is outstanding.
enum class ResponseLaw {
  fifo,      ///< queues of servers, request by request: RequestQueues, not FittedStation
  line,      ///< alpha + max(n, K) (s + b / B): alpha is paid once per round of the queue
  mva,       ///< a delay alpha and K lanes drawn at random, of demand s + b / B all together
  roofline,  ///< max(alpha + b / S, n (s + b / B))
  throttle   ///< max(alpha + b / S, n max(s, b / B)): limits of operations and of bytes apart
};
inline constexpr std::string_view kResponseLaws[] = {"fifo", "line", "mva", "roofline", "throttle"};
/// REQUIRES: `id` is one of kResponseLaws.
[[nodiscard]] ResponseLaw response_law(std::string_view id);

/// The parameters of one kind of operation.
struct ResponseParams {
  ResponseLaw law = ResponseLaw::line;
  Seconds latency;                 ///< alpha
  Seconds per_op;                  ///< s
  Rate rate = Rate::infinity();    ///< B
  Rate stream = Rate::infinity();  ///< S
  double lanes = 1.0;              ///< K
  double private_demands = 0.0;    ///< P: demands that each takes by itself, on top of alpha

  /// Time of the server for an operation of `bytes`: s + b / B, or the greater of both.
  [[nodiscard]] Seconds demand(Bytes bytes) const;
  /// What an operation takes besides waiting: alpha + b / S.
  [[nodiscard]] Seconds alone(Bytes bytes) const;
  /// What does not grow with what is outstanding: alpha + P (s + b / B).
  [[nodiscard]] Seconds by_itself(Bytes bytes) const {
    return latency + demand(bytes) * private_demands;
  }
};

/// What reads and writes in one line do to each other besides waiting: while both are outstanding
/// all take `coupling` times as long.                                      [measured.md, eq. 8]
class Mix {
 public:
  explicit Mix(double coupling = 1.0) : coupling_(coupling) {}
  /// `operations` more are outstanding; negative: fewer.
  void add(bool writes, double operations);
  [[nodiscard]] double factor() const;

 private:
  double coupling_, reads_ = 0.0, writes_ = 0.0;
};

/// Operations of one class of clients.
struct StationOps {
  double members = 1.0;     ///< clients acting together
  double share = 1.0;       ///< weight of each
  double operations = 1.0;  ///< per member, one round of `in_flight` after the other
  double in_flight = 1.0;   ///< per member
  Bytes size;               ///< of one
  bool writes = false;
  std::size_t kind = 0;  ///< those of one kind have one latency
};

/// The server. Operations of all kinds wait in one line, so that each takes as long as all that is
/// outstanding needs together: T = alpha + sum of demands.
class FittedStation {
 public:
  FittedStation() = default;
  /// What serves: `servers` such devices whose work is spread evenly.
  struct Shape {
    double servers = 1.0;
    double coupling = 1.0;              ///< of reads and writes
    std::size_t kinds = 1;              ///< of operations; those beyond are of the last one
    std::span<const double> weights{};  ///< of clients from the least on, which may be anybody's
  };
  /// `resource` is blamed.
  FittedStation(sim::Context& context, ResourceTable& resources, const std::string& link,
                ResourceIndex resource, const Shape& shape);

  /// Until all operations of `ops` are done. REQUIRES: the law is not fifo.
  [[nodiscard]] sim::Task<void> serve(const ResponseParams& params, StationOps ops);
  /// Bytes of its operations so far. `running`: by link, what flows under way have carried.
  [[nodiscard]] Bytes moved(bool writes, std::span<const Bytes> running) const;

 private:
  /// What is outstanding.
  struct Outstanding {
    double operations = 0.0;
    Seconds work;     ///< demands of all
    Seconds delayed;  ///< sum of alpha over them
    Seconds laned;    ///< sum of demand x lanes

    void add(const ResponseParams& params, const StationOps& ops, double sign);
    void add(const Outstanding& other, double times);
  };
  /// Operations of one latency and weight.
  struct Kind {
    Outstanding own;
    bool limited = false;  ///< by what all that is outstanding leaves them: laws line and mva
    bool random = false;   ///< law mva
    std::vector<sim::LinkId> path;
  };
  struct Class {
    double weight = 1.0;
    std::vector<Kind> kinds;
  };
  void change(const ResponseParams& params, const StationOps& ops, double sign);
  void share_out();
  [[nodiscard]] Kind& kind_of(const StationOps& ops);
  [[nodiscard]] double speed(const Outstanding& of, const Kind& kind) const;

  sim::Context* context_ = nullptr;
  double servers_ = 1.0;
  sim::LinkId link_;
  Mix mix_;
  ServedBytes served_bytes_;
  std::vector<Class> classes_;  ///< from the least weight on
};

}  // namespace stallcast::models
