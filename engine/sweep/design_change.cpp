#include "engine/sweep/design_change.hpp"

#include <nlohmann/json.hpp>

#include "engine/codec/codec.hpp"

namespace stallcast::sweep {

using Json = nlohmann::json;

struct DesignChanges::Impl {
  Json base;
};

DesignChanges::DesignChanges(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DesignChanges::DesignChanges(const Design& base)
    : impl_(std::make_unique<Impl>(Impl{Json::parse(codec::encode(base))})) {}
DesignChanges::DesignChanges(DesignChanges&&) noexcept = default;
DesignChanges& DesignChanges::operator=(DesignChanges&&) noexcept = default;
DesignChanges::~DesignChanges() = default;

Result<DesignChanges> DesignChanges::read(const std::string& base) {
  Json json = Json::parse(base, nullptr, false);
  if (json.is_discarded())
    return Failure{ExitCode::bad_input, "the designs of the sweep cannot be read", ""};
  return DesignChanges(std::make_unique<Impl>(Impl{std::move(json)}));
}

std::string DesignChanges::base() const { return impl_->base.dump(); }

std::string DesignChanges::change_to(const Design& design) const {
  return Json::diff(impl_->base, Json::parse(codec::encode(design))).dump();
}

Result<Design> DesignChanges::apply(const std::string& change) const {
  const Json patch = Json::parse(change, nullptr, false);
  if (!patch.is_discarded()) try {
      return codec::decode_design(impl_->base.patch(patch).dump());
    } catch (const Json::exception&) {  // a patch that does not fit
    }
  return Failure{ExitCode::bad_input, "a design of the sweep cannot be read", ""};
}

}  // namespace stallcast::sweep
