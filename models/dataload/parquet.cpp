#include <cmath>

#include "models/dataload/format_costs.hpp"

/// Parquet files: the footer at the tail, then row groups, of which only the wanted columns are
/// read. A row group is read and decoded as a whole before its first row. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct Params : FormatCosts {
  Bytes row_group;
  std::int64_t groups_per_file = 1;
  Fraction columns;
  std::int64_t column_reads = 1;
  std::string order;
  bool reopen = false;
  double ratio = 1.0;
};
constexpr auto kFields = with_costs(
    std::array{
        field("row_group", &Params::row_group, "128 MiB", "stored size of one row group",
              assumed(kPositive, "64 to 512 MiB are common")),
        field("groups_per_file", &Params::groups_per_file, "1", "row groups in one file",
              assumed(kAtLeastOne)),
        field("columns", &Params::columns, "100 %",
              "share of the stored bytes that lies in the columns that are read", kPositiveShare),
        field("column_reads", &Params::column_reads, "1",
              "reads per row group: its wanted columns, fewer where neighbours are merged",
              assumed(kAtLeastOne)),
        field("order", &Params::order, "sequential",
              "sequential: all rows of a group are used; random: each row reads a whole group",
              one_of(kOrders)),
        field("reopen", &Params::reopen, "false",
              "open the file again for every sample in random order"),
        field("ratio", &Params::ratio, "1", "bytes in memory per stored byte", kPositive)},
    {"2", "dependent requests per opened file: length of the footer, the footer",
     cited(kNonNegative, "Parquet file format: footer length and magic are the last 8 bytes")},
    {"1 GB/s", "fetched bytes one core decompresses and decodes in a second", assumed(kPositive)},
    {"5 us", "fixed CPU time per sample", assumed(kNonNegative)});
constexpr auto kInfos = infos(kFields);

}  // namespace

std::span<const FieldInfo> parquet_fields() { return kInfos; }

SampleAccess parquet_access(const Component& component, const DatasetParams& dataset) {
  const Params p = bind(kFields, component);
  const bool random = p.order == "random";
  const double rows = std::max(1.0, std::floor(p.row_group / dataset.sample + 1e-9));
  const double share = p.columns.in(unit::ratio);
  SampleAccess out =
      p.access(random && p.reopen ? 1.0 : 1.0 / (rows * static_cast<double>(p.groups_per_file)));
  // [docs/models/formats.md, eq. 4]
  out.ranges = static_cast<double>(p.column_reads) / (random ? 1.0 : rows);
  out.round_trips = 1.0 + p.round_trips * out.files / out.ranges;
  out.amplification = share * (random ? rows : 1.0);
  out.expansion = share * p.ratio;
  out.unit = random ? 0.0 : rows;
  out.unpack = p.parse;
  out.parse = Rate::infinity();
  return out;
}

}  // namespace stallcast::models
