#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/field_groups.hpp"
#include "models/contract/registry.hpp"

namespace registry_test {

using namespace stallcast;

TEST_CASE("rows of every role are sorted by id and have a summary") {
  for (const models::RoleInfo& role : models::roles()) {
    const auto rows = models::kinds(role.role);
    REQUIRE_FALSE(rows.empty());
    CHECK(std::is_sorted(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.id < b.id; }));
    for (const models::KindInfo& row : rows) CHECK_FALSE(row.summary.empty());
    if (!role.fallback.empty()) CHECK(models::find_kind(role.role, role.fallback) != nullptr);
  }
}

TEST_CASE("every default reads as its dimension and lies within its limits") {
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& row : models::kinds(role.role))
      for (const base::FieldInfo* known : models::fields_of(row)) {
        const base::FieldInfo& field = *known;
        INFO(row.id << "." << field.key);
        CHECK_FALSE(field.doc.empty());
        if (field.required() || field.optional()) continue;
        if (field.dimension == Dimension::text) {
          CHECK((field.limits.choices.empty() ||
                 std::find(field.limits.choices.begin(), field.limits.choices.end(),
                           field.fallback) != field.limits.choices.end()));
          continue;
        }
        if (field.dimension == Dimension::boolean || field.dimension == Dimension::text_list)
          continue;
        const base::ParsedQuantity parsed = base::parse_quantity(field.fallback, field.dimension);
        REQUIRE(parsed.value);
        CHECK(*parsed.value >= field.limits.minimum);
        CHECK(*parsed.value <= field.limits.maximum);
      }
}

TEST_CASE("what a default may be in truth lies around it and within its limits") {
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& row : models::kinds(role.role))
      for (const base::FieldInfo* field : models::fields_of(row)) {
        const base::FieldLimits& l = field->limits;
        if (l.low.empty() && l.high.empty()) continue;
        INFO(row.id << "." << field->key);
        const auto low = base::parse_quantity(l.low, field->dimension).value;
        const auto high = base::parse_quantity(l.high, field->dimension).value;
        const auto usual = base::parse_quantity(field->fallback, field->dimension).value;
        REQUIRE((low && high && usual));
        CHECK(*low < *high);
        CHECK(*low <= *usual);
        CHECK(*usual <= *high);
        CHECK((l.above_minimum ? *low > l.minimum : *low >= l.minimum));
        CHECK(*high <= l.maximum);
        CHECK_FALSE(l.range_source.empty());
      }
}

namespace {

bool has_field(models::Role role, std::string_view field) {
  const auto rows = models::kinds(role);
  return std::any_of(rows.begin(), rows.end(), [&](const models::KindInfo& row) {
    const auto fields = models::fields_of(row);
    return std::any_of(fields.begin(), fields.end(),
                       [&](const base::FieldInfo* known) { return known->key == field; });
  });
}

models::Role changed_by(const models::Remedy& remedy, models::Role own) {
  using Of = models::Remedy::Of;
  return remedy.of == Of::storage      ? models::Role::storage
         : remedy.of == Of::loader     ? models::Role::loader
         : remedy.of == Of::checkpoint ? models::Role::checkpoint
         : remedy.of == Of::recovery   ? models::Role::recovery
                                       : own;
}

}  // namespace

TEST_CASE("remedies, habits and successors name fields and kinds that exist") {
  for (const models::RoleInfo& role : models::roles()) {
    std::vector<models::Remedy> remedies(role.remedies.begin(), role.remedies.end());
    for (const models::KindInfo& row : models::kinds(role.role)) {
      remedies.insert(remedies.end(), row.remedies.begin(), row.remedies.end());
      if (!row.successor.kind.empty())
        CHECK(models::find_kind(role.role, row.successor.kind) != nullptr);
    }
    for (const models::Remedy& remedy : remedies) {
      INFO(role.id << " " << remedy.part << ": " << remedy.field);
      CHECK(has_field(changed_by(remedy, role.role), remedy.field));
      // Less of what has no price may relieve, too: fewer loader workers.
      CHECK((remedy.factor > 0.0) == remedy.text.empty());
      CHECK(remedy.factor != 1.0);
      if (remedy.bought && remedy.text.empty()) CHECK(remedy.factor > 1.0);
    }
    for (const models::Habit& habit : role.habits) {
      INFO(role.id << ": " << habit.field);
      CHECK(has_field(role.role, habit.field));
      CHECK((habit.factor > 1.0) == habit.text.empty());
    }
  }
}

