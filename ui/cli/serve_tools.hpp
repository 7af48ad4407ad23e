#pragma once

#include "ui/server/settings.hpp"

namespace stallcast::cli {

/// What a server offers beyond a session's calls, from the rest of the engine.
[[nodiscard]] server::Tools server_tools();

}  // namespace stallcast::cli
