#pragma once

#include <limits>

/// Physical quantities that carry their unit in the type. A number goes in with its unit (a
/// literal, or `from(v, unit::GBps)`) and comes out with one (`in(unit::GiB)`); there is no other
/// way. Operators exist only where physics has them, so `Bytes / Rate` is `Seconds` and `Bytes +
/// Seconds` does not compile.
namespace stallcast {

/// The scale of one unit of the dimension `Tag` relative to its SI base unit (B, s, B/s, 1, 1/s,
/// USD).
template <class Tag>
struct Unit {
  double scale;
};

/// A value of one dimension, held in the SI base unit of that dimension.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;

  /// `value` units of `unit`: `Rate::from(400, unit::Gbps)`.
  [[nodiscard]] static constexpr Quantity from(double value, Unit<Tag> unit) {
    return Quantity(value * unit.scale);
  }
  /// Larger than every other value: "no limit" for a rate, "never" for a time.
  [[nodiscard]] static constexpr Quantity infinity() {
    return Quantity(std::numeric_limits<double>::infinity());
  }
  /// How many of `unit` this is.
  [[nodiscard]] constexpr double in(Unit<Tag> unit) const { return value_ / unit.scale; }
  /// False for infinity and NaN.
  [[nodiscard]] constexpr bool finite() const { return value_ - value_ == 0.0; }

  // Not `<=>`: g++ 12 makes an ordering of each pair first, and these are what a simulation
  // compares.
  friend constexpr bool operator==(Quantity a, Quantity b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Quantity a, Quantity b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.value_ >= b.value_; }
  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity other) { return value_ += other.value_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value_ -= other.value_, *this; }
  constexpr Quantity& operator*=(double k) { return value_ *= k, *this; }
  constexpr Quantity& operator/=(double k) { return value_ /= k, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, double k) { return a *= k; }
  friend constexpr Quantity operator*(double k, Quantity a) { return a *= k; }
  friend constexpr Quantity operator/(Quantity a, double k) { return a /= k; }
  /// The dimensionless ratio of two values of one dimension.
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

 private:
  explicit constexpr Quantity(double value) : value_(value) {}
  double value_ = 0.0;
};

using Bytes = Quantity<struct BytesTag>;          ///< amount of data, base B
using Seconds = Quantity<struct SecondsTag>;      ///< duration or date, base s
using Rate = Quantity<struct RateTag>;            ///< data rate, base B/s
using Ops = Quantity<struct OpsTag>;              ///< number of operations, base 1
using OpRate = Quantity<struct OpRateTag>;        ///< operations per second, base 1/s
using Fraction = Quantity<struct FractionTag>;    ///< ratio, base 1 (95 % is 0.95)
using Flops = Quantity<struct FlopsTag>;          ///< floating point operations, base 1
using FlopRate = Quantity<struct FlopRateTag>;    ///< floating point operations per second
using Money = Quantity<struct MoneyTag>;          ///< price, base USD
using MoneyRate = Quantity<struct MoneyRateTag>;  ///< price per time, base USD/s
using Power = Quantity<struct PowerTag>;          ///< electrical power, base W

/// Named units, for `from` and `in`.
namespace unit {
inline constexpr Unit<BytesTag> B{1.0}, kB{1e3}, MB{1e6}, GB{1e9}, TB{1e12}, PB{1e15};
inline constexpr Unit<BytesTag> KiB{1024.0}, MiB{1048576.0}, GiB{1073741824.0},
    TiB{1099511627776.0}, PiB{1125899906842624.0};
inline constexpr Unit<SecondsTag> s{1.0}, ms{1e-3}, us{1e-6}, ns{1e-9}, min{60.0}, h{3600.0},
    d{86400.0};
inline constexpr Unit<RateTag> Bps{1.0}, kBps{1e3}, MBps{1e6}, GBps{1e9}, TBps{1e12};
inline constexpr Unit<RateTag> KiBps{1024.0}, MiBps{1048576.0}, GiBps{1073741824.0},
    TiBps{1099511627776.0};
inline constexpr Unit<RateTag> kbps{125.0}, Mbps{125e3}, Gbps{125e6}, Tbps{125e9};
inline constexpr Unit<OpsTag> ops{1.0};
inline constexpr Unit<OpRateTag> per_s{1.0}, kilo_per_s{1e3}, mega_per_s{1e6};
inline constexpr Unit<FractionTag> ratio{1.0}, percent{0.01};
inline constexpr Unit<FlopsTag> flop{1.0}, TFLOP{1e12}, PFLOP{1e15};
inline constexpr Unit<FlopRateTag> flop_per_s{1.0}, TFLOPps{1e12}, PFLOPps{1e15};
inline constexpr Unit<MoneyTag> USD{1.0};
inline constexpr Unit<MoneyRateTag> USD_per_s{1.0}, USD_per_h{1.0 / 3600.0};
inline constexpr Unit<PowerTag> W{1.0}, kW{1e3}, MW{1e6};
}  // namespace unit

