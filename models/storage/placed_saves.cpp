#include "models/storage/placed_saves.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace stallcast::models {
namespace {

/// So near to a whole number of files, a count is that.
constexpr double kAsWhole = 1e-6;

double whole_files(double files) {
  const double near = std::round(files);
  return std::abs(files - near) < kAsWhole ? near : files;
}

}  // namespace

void PlacedSaves::attach(sim::Context& context, sim::LinkId link) {
  context_ = &context;
  link_ = link;
  most_ = context.use(link).capacity;
}

void PlacedSaves::begin(Moving& moving, const Client& client, const PlacedRate& placed,
                        std::vector<sim::LinkId> Client::*path, std::int64_t number) {
  moving.client_ = &client;
  if (!link_.valid() || !placed.of_one) return;
  moving.crossing_ = client;
  (*moving.crossing_.*path).push_back(link_);
  moving.at_ = classes_.insert(classes_.end(), {{client.asker, number},
                                                client.members,
                                                placed.each * client.members,
                                                placed.of_one(1.0),
                                                &placed});
  share_out();
}

void PlacedSaves::alone(Moving& moving) {
  if (!moving.crossing_) return;
  moving.at_->files = std::min(1.0, moving.at_->files);
  share_out();
}

void PlacedSaves::end(Moving& moving) {
  if (!moving.crossing_) return;
  classes_.erase(moving.at_);
  moving.crossing_.reset();
  share_out();
}

// A file counts as so many of another as it is faster where there is no other: it lies on so many
// more targets.
void PlacedSaves::share_out() {
  const bool several = std::ranges::any_of(
      classes_, [&](const Class& one) { return one.of != classes_.front().of; });
  Rate all = several ? Rate{} : most_;
  const Class* same = nullptr;          // as the one before
  Rate given;                           // to each member of that
  std::map<Rate, double> files_beside;  // by what one of them gets alone
  for (const Class& own : classes_) {
    if (!several) break;
    if (same == nullptr || same->of != own.of || same->one != own.one ||
        same->placed->each != own.placed->each) {
      const auto [known, first] = files_beside.try_emplace(own.one, 0.0);
      double& files = known->second;
      if (first)
        for (const Class& other : classes_) files += other.files * (other.one / own.one);
      given = own.placed->of_one(whole_files(files)) * own.placed->each;
      same = &own;
    }
    all += given * own.members;
  }
  context_->set_capacity(link_, std::min(all, most_));
}

void PlacedSaves::describe(sim::Ledger& ledger) const {
  ledger.state(classes_.size());
  for (const Class& one : classes_) {
    ledger.state(one.of.asker);
    ledger.state(one.of.number - classes_.front().of.number);  // which goes on for ever
    ledger.state(one.members);
    ledger.state(one.files);
    ledger.state(one.one.in(unit::Bps));
    ledger.state(one.placed->each);
  }
}

}  // namespace stallcast::models
