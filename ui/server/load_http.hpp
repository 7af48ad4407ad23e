#pragma once

#include "stallcast/result.hpp"
#include "ui/server/http.hpp"

namespace stallcast::server {

/// Loads the module with the HTTP library (httplib_module.cpp): only a server needs it, and
/// what it brings costs every start of the program some milliseconds. Looked for in lib/stallcast
/// next to the folder of this program.
[[nodiscard]] Result<MakeHttp> load_http();

}  // namespace stallcast::server
