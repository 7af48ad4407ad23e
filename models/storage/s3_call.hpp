#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "models/contract/storage.hpp"
#include "models/storage/object_cut.hpp"
#include "models/storage/s3_delays.hpp"
#include "models/storage/s3_params.hpp"

/// What a client asks of an object store at a time, and how it moves. docs/models/s3.md.
namespace stallcast::models {

/// Requests of a read, of each member of a class.
struct S3Gets {
  Cut body;
  double before;    ///< look-ups before the body
  double requests;  ///< in all
  double at_once;   ///< of these
};

[[nodiscard]] inline S3Gets gets_of(const ReadRequest& request, const S3Params& p) {
  const Bytes object = request.bytes / request.files;
  const Cut body = cut(object, p.get_parallel > 1 ? p.get_part : object, p.get_parallel);
  const double before = std::max(request.round_trips - 1.0, 0.0);
  const double requests = request.files * (before + body.requests);
  return {body, before, requests, std::min(requests, body.connections)};
}

/// Requests of a member that move nothing of its own.
struct S3Asked {
  double requests, at_once;
  Seconds median;  ///< of an answer
  S3Chain chain;
  Seconds copies{};      ///< the store copies for so long
  double members = 1.0;  ///< of whom the last is waited for
};

/// Each object is copied to its new name as it is uploaded, but inside the store, and the old one
/// deleted, which is free and asks for no room.    [s3.md, eq. 10]
[[nodiscard]] inline S3Asked renames_of(double files, Bytes each, double members,
                                        const S3Params& p) {
  const Cut body = cut(each, p.put_part, p.put_parallel);
  const double around = body.requests > 1.0 ? 2.0 : 0.0;
  return {files * (around + body.requests),
          body.connections,
          p.answer,
          {files, around + body.turns + 1.0, body.connections},
          each * files / (p.copy * body.speedup),
          std::max(members, 1.0)};
}

/// One operation of a member.
struct S3Call {
  double requests = 1.0;  ///< in all
  double at_once = 1.0;   ///< of these, before anything else
  Bytes bytes;
  Rate connections;                        ///< what they carry while bytes flow
  Rate library = Rate::infinity();         ///< what the process makes parts at
  Seconds delay;                           ///< first bytes or answers, all turns
  double turns = 1.0;                      ///< that many, one after the other, bytes between them
  double apart = 1.0;                      ///< of these, in which nothing of the client moves
  ResourceIndex delayed_by = kNoResource;  ///< what `delay` is of
  Seconds behind{};                        ///< the longest delay of other members is that much more
  Tail tail{};                             ///< of the delay of each of what is asked for
};

/// Flows of one operation, one after the other.
class S3Moved {
 public:
  /// `took`: with the delay before it.
  void add(const sim::FlowOutcome& flow, Seconds took) {
    took_ += took;
    Seconds& bound = bound_[flow.binding.index];
    bound += took;
    flow_ = flow;
    if (bound > longest_) longest_ = bound, binding_ = flow.binding;
  }
  [[nodiscard]] Seconds took() const { return took_; }
  /// The last of them, as if what bound them for longest had done so to the end.
  [[nodiscard]] sim::FlowOutcome last() const { return {flow_.began, flow_.ended, binding_}; }

 private:
  std::map<std::uint32_t, Seconds> bound_;  // by link
  sim::FlowOutcome flow_{};
  sim::LinkId binding_{};
  Seconds took_, longest_;
};

/// The delay of turns in which nothing moves, then the bytes at the mean rate over all others.
/// [s3.md, eq. 1, 4]
[[nodiscard]] inline sim::LaterFlow flow_of(const Client& client,
                                            const std::vector<sim::LinkId>& path, Rate host,
                                            const S3Call& call) {
  const Seconds before = call.delay * std::min(call.apart / std::max(call.turns, 1.0), 1.0),
                between = call.delay - before;
  const Rate cap = std::min({call.connections, call.library, host});
  return {.after = before,
          .flow = sim::weighted({.path = path,
                                 .bytes = call.bytes,
                                 .members = client.members,
                                 .cap = call.bytes / (between + call.bytes / cap)},
                                client.share)};
}

}  // namespace stallcast::models
