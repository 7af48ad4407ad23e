#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/host_cores.hpp"
#include "models/contract/phase_clock.hpp"
#include "models/contract/stage_supply.hpp"
#include "models/plant/plant.hpp"
#include "models/stage/graph.hpp"

namespace stallcast::models {

/// A stage that moves data, at work: in pieces far larger than its chunks, which begin and end as
/// small as they are. docs/models/stages.md.
class StageMover {
 public:
  /// REQUIRES: the plant is attached; all outlive this.
  StageMover(const StageNode& node, Plant& plant, sim::Context& context);

  /// Reads what `behind` have brought (all of it when empty), and brings its own to `out`.
  [[nodiscard]] sim::Task<void> run(std::vector<StageSupply*> behind, StageSupply& out);

  /// Time that workers waited for their input, on average.
  [[nodiscard]] Seconds starved() const { return starved_ / members_; }
  /// What its own time went to: of those that overlap, what took longest.
  [[nodiscard]] WaitSplit limited() const;
  /// Core time that no simulated CPU carried.
  [[nodiscard]] Seconds uncontended() const;
  /// Date of its first piece; infinite before.
  [[nodiscard]] Seconds began() const { return began_; }

 private:
  /// How fast a gang reads or writes.
  struct Pace {
    Rate free{};                   ///< of its last piece that nothing slowed down; 0: not known
    Rate slow = Rate::infinity();  ///< most that its present piece is moved with
    Seconds took{};                ///< its last piece, without outages
    /// Time of so many bytes that nothing slows down; 0: not known.
    [[nodiscard]] Seconds alone(Bytes bytes) const {
      return free > Rate{} ? bytes / free : Seconds{};
    }
    void done(Bytes bytes, Seconds time) {
      took = time;
      if (!slow.finite() && time > Seconds{}) free = bytes / time;
    }
  };
  /// Data that a gang works on in one go.
  struct Piece {
    Bytes bytes{};         ///< of all its members
    double members = 1.0;  ///< that it keeps busy
    [[nodiscard]] Bytes each() const { return bytes / members; }
  };
  /// What gangs take their pieces of: all, or what each host of a group reads in full.
  struct Pool {
    Bytes read{};  ///< in all
    double members = 0.0;
    Bytes taken{}, brought{};
  };
  /// Workers that act together.
  struct Gang {
    std::size_t pool = 0;
    double members = 1.0;
    double size = 1.0;    ///< of its pieces, over that of others
    double others = 0.0;  ///< workers of other gangs on its hosts, for each of its own
    Client reader, writer;
    HostCores cores;
    Seconds due{};  ///< of its next piece, where a rate is given
    Pace reading{}, writing{};
    Seconds computing{};  ///< of its last piece
    Rate moved{};         ///< in the piece before, outages apart; 0: there was none
    /// `client` as it acts for a piece, beside the other gangs.
    [[nodiscard]] Client acting(const Client& client, const Piece& piece) const {
      Client out = client;
      out.members = piece.members;
      out.beside = piece.members * others;
      return out;
    }
  };
  [[nodiscard]] Piece next(const Gang& gang);
  /// How many pieces it is moved in at least. REQUIRES: it runs.
  [[nodiscard]] double pieces();
  /// `waited`: for its input.
  sim::Task<void> overlap(Gang& gang, Piece piece, Seconds waited);
  /// Waits as long as chunks would have, since `began`, for storage that stood still meanwhile.
  sim::Task<void> await_outages(Piece piece, Seconds began, Seconds longest);
  sim::Task<void> work(Gang& gang, const std::vector<StageSupply*>& behind, StageSupply& out);
  sim::Task<Seconds> await_input(const Gang& gang, const std::vector<StageSupply*>& behind);
  /// How long where it reads, or writes, has stood still since that date.
  [[nodiscard]] Seconds stood(const std::string& storage, Seconds since) const {
    return plant_.resources().stood(storage, since, context_.now());
  }
  /// How long either did.
  [[nodiscard]] Seconds outages(Seconds since) const;
  sim::Task<void> read(Gang& gang, Piece piece);
  sim::Task<void> compute(Gang& gang, Piece piece);
  sim::Task<void> write(Gang& gang, Piece piece);
  void spent(WaitSplit& on, const Piece& piece, Seconds since, ResourceIndex resource);

  const StageNode& node_;
  Plant& plant_;
  sim::Context& context_;
  std::string name_;  ///< of its own limits
  std::vector<Pool> pools_;
  std::vector<Gang> gangs_;
  double members_ = 0.0, pieces_ = 0.0;
  Seconds began_ = Seconds::infinity();
  Seconds starved_;
  WaitSplit reading_, computing_, writing_;
};

}  // namespace stallcast::models
