#pragma once

#include "engine/sim/context.hpp"
#include "models/loading/grain.hpp"
#include "models/loading/loader_runtime.hpp"
#include "models/plant/plant.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models {

/// Where a class of ranks reads: its storage client, cores, caches and links on its hosts.
/// REQUIRES: the job has a data set, `plant` is attached.
[[nodiscard]] LoaderSite loader_site(const LoaderDesign& loaders, const JobDesign& job,
                                     const Grains& grains, Plant& plant, const RankPlace& place,
                                     sim::Context& context);

}  // namespace stallcast::models
