#pragma once

#include <string>

namespace stallcast::report {

/// The only script that pages run: every chart gets a button that saves it as SVG and one that
/// saves it as PNG. A page is whole without it.
[[nodiscard]] std::string export_script();

/// It as a source of a Content-Security-Policy: "'sha256-...'".
[[nodiscard]] std::string script_source();

}  // namespace stallcast::report
