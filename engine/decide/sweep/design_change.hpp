#pragma once

#include <memory>
#include <string>

#include "engine/runtime/run/simulate.hpp"
#include "stallcast/design.hpp"
#include "stallcast/result.hpp"

namespace stallcast::sweep {

/// By what results of `design` are filed: codec::design_hash, and with draws also what its values
/// may be.
[[nodiscard]] std::string key_of(const Design& design, bool with_draws);

/// Designs as what they change of a first one (RFC 6902): some hundred bytes instead of thousands.
class DesignChanges {
 public:
  /// `base` as `base()` of another gave it.
  [[nodiscard]] static Result<DesignChanges> read(const std::string& base);
  /// Values keep where they came from and what they may be only `with_sources`: draws need it.
  DesignChanges(const Design& base, bool with_sources);
  DesignChanges(DesignChanges&&) noexcept;
  DesignChanges& operator=(DesignChanges&&) noexcept;
  ~DesignChanges();

  [[nodiscard]] std::string base() const;
  [[nodiscard]] std::string change_to(const Design& design) const;
  /// What `change_to` was given, whose `key_of` is `key`. Any other text is a failure with
  /// bad_input. `encoded` gets what the key was made of.
  [[nodiscard]] Result<Design> apply(
      const std::string& change, const std::string& key,
      std::shared_ptr<const run::EncodedDesign>* encoded = nullptr) const;

 private:
  struct Impl;
  explicit DesignChanges(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace stallcast::sweep
