#pragma once

/// What `stallcast-sim` and those who start it must agree on (docs/guide/worker-protocol.md).
namespace stallcast::codec {

/// Sent in `hello`; a change to any message that older readers would misread raises it.
inline constexpr int kWorkerProtocol = 1;

}  // namespace stallcast::codec
