#pragma once

#include <string>
#include <string_view>

#include "models/contract/registry.hpp"

namespace stallcast::scenarios {

/// The kind that a word which names none stands for, and why.
struct KindMeant {
  std::string id;  ///< "" where none, or more than one, may be meant
  std::string as;  ///< of a product: ", as storage/vast-janelia-1 is"
};

/// By spelling; else the one kind whose line of help has the word, as that of "webdataset" has
/// "tar"; else that of the products which are named so, as those of "vast" are.
[[nodiscard]] KindMeant kind_meant(models::Role role, std::string_view word);

}  // namespace stallcast::scenarios