// Forms show a store by what its fields are about: an unknown word would leave its field among the
// others, a word that no field has would be left behind by a kind that is gone.
TEST_CASE("fields are in groups by the words of their keys, and every word is some field's") {
  const models::KindInfo* lustre = models::find_kind(models::Role::storage, "lustre");
  REQUIRE(lustre != nullptr);
  const auto group = [&](std::string_view key) {
    for (const base::FieldInfo* field : models::fields_of(*lustre))
      if (field->key == key) return models::group_of(models::Role::storage, *lustre, *field);
    FAIL(key);
    return models::FieldGroup::other;
  };
  using enum models::FieldGroup;
  CHECK(group("ost.count") == capacity);
  CHECK(group("ost.write") == capacity);
  CHECK(group("oss.nic") == network);
  CHECK(group("mdt.create") == metadata);
  CHECK(group("mdt.count") == metadata);
  CHECK(group("oss.failed") == failure);
  CHECK(group("ost.price") == cost);
  CHECK(group("ost.rent") == cost);
  CHECK(group("ost.power") == cost);
  const models::KindInfo* host = models::find_kind(models::Role::failure, "host");
  REQUIRE(host != nullptr);
  for (const base::FieldInfo* field : models::fields_of(*host))
    CHECK(models::group_of(models::Role::failure, *host, *field) == failure);
  CHECK(models::group_titles().size() == static_cast<std::size_t>(other) + 1);
  for (const std::string_view word : models::grouped_words()) {
    bool found = false;
    for (const models::RoleInfo& role : models::roles())
      for (const models::KindInfo& row : models::kinds(role.role))
        for (const base::FieldInfo* field : models::fields_of(row))
          for (const std::string& part : base::split(field->key, '.')) found |= part == word;
    INFO(word);
    CHECK(found);
  }
}

TEST_CASE("what is said to measure a field can measure it") {
  const auto with = [](models::Role role, std::string_view key) -> std::string_view {
    for (const models::MeasuredBy& measure : models::role_info(role).measures)
      if (key.starts_with(measure.field)) return measure.with;
    return "";
  };
  using enum models::Role;
  CHECK(with(storage, "ost.read") == "stallcast probe io");
  CHECK(with(storage, "backend.opens") == "stallcast probe metadata");
  CHECK(with(storage, "oss.nic") == "stallcast probe network");
  CHECK(with(communication, "hop") == "stallcast probe network");
  for (const auto& [role, key] : {std::pair{storage, "endurance.amplification"},
                                  {storage, "capacity.fill"},
                                  {storage, "pg.deviation"},
                                  {storage, "retry.base"},
                                  {storage, "connection.rate"},
                                  {communication, "overlap"},
                                  {communication, "slowdown"},
                                  {fabric, "connections"},
                                  {host, "cpu.reserved"},
                                  {host, "memory.process"}}) {
    INFO(key);
    CHECK(with(role, key).find("probe") == std::string_view::npos);
  }
}

TEST_CASE("what a storage system is made of has a most: more than that no simulation holds") {
  for (const models::KindInfo& kind : models::kinds(models::Role::storage))
    for (const base::FieldInfo* field : models::fields_of(kind)) {
      if (field->dimension != Dimension::count || !field->key.ends_with(".count")) continue;
      // Files lie on all there are at most.
      if (field->key == "stripe.count" || field->key == "pfl.count") continue;
      INFO(kind.id << " " << field->key);
      CHECK(field->limits.maximum <= 1e7);
    }
}

}  // namespace registry_test
