#pragma once

#include <memory>

#include "models/contract/storage.hpp"

/// Cloud volumes that are fast while credits last. docs/models/burst-credits.md.
namespace stallcast::models {

/// `inside`, as long as the credits of `component` last; `inside` itself where it has none.
[[nodiscard]] std::unique_ptr<StorageModel> with_credits(const Component& component,
                                                         std::unique_ptr<StorageModel> inside);

}  // namespace stallcast::models
