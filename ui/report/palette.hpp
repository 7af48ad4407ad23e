#pragma once

#include <array>

/// The colours of causes, in pages and in the explorer alike.
namespace stallcast::report {

struct CauseColour {
  const char *light, *dark;  ///< on a light ground, on a dark one
};

/// In the order of kBreakdownCauses, told apart by the colour-blind too. They are never the only
/// sign: each is named next to it. Source: M. Okabe, K. Ito, Color Universal Design, 2008.
inline constexpr std::array<CauseColour, 8> kCauseColours = {{{"#009e73", "#3fc79d"},
                                                              {"#cc79a7", "#e3a6c8"},
                                                              {"#d55e00", "#f0874a"},
                                                              {"#e69f00", "#f2bd4d"},
                                                              {"#8a7a00", "#d6c85a"},
                                                              {"#0072b2", "#56b4e9"},
                                                              {"#7a4b94", "#b78bd0"},
                                                              {"#7f8b99", "#95a1af"}}};

}  // namespace stallcast::report
