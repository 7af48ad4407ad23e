#pragma once

#include <optional>
#include <string>
#include <utility>

#include "stallcast/units.hpp"

/// What a storage system on a pool of media is made of, and what operations take of it.
namespace stallcast::models {

/// What a part gives reads and writes, each direction by itself, in bytes of clients.
struct BothWays {
  BothWays(Rate each = Rate::infinity()) : read(each), write(each) {}
  BothWays(Rate reads, Rate writes) : read(reads), write(writes) {}
  Rate read, write;
};

/// The most that a part gives one way; of several parts `std::min` is the one that limits, and
/// waiting for it is called by its name.
struct PartCeiling {
  PartCeiling(Rate of_media = Rate::infinity()) : rate(of_media) {}
  PartCeiling(std::string name, Rate most) : rate(most), part(std::move(name)) {}
  friend bool operator<(const PartCeiling& a, const PartCeiling& b) { return a.rate < b.rate; }
  Rate rate;
  std::optional<std::string> part{};  ///< none: the media's; "": the whole system's
};

/// What the servers of a storage system offer, all together. Infinite where nothing limits.
struct PoolShape {
  std::string media = "media";        ///< resource name of the media: "storage.<id>.<media>"
  std::string server = "server";      ///< of the servers' network: "storage.<id>.<server>.nic.read"
  std::string metadata = "metadata";  ///< of the metadata line: "storage.<id>.<metadata>"
  Rate shared = Rate::infinity();     ///< media, reads and writes together
  PartCeiling read{};                 ///< ceiling of reads
  PartCeiling write{};                ///< ceiling of writes
  BothWays of_media{};      ///< what media give, where others may bound those; infinite: none do
  std::string behind = "";  ///< media that are not what `shared` is of: of that name, behind it
  BothWays nic{};           ///< network of all servers, less what it carries between them meanwhile
  BothWays back{};          ///< "<server>.back_nic": their network for traffic between them alone
  BothWays routers{};       ///< between servers and fabric
  double targets = 0.0;     ///< how many the media are; 0: they do not fail one by one
  double servers = 0.0;     ///< likewise
  bool attached = true;     ///< media are lost with their server; false: others reach them
};

/// Metadata service: one FIFO line for all servers. A server answers in `service` when idle and
/// serves `opens` (or `creates`) a second when busy.    [docs/models/storage.md, eq. 2]
struct MetadataShape {
  double servers = 1.0;
  OpRate opens, creates;  ///< of one server
  Seconds service;        ///< of one open on an idle server
  /// What one directory takes, where it lives on one server or behind one lock: the files of a
  /// save are created in one directory. Infinite where directories are spread.
  OpRate directory_creates = OpRate::infinity();
  bool in_many = false;              ///< that holds for files of saves alone: others are in many
  bool directory_on_server = false;  ///< that is what its server creates: no line after it
  /// The same of opens, where all files that are opened lie in one directory.
  OpRate directory_opens = OpRate::infinity();
};

/// One file that many processes write or read in pieces that end anywhere, in turn. What holds a
/// target while a piece is served is lock, read-modify-write and request; what a process waits for
/// besides is its own.    [docs/models/storage.md, eq. 10]
struct SharedPieces {
  double targets = 1.0;    ///< the file lies on, each of which serves one piece at a time
  Rate target;             ///< what one of them moves
  Seconds hold;            ///< of a target by a piece, besides its data
  Seconds turn;            ///< a process waits for each piece, besides its data
  bool as_others = false;  ///< the target holds any request so long, also of own files

  /// What one of `processes` gets of the targets, and what it can do alone.
  [[nodiscard]] Rate share(Bytes piece, double processes) const;
  /// Of a target, that pieces of `bytes` take.
  [[nodiscard]] Seconds holds(Bytes bytes, Bytes piece) const;
  [[nodiscard]] Rate alone(Bytes piece) const;
  /// Whether most of a piece's time at its target goes to the file that others write, too: the lock
  /// is what limits, not the data.
  [[nodiscard]] bool held(Bytes piece) const;
};

/// What all who use a storage system share besides the bytes that it moves: requests that its
/// servers answer, time of its disks.    [docs/models/storage.md, eq. 14]
struct WorkShape {
  std::string name = "";  ///< "array.ops": resource "storage.<id>.array.ops"; empty: none
  double capacity = 0.0;  ///< a second: requests, or seconds of disks
  std::string part = "";  ///< to blame for it; empty: its name
  double reads = 0.0;     ///< of it, most that reads get: they keep it unevenly busy; 0: all
};

/// What an operation takes of that.
struct Work {
  double amount = 0.0;   ///< per member
  double copies = 1.0;   ///< that it is for, each with a share of its own
  bool at_once = false;  ///< while it waits for the answers before its data, too: disks that seek
};

/// How what is written goes out.
struct Outward {
  double written = 1.0;  ///< bytes that the media write for each
  double sent = 1.0;     ///< as in WriteRequest
  Seconds evenly{};      ///< members begin evenly in so long
};

}  // namespace stallcast::models
