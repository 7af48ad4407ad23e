#pragma once

#include <string>

namespace stallcast::cli {

struct Verb;

/// The man page of `stallcast`, in roff: verbs, common options, exit codes, environment, files.
[[nodiscard]] std::string manual();

/// That of one verb, as it is installed under "stallcast-run(1)".
[[nodiscard]] std::string manual_of(const Verb& verb);

}  // namespace stallcast::cli
