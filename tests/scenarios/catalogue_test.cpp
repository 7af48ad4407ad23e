#include "models/catalogue/catalogue.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "models/catalogue/ceilings.hpp"
#include "scenarios/resolve/component_reader.hpp"

namespace catalogue_test {

using namespace stallcast;

TEST_CASE("products are sorted and unique, and their id begins with their role") {
  const auto all = models::catalogue();
  REQUIRE(all.size() >= 15);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].id < all[i].id);
  for (const models::CatalogueEntry& entry : all) {
    INFO(entry.id);
    CHECK(entry.id.starts_with(std::string(models::role_info(entry.role).id) + "/"));
    CHECK_FALSE(entry.summary.empty());
  }
}

TEST_CASE("a product that is looked up by itself is the one of the list") {
  for (const models::CatalogueEntry& entry : models::catalogue()) {
    INFO(entry.id);
    const models::CatalogueEntry* found = models::find_product(entry.id);
    REQUIRE(found != nullptr);
    CHECK(*found == entry);
    CHECK(models::find_product(entry.id) == found);
  }
  for (const char* none :
       {"", "host", "host/", "host/none", "values", "products", "a\"b", "nvme/x"})
    CHECK(models::find_product(none) == nullptr);
  for (const models::CatalogueFigures& entry : models::figures())
    CHECK(models::find_product(entry.id) == nullptr);
}

TEST_CASE("fabrics of kernel TCP say so, for that takes cores of the hosts") {
  int found = 0;
  for (const models::CatalogueEntry& entry : models::catalogue()) {
    const bool kernel = entry.summary.find("kernel TCP") != std::string_view::npos;
    if (entry.role != models::Role::fabric || !kernel) continue;
    INFO(entry.id);
    ++found;
    CHECK(std::any_of(entry.values.begin(), entry.values.end(), [](const auto& value) {
      return value.key == "technology" && value.text == "tcp";
    }));
  }
  CHECK(found == 2);
}

TEST_CASE("every value of a product is a field of its kind, parses, and has a source") {
  for (const models::CatalogueEntry& entry : models::catalogue()) {
    const models::KindInfo* kind = models::find_kind(entry.role, entry.kind);
    INFO(entry.id);
    REQUIRE(kind != nullptr);
    CHECK_FALSE(entry.values.empty());
    const auto fields = models::fields_of(*kind);
    std::set<std::string> keys;
    for (const models::CatalogueValue& value : entry.values) {
      INFO(value.key << " = " << value.text);
      CHECK(keys.insert(value.key).second);
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const auto* f) { return f->key == value.key; });
      REQUIRE(field != fields.end());
      const auto parsed = scenarios::value_of_text(**field, value.text);
      REQUIRE(parsed.has_value());
      const base::FieldLimits& limits = (*field)->limits;
      CHECK(parsed->number >= limits.minimum);
      CHECK(parsed->number <= limits.maximum);
      CHECK(value.source.size() > 5);
      CHECK(value.date.size() == 7);
    }
  }
}

TEST_CASE("every default of every kind parses") {
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role))
      for (const base::FieldInfo* field : models::fields_of(kind)) {
        INFO(role.id << " " << kind.id << " " << field->key);
        if (!field->required() && !field->optional())
          CHECK(scenarios::value_of_text(*field, field->fallback).has_value());
        CHECK_FALSE(field->doc.empty());
      }
}

TEST_CASE("no field hides another or a key of the scenario's structure") {
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role)) {
      std::set<std::string_view> keys;
      for (const base::FieldInfo* field : models::fields_of(kind)) {
        INFO(role.id << " " << kind.id << " " << field->key);
        CHECK(keys.insert(field->key).second);
        CHECK(field->key != "id");
        CHECK(field->key != "use");
        CHECK(field->key != role.selector);
        for (const std::string_view other : keys)  // "a" cannot be both a value and a group
          CHECK_FALSE((field->key.starts_with(std::string(other) + ".") ||
                       other.starts_with(std::string(field->key) + ".")));
      }
    }
}

