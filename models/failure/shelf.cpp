#include "models/failure/shelf.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {

void Shelf::send(Seconds position, Seconds at) {
  sent_.push_back({at, position});
  std::push_heap(sent_.begin(), sent_.end(), later);
}

void Shelf::settle(Seconds now) {
  arrived_.clear();
  while (!sent_.empty() && sent_.front().at <= now) {
    std::pop_heap(sent_.begin(), sent_.end(), later);
    arrived_.push_back(sent_.back().position);
    sent_.pop_back();
  }
  std::sort(arrived_.begin(), arrived_.end());
  for (const Seconds position : arrived_) add(position);
}

void Shelf::add(Seconds position) {
  if (position <= newest_) return;
  newest_ = position;
  const bool bad = life_.corrupt > 0.0 && random_.uniform() < life_.corrupt;
  if (bad && life_.verified) return;
  number_ += 1.0;
  if (bad) {
    bad_ += 1.0;
  } else {
    good_ = position;
    bad_ = 0.0;
    if (life_.spare > 0 && std::fmod(number_, static_cast<double>(life_.spare)) == 0.0)
      spared_ = position;
  }
  sweep();
}

// P(j bad ones in a row, then a good one) = p^j (1 - p)    [docs/models/failures.md, eq. 9]
double Shelf::bad_run() {
  if (life_.corrupt <= 0.0) return 0.0;
  return std::floor(std::log1p(-random_.uniform()) / std::log(life_.corrupt));
}

void Shelf::skip(Seconds newest, Seconds apart, double count) {
  newest_ = newest;
  number_ += count;
  const double run = bad_run();
  if (run >= count) {
    if (!life_.verified) bad_ += count;
    sweep();
    return;
  }
  good_ = newest - apart * run;
  bad_ = life_.verified ? 0.0 : run;
  if (life_.spare > 0) {
    // What is older than the newest good one is as good as any other.
    const double n = static_cast<double>(life_.spare), last = number_ - run;
    double spared = std::floor(last / n) * n;
    if (spared != last) spared -= n * bad_run();
    if (spared > number_ - count) spared_ = newest - apart * (number_ - spared);
  }
  sweep();
}

// All that are kept are bad: only a spared one is left.    [docs/models/failures.md, eq. 10]
void Shelf::sweep() {
  if (!life_.keep || bad_ < static_cast<double>(*life_.keep)) return;
  bad_ = static_cast<double>(*life_.keep);
  good_ = spared_;
}

void Shelf::clear() {
  bad_ = 0.0;
  newest_ = good_ = spared_ = kNothing;
}

void Shelf::rewind(Seconds position) {
  bad_ = 0.0;
  newest_ = position;
  sent_.clear();
}

}  // namespace stallcast::models
