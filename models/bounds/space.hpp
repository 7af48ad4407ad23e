#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/bounds/coming.hpp"
#include "models/bounds/keeping.hpp"
#include "models/contract/derivation.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

/// Whether what is to lie on a storage system fits. Equations: docs/models/capacity.md.
namespace stallcast::models {

/// Stands for "never" where what comes ends before it has filled what is left: targets hold.
///    [docs/models/capacity.md, eq. 4]
inline constexpr Seconds kNeverFull = Seconds::from(365250.0, unit::d);

/// Something that lies on a storage system.
struct Stored {
  std::string what;     ///< "job.train.dataset"
  Bytes bytes;          ///< at most, at one time
  std::string formula;  ///< "4 saves of 1.12 TB"
  Rule rule{};
  std::string words{};  ///< where `what` is none that people know: "what tenant "in" brings"
};

/// A storage system that says how much it holds. Of drives inside hosts: those of one host, the
/// fullest, the one that is full first, and the one that is written most.
struct Room {
  std::string storage;
  std::string hosts{};  ///< inside hosts: the class of those that are to hold most
  std::string size;     ///< the field that says so: "ost.capacity"
  std::string count;    ///< the field that counts what holds it: "ost.count"; "" where nothing does
  std::string noun;     ///< "OSTs"
  double parts = 1.0;   ///< how many there are
  bool per_host = false;  ///< inside hosts: all is that of one
  bool quota = false;     ///< `size` is what is paid for, less than what the parts hold
  Bytes paid{};           ///< where `size` is what is paid for: that
  Bytes held{};           ///< likewise, what the parts hold for data; infinite: nothing counts them
  Bytes raw{};            ///< of all parts
  Bytes filled{};         ///< of one part, with data, copies and parity
  Keeping keeping{};
  Bytes usable{};         ///< of all, for data           [docs/models/capacity.md, eq. 1]
  std::string formula{};  ///< of `usable`
  std::vector<Stored> stored{};
  std::vector<Coming> coming{};  ///< and is never deleted      [docs/models/capacity.md, eq. 4]
  Bytes less{};        ///< that lies where it is full first: inside hosts, of another class
  Rate written{};      ///< by saves and ingest, as the rates of data, mean over the warranty
  double media = 1.0;  ///< bytes on media of a byte of data, copies and parity
  double worn = 1.0;   ///< on flash, over the rating's workload
  std::optional<double> drive_writes{};  ///< a day, that its drives are rated for
  Seconds warranty{};                    ///< over which they are

  /// Sum of what is stored.                              [docs/models/capacity.md, eq. 2]
  [[nodiscard]] Bytes needed() const;
  /// Whether there is room for it all, and `more`: what fills it to rounding does.
  [[nodiscard]] bool holds(Bytes more = {}) const {
    return needed() + more <= usable * (1.0 + kRounding);
  }
  /// Whether more parts would hold more.
  [[nodiscard]] bool counted() const { return !count.empty() && !quota; }
  /// Parts that would hold it, and `more`.               [docs/models/capacity.md, eq. 3]
  [[nodiscard]] double parts_needed(Bytes more = {}) const {
    return keeping.parts_for((needed() + more) / filled);
  }
  /// What is to be paid for to hold it, and `more`, in three figures; nullopt where what is paid
  /// for does, or is not what says how much it holds, or the parts would hold too little.
  [[nodiscard]] std::optional<Bytes> paid_needed(Bytes more = {}) const;
  /// Times a day that its drives are written whole; nullopt where they are not rated, or nothing is
  /// written.                                            [docs/models/wear.md, eq. 1]
  [[nodiscard]] std::optional<double> written_whole() const;
  /// Until its drives have had what they are rated for.  [docs/models/wear.md, eq. 2]
  [[nodiscard]] std::optional<Seconds> worn_after() const;
  /// Parts whose drives would last as long as they are rated for; as many as there are where they
  /// do.
  [[nodiscard]] double parts_that_last() const;
  /// What comes fastest; nullptr where nothing does.
  [[nodiscard]] const Coming* comes_most() const;
  /// Until what comes has filled it; nullopt where nothing does.
  [[nodiscard]] std::optional<Seconds> full_after() const;

 private:
  static constexpr double kRounding = 1e-9;
};

/// Of the storage systems that say how much they hold. REQUIRES: all components are complete.
[[nodiscard]] std::vector<Room> spaces(const Design& design);

/// Adds "storage.S.capacity.usable", ".needed", ".headroom", ".used" and, where something grows,
/// ".full_after"; where its drives are rated, ".wear.dwpd" and ".wear.life".
void add_spaces(const std::vector<Room>& spaces, std::map<std::string, Metric>& metrics);

/// Whether the metric is one of those.
[[nodiscard]] bool is_of_space(std::string_view metric);

/// One sentence: "scratch is to hold 3 PB and has room for 1.32 PB".
[[nodiscard]] std::string shortage(const Room& space);
/// What would hold it: "31 OSTs would hold it, not 16". "" where more of one thing does not.
[[nodiscard]] std::string remedy(const Room& space);

/// "scratch is full after 3 d 4 h"; "" where it grows by less than it has room for in that time.
[[nodiscard]] std::string full_within(const Room& space, Seconds time);

/// "scratch writes its drives 4.2 times a day: ..."; "" where they last as long as they are rated.
[[nodiscard]] std::string wear_out(const Room& space);

/// How it adds up, for `explain`.
[[nodiscard]] std::vector<Derivation> derive_spaces(const Design& design);

}  // namespace stallcast::models
