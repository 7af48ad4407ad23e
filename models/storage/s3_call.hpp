#pragma once

#include <algorithm>
#include <vector>

#include "models/contract/storage.hpp"
#include "models/storage/object_cut.hpp"
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
