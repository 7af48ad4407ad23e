#pragma once

namespace stallcast::base {

/// Whether this process now has what is open as `fd` for itself, until it closes it or ends, and it
/// is still where it was. File systems without locks have nobody to take it: then it is ours.
[[nodiscard]] bool claim(int fd);

/// The same for what somebody else may have left behind: never true without a lock.
[[nodiscard]] bool claim_abandoned(int fd);

}  // namespace stallcast::base
