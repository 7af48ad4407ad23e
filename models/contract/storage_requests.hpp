#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/sim/context.hpp"
#include "models/cache/hit_laws.hpp"
#include "models/contract/resources.hpp"
#include "stallcast/units.hpp"

/// What storage systems are asked for, and what they answer.
namespace stallcast::models {

/// A part of what a request takes that is another for each: the slowest of so many.
struct Tail {
  Seconds mean{};  ///< of each, exponential; of the slowest, lognormal
  double of = 1.0;
  double sigma = 0.0;   ///< of the logarithm, where it is lognormal
  double chance = 1.0;  ///< exponential, of one: the part of the requests that have it
};

/// How the writers of a save lay out its files.
enum class FileSharing {
  own,         ///< each writer has files of its own
  aligned,     ///< one file for all, each writer has a contiguous part that ends where stripes end
  interleaved  ///< one file for all, in pieces of the writers in turn that end anywhere
};

/// One read per member: open files are read one after the other.
struct ReadRequest {
  Bytes bytes;               ///< in all
  double files = 1.0;        ///< files or ranges the bytes lie in (a shard read in part: under 1)
  double round_trips = 1.0;  ///< dependent requests per file or range that cannot be pipelined
  bool direct = false;       ///< O_DIRECT: no page cache copy
  bool as_asked = false;     ///< each of the files is one call, and no more: nothing is read ahead
  double together = 1.0;     ///< members that wait for each other at each of these calls
  double opened = 0.0;       ///< files that were opened for them
  Bytes larger_file{};       ///< size of the files that they are pieces of; 0: they are files
  bool goes_on = false;      ///< where the read before ended: a part of what was asked ahead
  cache::Revisits revisits = {};           ///< how the data were read before: for caches on the way
  FileSharing sharing = FileSharing::own;  ///< how it was written
  Bytes piece{};                           ///< interleaved: bytes that lie together
  double readers = 1.0;  ///< of a save: members of all classes that read together,
  double saved = 0.0;    ///< so many of its files at a time; 0: it is none, files lie anywhere
  double company = 1.0;  ///< of its bytes, how many each of them reads meanwhile
  Bytes save{};          ///< of a save: all of what is restored, by all who read it

  /// Bytes of one of them, and of the file that these lie in.
  [[nodiscard]] Bytes range() const { return bytes / files; }
  [[nodiscard]] Bytes whole() const { return std::max(range(), larger_file); }
  /// That of a save which its part lies in.
  [[nodiscard]] Bytes file() const {
    return bytes / files * (sharing == FileSharing::own ? 1.0 : readers);
  }
};

/// What is written, for caches that it stays in.
enum class Content { other, dataset, save };

/// One write per member, as of a checkpoint: all members write at one time.
struct WriteRequest {
  Bytes bytes;                             ///< in all
  double sent = 1.0;                       ///< in `bytes` for one written: copies, parity
  double files = 1.0;                      ///< files created
  double requests = 0.0;                   ///< to open files: each waits for the answer before it
  double writers = 1.0;                    ///< members of all classes that write together
  double company = 1.0;                    ///< of its bytes, how many each of them does meanwhile
  bool apart = false;                      ///< none of them waits for the others
  bool direct = false;                     ///< O_DIRECT
  FileSharing sharing = FileSharing::own;  ///< interleaved: of kinds that say what pieces cost
  Bytes piece{};                           ///< interleaved: bytes a writer writes at a time
  Content content = Content::other;
  std::int64_t save = 0;  ///< of saves: its number, of those of its job

  /// Files, or requests to open ones, that the bytes lie in; and what lies together.
  [[nodiscard]] double ranges() const { return std::max(files, requests); }
  [[nodiscard]] Bytes range() const { return bytes / ranges(); }
  /// That its part lies in.
  [[nodiscard]] Bytes file() const {
    return bytes / files * (sharing == FileSharing::own ? 1.0 : writers);
  }
  /// The same; of requests to open files what each of them writes, since it is answered alone.
  [[nodiscard]] Bytes lies_in() const { return sharing == FileSharing::own ? range() : file(); }
};

/// What an operation was limited by: the resource index, or kNoResource when by nothing shared.
struct Served {
  ResourceIndex limited_by = kNoResource;
  Seconds behind{};  ///< of it, its slowest `unseen` member waits so much longer
  ResourceIndex behind_by = kNoResource;  ///< for that
  Tail tail{};        ///< of each of its requests, whose mean is in what they took
  Seconds moved{};    ///< of loose members: their data took so long, of which the first has gone on
  Seconds gone{};     ///< so much before the last,
  Seconds ahead{};    ///< and could so much more
  Seconds opening{};  ///< of it, so much was opening files in a system behind
  ResourceIndex opened_by = kNoResource;  ///< for that; `limited_by` tells of the rest
  /// What most of it, which took `all`, was waited for.
  [[nodiscard]] ResourceIndex most_of(Seconds all) const {
    return opening * 2.0 > all ? opened_by : limited_by;
  }
};

/// An operation that waits for one transfer and for nothing else: what its storage needs to say,
/// once that has ended, what it was limited by.
struct OneTransfer {
  /// As many bytes and files are asked for by this client later, whatever was opened for them: then
  /// all this holds again.
  bool lasts = false;
  ResourceIndex own = kNoResource;
  sim::LaterFlow later{};
  Seconds asked{};  ///< date
  Seconds delay{};  ///< of it, but for its bytes
  ResourceIndex delayed_by = kNoResource, line = kNoResource;
  Seconds behind{};
  Tail tail{};
};

}  // namespace stallcast::models
