#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>

#include "engine/sim/context.hpp"
#include "models/contract/storage.hpp"
#include "models/storage/placed_rate.hpp"

namespace stallcast::models {

/// Files of several saves that are written, or read, at one time: the fullest target is that of all
/// of them, as if they were of one.    [docs/models/storage.md, eq. 6b]
///
/// Their data cross a link. While those of one save move it is wider than the media, and what that
/// save's files leave each other holds them as ever; while those of several do, it is as wide as
/// targets serve all: what one does not take of them is there for the others.
class PlacedSaves {
  /// One save: its job, and its number of that job's. Its files are placed as one set anyway.
  struct Of {
    std::size_t asker = 0;
    std::int64_t number = 0;
    [[nodiscard]] bool operator==(const Of&) const = default;
  };
  struct Class {
    Of of;
    double members = 0.0;
    double files = 0.0;  ///< of all of them, that targets serve together with others
    Rate one;            ///< what a file gets where there is no other
    const PlacedRate* placed = nullptr;
  };

 public:
  /// Clients of a class while their data move.
  class Moving {
   public:
    /// What they move by: across that link, where they are counted.
    [[nodiscard]] const Client& client() const { return crossing_ ? *crossing_ : *client_; }

   private:
    friend class PlacedSaves;
    const Client* client_ = nullptr;
    std::optional<Client> crossing_;
    std::list<Class>::iterator at_;
  };

  /// `link` carries saves that may meet, and is as wide as nobody waits for.
  void attach(sim::Context& context, sim::LinkId link);

  /// `path` of a client is that of its data, of save `number` of its job. `client` and `placed`
  /// outlive `moving`.
  void begin(Moving& moving, const Client& client, const PlacedRate& placed,
             std::vector<sim::LinkId> Client::*path, std::int64_t number = 0);
  /// The others of its save have ended: what is left moves as if it were the only file.
  void alone(Moving& moving);
  void end(Moving& moving);

  void describe(sim::Ledger& ledger) const;

 private:
  void share_out();

  sim::Context* context_ = nullptr;
  sim::LinkId link_;  ///< invalid: no two saves meet here
  Rate most_;
  std::list<Class> classes_;
};

}  // namespace stallcast::models
