#include "models/failure/shelf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  skip(position, Seconds{}, 1.0);
}

void Shelf::skip(Seconds newest, Seconds apart, double count) {
  newest_ = newest;
  if (life_.corrupt <= 0.0) {
    good_ = newest;
    return;
  }
  untried_.push_back({newest, apart, count});
  const double before = number_;
  number_ += count;
  if (life_.spare <= 0) return;
  const double n = static_cast<double>(life_.spare), last = std::floor(number_ / n);
  if (const double spares = last - std::floor(before / n); spares > 0.0)
    untried_spares_.push_back({newest - apart * (number_ - last * n), apart * n, spares});
}

double Shelf::count_of(const Untried& saves) {
  double out = 0.0;
  for (const Row& row : saves) out += row.count;
  return out;
}

Seconds Shelf::before_newest(const Untried& saves, double count) {
  auto row = saves.rbegin();
  for (; count >= row->count; ++row) count -= row->count;
  return row->newest - row->apart * count;
}

void Shelf::drop_newest(Untried& saves, double count) {
  while (count > 0.0 && !saves.empty()) {
    Row& row = saves.back();
    const double of_row = std::min(count, row.count);
    row.newest -= row.apart * of_row;
    row.count -= of_row;
    count -= of_row;
    if (row.count < 1.0) saves.pop_back();
  }
}

// P(j bad ones in a row, then a good one) = p^j (1 - p)    [docs/models/failures.md, eq. 9]
double Shelf::bad_run() {
  return std::floor(std::log1p(-random_.uniform()) / std::log(life_.corrupt));
}

void Shelf::look() {
  if (life_.corrupt <= 0.0) return;
  // Drawn in every case: later draws do not shift.
  const double run = bad_run(), of_spares = bad_run();
  const double all = count_of(untried_), none = std::numeric_limits<double>::infinity();
  const double kept = life_.keep && !life_.verified ? static_cast<double>(*life_.keep) : none;
  const double bad = std::min({run, all, kept});
  const double spare = static_cast<double>(life_.spare);
  const bool found = bad < std::min(all, kept);
  if (found) good_ = before_newest(untried_, bad);
  if (spare > 0.0)
    drop_newest(untried_spares_, std::floor(number_ / spare) - std::floor((number_ - bad) / spare));
  if (found && spare > 0.0 && std::fmod(number_ - bad, spare) == 0.0) {
    spared_ = good_;
    untried_spares_.clear();
  }
  // All that are kept are bad: only a spared one is left.    [docs/models/failures.md, eq. 10]
  if (!found && bad == kept) {
    if (of_spares < count_of(untried_spares_)) spared_ = before_newest(untried_spares_, of_spares);
    untried_spares_.clear();
    good_ = spared_;
  }
  bad_ = life_.verified ? 0.0 : bad;
  untried_.clear();
}

void Shelf::clear() {
  bad_ = 0.0;
  newest_ = good_ = spared_ = kNothing;
  untried_.clear();
  untried_spares_.clear();
}

void Shelf::rewind(Seconds position) {
  bad_ = 0.0;
  newest_ = position;
  sent_.clear();
}

}  // namespace stallcast::models
