#pragma once

#include <string>

#include "models/dataload/format_costs.hpp"

/// What reading row groups of Parquet files takes, by whatever library. docs/models/formats.md.
namespace stallcast::models {

struct ParquetParams : FormatCosts {
  Bytes row_group;
  std::int64_t groups_per_file = 1;
  Fraction columns;
  std::int64_t column_reads = 1;
  std::string order;
  bool reopen = false;
  double ratio = 1.0;
  Fraction matching;
  double matching_run = 1.0;

  /// Rows in a group.
  [[nodiscard]] double rows(const DatasetParams& dataset) const;
  /// Share of the groups that hold a row which matches, of so many rows each.
  //    [docs/models/formats.md, eq. 18]
  [[nodiscard]] double groups_read(double rows) const;
  [[nodiscard]] SampleAccess access(const DatasetParams& dataset) const;
};

/// Fields of the files.
inline constexpr std::array kParquetFiles{
    base::field("row_group", &ParquetParams::row_group, "128 MiB", "stored size of one row group",
                base::assumed(base::kPositive, "64 to 512 MiB are common")),
    base::field("groups_per_file", &ParquetParams::groups_per_file, "1", "row groups in one file",
                base::assumed(base::kAtLeastOne)),
    base::field("columns", &ParquetParams::columns, "100 %",
                "share of the stored bytes that lies in the columns that are read",
                base::kPositiveShare),
    base::field("column_reads", &ParquetParams::column_reads, "1",
                "reads per row group: its wanted columns, fewer where neighbours are merged",
                base::assumed(base::kAtLeastOne)),
    base::field("ratio", &ParquetParams::ratio, "1", "bytes in memory per stored byte",
                base::kPositive),
    base::field("filter.rows", &ParquetParams::matching, "100 %",
                "share of the rows that the reader's filter takes; groups without one are passed "
                "over by their statistics",
                base::kPositiveShare),
    base::field("filter.run", &ParquetParams::matching_run, "1",
                "rows in a row that match together: 1 where they lie anywhere, thousands where "
                "files are sorted by the column",
                base::kAtLeastOne)};

inline constexpr CostDefault kParquetTrips{
    "2", "dependent requests per opened file: length of the footer, the footer",
    base::cited(base::kNonNegative,
                "Parquet file format: footer length and magic are the last 8 bytes")};
inline constexpr CostDefault kParquetParse{
    "1 GB/s", "fetched bytes one core decompresses and decodes in a second",
    base::between("0.3 GB/s", "2.5 GB/s", base::assumed(base::kPositive),
                  "expert range: gzip 0.3, zstd or snappy 0.8-1.5, plain columns 2.5 GB/s")};
inline constexpr CostDefault kParquetFixed{
    "5 us", "fixed CPU time per sample",
    base::between("2 us", "50 us", base::assumed(base::kNonNegative),
                  "expert range: columns as arrays 2 us, rows as Python objects 50 us")};

}  // namespace stallcast::models