TEST_CASE("every figure has a value, a source and a date, and no id is a product's") {
  std::set<std::string> ids;
  for (const models::CatalogueFigures& entry : models::figures()) {
    INFO(entry.id);
    CHECK(ids.insert(entry.id).second);
    CHECK(models::find_product(entry.id) == nullptr);
    CHECK(models::find_figures(entry.id) == &entry);
    CHECK_FALSE(entry.name.empty());
    CHECK_FALSE(entry.section.empty());
    CHECK_FALSE(entry.values.empty());
    for (const models::CatalogueFigure& figure : entry.values) {
      INFO(figure.parameter);
      CHECK_FALSE(figure.parameter.empty());
      CHECK_FALSE(figure.value.empty());
      CHECK(figure.source.size() > 2);
      CHECK(figure.date.size() == 7);
      CHECK_FALSE(figure.provenance.empty());
      CHECK(figure.low <= figure.high);
    }
  }
  CHECK(models::find_figures("gpu/none") == nullptr);
}

TEST_CASE("the figures are 463, of which 120 rest on memory and are marked as assumptions") {
  std::map<std::string, int> count;
  int all = 0, assumed = 0;
  for (const models::CatalogueFigures& entry : models::figures())
    for (const models::CatalogueFigure& figure : entry.values) {
      INFO(entry.id << " " << figure.parameter);
      ++all;
      ++count[figure.provenance];
      assumed += figure.assumption ? 1 : 0;
      CHECK(figure.assumption == (figure.provenance.find("memory") != std::string::npos));
      if (figure.provenance == "memory") CHECK(figure.source.find("memory") != std::string::npos);
    }
  CHECK(all == 463);
  CHECK(count == std::map<std::string, int>{{"computed", 26},
                                            {"memory", 111},
                                            {"read", 310},
                                            {"read (secondary)", 7},
                                            {"read+memory", 9}});
  CHECK(assumed == 120);
}

TEST_CASE("a range keeps both ends, a list has no number") {
  const models::CatalogueFigures* drive = models::find_figures("nvme/solidigm-d7-ps1010");
  REQUIRE(drive != nullptr);
  const models::CatalogueFigure& write = drive->values.at(1);
  CHECK(models::text_of(write) == "9.3-10.5 GB/s");
  CHECK(write.low == 9.3);
  CHECK(write.high == 10.5);
  const models::CatalogueFigures* tiers = models::find_figures("lustre-cloud/fsx-lustre-hdd");
  REQUIRE(tiers != nullptr);
  CHECK_FALSE(tiers->values.at(0).number);
}

TEST_CASE("what the catalogue does not have is not found") {
  for (const char* id :
       {"host/nobody", "nobody/dgx-h100", "host", "", "loader/pytorch", "price/s3-standard"}) {
    INFO(id);
    CHECK(models::find_product(id) == nullptr);
  }
  CHECK(models::find_product("host/dgx-h100") == models::find_product("host/dgx-h100"));
  CHECK(models::find_figures("nvme/nobody") == nullptr);
  models::CatalogueFigure figure;
  figure.value = "RAID 6";
  CHECK(models::text_of(figure) == "RAID 6");
}

TEST_CASE("stated rates of products are ceilings, unless the simulation takes a share of them") {
  const auto ceiling = [](models::Role role, std::string_view kind, std::string_view key) {
    for (const base::FieldInfo* field : models::fields_of(*models::find_kind(role, kind)))
      if (field->key == key) return models::ceiling_of(role, kind, *field);
    FAIL(kind << " has no " << key);
    return static_cast<const models::Ceiling*>(nullptr);
  };
  using enum models::Role;
  CHECK(ceiling(storage, "local", "drive.read")->high > 1.0);
  CHECK(ceiling(storage, "lustre", "provisioned")->low > ceiling(storage, "lustre", "read")->low);
  CHECK(ceiling(storage, "san", "port.rate") != ceiling(storage, "cxl", "port.rate"));
  CHECK(ceiling(storage, "gpfs", "server.opens")->dimension == Dimension::op_rate);
  CHECK(ceiling(storage, "lustre", "ost.count") == nullptr);
  CHECK(ceiling(storage, "lustre", "client.stream") == nullptr);
  CHECK(ceiling(storage, "measured", "read.rate") == nullptr);
  for (const char* key : {"nic.rate", "nvlink.rate", "memory.bandwidth", "gpu.copy", "cpu.copy"})
    CHECK(ceiling(host, "host", key) == nullptr);
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role))
      for (const base::FieldInfo* field : models::fields_of(kind))
        if (const auto* c = models::ceiling_of(role.role, kind.id, *field)) {
          INFO(kind.id << "." << field->key);
          CHECK(c->dimension == field->dimension);
          CHECK((c->low > 0.0 && c->low < c->high && c->high < 1.2));
          CHECK_FALSE(c->source.empty());
        }
}

}  // namespace catalogue_test
