#pragma once

#include "models/contract/fabric.hpp"
#include "models/contract/training.hpp"
#include "stallcast/units.hpp"

/// What the ranks of a job exchange in a step. docs/models/communication.md.
namespace stallcast::models {

/// What collectives take when nothing else uses their links.
struct Traffic {
  Seconds latency;       ///< launch and hops
  Seconds transfer;      ///< bytes at full rate
  Bytes network;         ///< each host sends and receives so much meanwhile; 0 on one host
  Bytes outside = {};    ///< of it, over the links that join its area of the fabric with storage
  Seconds by_nics = {};  ///< of `transfer`, while NICs are what limits it; else NVLink does

  [[nodiscard]] Seconds time() const { return latency + transfer; }
  Traffic& operator+=(const Traffic& other) {
    latency += other.latency, transfer += other.transfer;
    network += other.network, outside += other.outside;
    by_nics += other.by_nics;
    return *this;
  }
  friend Traffic operator*(const Traffic& t, double times) {
    return {t.latency * times, t.transfer * times, t.network * times, t.outside * times,
            t.by_nics * times};
  }
  /// `times` such collectives of one host at the same time.
  [[nodiscard]] Traffic side_by_side(double times) const {
    return {latency, transfer, network * times, outside * times, by_nics};
  }
};

/// Where a job runs, as its collectives see it.
struct CommunicationSite {
  ModelParams model;
  double ranks = 1.0;
  double hosts = 1.0;                   ///< that have ranks
  double tensor = 1.0, pipeline = 1.0;  ///< ranks that hold one copy of the model: their product
  Rate nvlink;                          ///< of one GPU, each direction
  Rate network;             ///< line rate of all NICs of one host for this, each direction
  Fraction nic_efficiency;  ///< payload share of it
  CollectiveShares shares;  ///< what the fabric leaves them of it
};

/// The traffic of one step, undisturbed.
struct StepTraffic {
  Traffic exposed;      ///< what training waits for
  Traffic hidden;       ///< runs alongside compute
  double window = 0.0;  ///< share of a step's compute, at its end, that `hidden` may run alongside
  double slowdown = 0.0;     ///< compute takes so much longer while `hidden` runs
  double connections = 1.0;  ///< that a host's collectives keep busy

  /// What is added to a step of `compute`.    [docs/models/communication.md, eq. 6]
  [[nodiscard]] Seconds added(Seconds compute) const;
};

}  // namespace stallcast::models
