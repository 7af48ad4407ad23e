#include "engine/decide/uncertain/centre.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/decide/uncertain/chaos.hpp"

namespace stallcast::uncertain {
namespace {

/// Inputs that are moved alone, and their scores, either way.
constexpr std::size_t kAlone = 6;
constexpr std::array kScores{0.5, 1.0, 1.5, 2.0, 2.5};
/// The likeliest draws, of which all other inputs are put back.
constexpr std::size_t kLikeliest = 24;
/// Rounds of expansions, each around so many of the best.
constexpr std::size_t kRounds = 3, kBest = 4;
constexpr double kFirstStep = 1.0, kLeastStep = 0.03;  // of a score

double surprise(const std::vector<double>& scores, double log_likelihood) {
  double squares = 0.0;
  for (const double z : scores) squares += z * z;
  return 0.5 * squares - log_likelihood;
}

/// The place of least surprise found from `from`, by steps along one input at a time, which halve
/// where none helps. Inputs that the likelihood does not depend on go to their middles.
std::vector<double> descended(const OfScores& log_likelihood, std::vector<double> from) {
  double least = surprise(from, log_likelihood(from));
  const auto better = [&](std::size_t i, double to) {
    const double was = std::exchange(from[i], to);
    const double found = surprise(from, log_likelihood(from));
    if (found < least - 1e-9) {
      least = found;
      return true;
    }
    from[i] = was;
    return false;
  };
  for (double step = kFirstStep; step > kLeastStep; step *= 0.5) {
    bool any = true;
    while (any) {
      any = false;
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != 0.0 && better(i, 0.0)) any = true;
        if (better(i, from[i] + step) || better(i, from[i] - step)) any = true;
      }
    }
  }
  return from;
}

/// The least surprising first.
std::vector<Particle> by_surprise(std::vector<Particle> all) {
  std::vector<std::pair<double, std::size_t>> order;
  for (const Particle& one : all)
    order.emplace_back(surprise(one.scores(), one.likelihood), order.size());
  std::sort(order.begin(), order.end());
  std::vector<Particle> out;
  for (const auto& [key, i] : order) out.push_back(std::move(all[i]));
  return out;
}

/// The inputs that cause most of any figure's variance, at most `kAlone`.
std::vector<std::size_t> decisive(std::vector<Particle> all, const std::vector<Error>& errors) {
  std::erase_if(all, [&](const Particle& p) { return p.figures.size() < errors.size(); });
  std::vector<std::pair<double, std::size_t>> shares;
  const std::vector<std::vector<double>> scores = scores_of(all);
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const Shares of_figure = variance_shares(scores, figures_of(all, k, errors[k]));
    shares.resize(of_figure.total.size());
    for (std::size_t i = 0; i < shares.size(); ++i)
      shares[i] = {std::min(shares[i].first, -of_figure.total[i]), i};
  }
  std::sort(shares.begin(), shares.end());
  std::vector<std::size_t> out;
  for (const auto& [share, i] : shares)
    if (share < 0.0 && out.size() < kAlone) out.push_back(i);
  return out;
}

}  // namespace

Particle least_surprising(std::vector<Particle> all, const std::vector<Error>& errors,
                          const Simulate& simulate) {
  const std::vector<double> middles(all.front().point.size(), 0.0);
  std::vector<std::vector<double>> places{middles};
  const std::vector<std::size_t> inputs = decisive(all, errors);
  for (const std::size_t i : inputs)
    for (const double score : kScores)
      for (const double moved : {-score, score}) {
        places.push_back(middles);
        places.back()[i] = moved;
      }
  std::stable_sort(all.begin(), all.end(), [](const Particle& a, const Particle& b) {
    return a.likelihood > b.likelihood;
  });
  for (std::size_t n = 0; n < std::min(kLikeliest, all.size()); ++n) {
    const std::vector<double> scores = all[n].scores();
    places.push_back(middles);
    for (const std::size_t i : inputs) places.back()[i] = scores[i];
  }
  for (std::size_t round = 0; !places.empty(); ++round) {
    std::vector<std::vector<double>> points;
    for (const std::vector<double>& scores : places) points.push_back(quantiles_of(scores));
    for (Particle& particle : simulate(std::move(points))) all.push_back(std::move(particle));
    all = by_surprise(std::move(all));
    places.clear();
    if (round == kRounds) break;
    const OfScores likelihood = expanded(all, errors, true);
    places.push_back(descended(likelihood, middles));
    for (std::size_t i = 0; i < std::min(kBest, all.size()); ++i) {
      std::vector<double> found = descended(likelihood, all[i].scores());
      if (std::find(places.begin(), places.end(), found) == places.end())
        places.push_back(std::move(found));
    }
  }
  return all.front();
}

}  // namespace stallcast::uncertain
