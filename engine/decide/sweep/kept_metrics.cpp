#include "engine/decide/sweep/kept_metrics.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/runtime/codec/json_text.hpp"

namespace stallcast::sweep {
namespace {

using Json = nlohmann::json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Takes each figure as it comes: a tree of 70 of them takes three times as long.
class MetricsReader final : public Json::json_sax_t {
 public:
  std::map<std::string, Metric> take() { return std::move(out_); }

  bool null() override { return add(kNone); }
  bool boolean(bool /*value*/) override { return false; }
  bool number_integer(number_integer_t value) override { return add(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& text) override {
    if (!in_array_ || at_ != 1) return false;
    metric_->unit = std::move(text);
    ++at_;
    return true;
  }
  bool binary(binary_t& /*bytes*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return !std::exchange(in_object_, true); }
  bool end_object() override { return true; }
  bool key(string_t& name) override {
    metric_ = &out_.try_emplace(out_.end(), std::move(name))->second;  // they are sorted
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    at_ = 0;
    numbers_.fill(kNone);
    return metric_ != nullptr && !std::exchange(in_array_, true);
  }
  bool end_array() override {
    if (at_ != 2 && at_ != 4 && at_ != 7) return false;
    const auto [value, unit, low95, high95, median, low90, high90] = numbers_;
    metric_->value = value;
    if (!std::isnan(low95)) metric_->ci95 = std::pair{low95, high95};
    if (at_ == numbers_.size()) {
      metric_->median = median;
      metric_->ci90 = std::pair{low90, high90};
    }
    in_array_ = false;
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const Json::exception& /*fault*/) override {
    return false;
  }

 private:
  bool add(double value) {
    if (!in_array_ || at_ == 1 || at_ >= numbers_.size()) return false;
    numbers_[at_++] = value;
    return true;
  }

  std::map<std::string, Metric> out_;
  Metric* metric_ = nullptr;  ///< whose numbers come
  std::array<double, 7> numbers_{};
  std::size_t at_ = 0;
  bool in_object_ = false;
  bool in_array_ = false;
};

void add(codec::JsonText& out, double value) {
  if (std::isfinite(value))
    out.number(value);
  else
    out.null();
}

}  // namespace

std::string metrics_text(const std::map<std::string, Metric>& metrics) {
  codec::JsonText out;
  out.begin_object();
  for (const auto& [name, metric] : metrics) {
    const bool drawn = metric.median && metric.ci90;
    out.key(name);
    out.begin_array();
    add(out, metric.value);
    out.text(metric.unit);
    if (metric.ci95 || drawn) {
      const auto [low, high] = metric.ci95.value_or(std::pair{kNone, kNone});
      add(out, low), add(out, high);
    }
    if (drawn)
      add(out, *metric.median), add(out, metric.ci90->first), add(out, metric.ci90->second);
    out.end_array();
  }
  out.end_object();
  return out.take();
}

std::optional<std::map<std::string, Metric>> read_metrics(const std::string& text) {
  MetricsReader reader;
  if (!Json::sax_parse(text, &reader)) return std::nullopt;
  return reader.take();
}

}  // namespace stallcast::sweep