constexpr Seconds operator/(Bytes b, Rate r) {
  return Seconds::from(b.in(unit::B) / r.in(unit::Bps), unit::s);
}
constexpr Rate operator/(Bytes b, Seconds t) {
  return Rate::from(b.in(unit::B) / t.in(unit::s), unit::Bps);
}
constexpr Bytes operator*(Rate r, Seconds t) {
  return Bytes::from(r.in(unit::Bps)*t.in(unit::s), unit::B);
}
constexpr Bytes operator*(Seconds t, Rate r) { return r * t; }
constexpr Seconds operator/(Ops n, OpRate r) {
  return Seconds::from(n.in(unit::ops) / r.in(unit::per_s), unit::s);
}
constexpr OpRate operator/(Ops n, Seconds t) {
  return OpRate::from(n.in(unit::ops) / t.in(unit::s), unit::per_s);
}
constexpr Ops operator*(OpRate r, Seconds t) {
  return Ops::from(r.in(unit::per_s)*t.in(unit::s), unit::ops);
}
/// `ops_per_s * bytes_per_op` is a data rate.
constexpr Rate operator*(OpRate r, Bytes b) {
  return Rate::from(r.in(unit::per_s)*b.in(unit::B), unit::Bps);
}
constexpr Seconds operator/(Flops f, FlopRate r) {
  return Seconds::from(f.in(unit::flop) / r.in(unit::flop_per_s), unit::s);
}
constexpr Money operator*(MoneyRate r, Seconds t) {
  return Money::from(r.in(unit::USD_per_s)*t.in(unit::s), unit::USD);
}

/// Literals: `400_Gbps`, `4_GiB`, `20_ms`, `95_percent`.
namespace literals {
#define STALLCAST_LITERAL(suffix, type, u)                   \
  constexpr type operator""_##suffix(long double v) {        \
    return type::from(static_cast<double>(v), u);            \
  }                                                          \
  constexpr type operator""_##suffix(unsigned long long v) { \
    return type::from(static_cast<double>(v), u);            \
  }
STALLCAST_LITERAL(B, Bytes, unit::B)
STALLCAST_LITERAL(kB, Bytes, unit::kB)
STALLCAST_LITERAL(MB, Bytes, unit::MB)
STALLCAST_LITERAL(GB, Bytes, unit::GB)
STALLCAST_LITERAL(TB, Bytes, unit::TB)
STALLCAST_LITERAL(KiB, Bytes, unit::KiB)
STALLCAST_LITERAL(MiB, Bytes, unit::MiB)
STALLCAST_LITERAL(GiB, Bytes, unit::GiB)
STALLCAST_LITERAL(TiB, Bytes, unit::TiB)
STALLCAST_LITERAL(s, Seconds, unit::s)
STALLCAST_LITERAL(ms, Seconds, unit::ms)
STALLCAST_LITERAL(us, Seconds, unit::us)
STALLCAST_LITERAL(ns, Seconds, unit::ns)
STALLCAST_LITERAL(min, Seconds, unit::min)
STALLCAST_LITERAL(h, Seconds, unit::h)
STALLCAST_LITERAL(Bps, Rate, unit::Bps)
STALLCAST_LITERAL(MBps, Rate, unit::MBps)
STALLCAST_LITERAL(GBps, Rate, unit::GBps)
STALLCAST_LITERAL(TBps, Rate, unit::TBps)
STALLCAST_LITERAL(MiBps, Rate, unit::MiBps)
STALLCAST_LITERAL(GiBps, Rate, unit::GiBps)
STALLCAST_LITERAL(Gbps, Rate, unit::Gbps)
STALLCAST_LITERAL(ops, Ops, unit::ops)
STALLCAST_LITERAL(per_s, OpRate, unit::per_s)
STALLCAST_LITERAL(kilo_per_s, OpRate, unit::kilo_per_s)
STALLCAST_LITERAL(percent, Fraction, unit::percent)
STALLCAST_LITERAL(ratio, Fraction, unit::ratio)
STALLCAST_LITERAL(USD, Money, unit::USD)
#undef STALLCAST_LITERAL
}  // namespace literals

static_assert(Rate::from(50, unit::GBps) == Rate::from(400, unit::Gbps));

}  // namespace stallcast
