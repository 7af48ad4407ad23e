#pragma once

#include <array>
#include <string_view>

/// What requests of object stores cost: paid by the thousand. docs/models/cost.md.
namespace stallcast::models {

/// Requests of one class.
struct PricedRequests {
  std::string_view price;     ///< field: of 1,000 of them
  std::string_view resource;  ///< of the storage system, which counts them: "prefixes.get"
};
/// How many requests a price is of.
inline constexpr double kRequestsOfPrice = 1000.0;

inline constexpr std::array kPricedRequests{PricedRequests{"request.get.price", "prefixes.get"},
                                            PricedRequests{"request.put.price", "prefixes.put"}};

}  // namespace stallcast::models
