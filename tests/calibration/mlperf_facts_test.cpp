#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "calibration/measure/csv.hpp"
#include "calibration/validation/mlperf/facts.hpp"
#include "calibration/validation/mlperf/scenario.hpp"
#include "calibration/validation/mlperf/store.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using namespace literals;

std::string ports(const std::string& cell) {
  const auto found = written::ports_of_cell(cell);
  if (!found) return "not known";
  return std::to_string(static_cast<int>(found->count.value_or(0.0))) + " of " +
         std::to_string(static_cast<int>(found->rate.in(unit::Gbps) + 0.5));
}

TEST_CASE("ports are read however they are written") {
  CHECK(ports("400") == "0 of 400");
  for (const char* two : {"2x100",
                          "2 x 100",
                          "2 x 100 (yaml)",
                          "2x 100",
                          "2x100GbE",
                          "2 x100 Gb/s",
                          "2\xC3\x97"
                          "100",
                          "2 \xC3\x97 100 Gbps",
                          "dual 100GbE",
                          "dual-port 100G",
                          "2x EDR",
                          "2 x HDR100",
                          "2x IB 100",
                          "2X100GE",
                          "2 x 12.5 GB/s",
                          "100GbE x2",
                          "100 Gb/s x 2",
                          "100 x 2",
                          "100x2",
                          "HDR100 x2",
                          "2 ports of 100GbE",
                          "2 HDR100",
                          "two IB HDR100 ports",
                          "100+100",
                          "2 x 0.1 Tb/s",
                          "2 x 100,000 Mb/s"})
    CHECK(std::string(two) + ": " + ports(two) == std::string(two) + ": 2 of 100");
  CHECK(ports("HDR") == "0 of 200");
  CHECK(ports("4xNDR200") == "4 of 200");
  CHECK(ports("8 x 400 (NDR)") == "8 of 400");
  CHECK(ports("IB400") == "0 of 400");
  CHECK(ports("ConnectX-7 400") == "0 of 400");
  CHECK(ports("2x ConnectX-7 400GbE") == "2 of 400");
  CHECK(ports("Slingshot 200") == "0 of 200");
  CHECK(ports("4 NDR") == "4 of 400");
  CHECK(ports("2x dual-port 100GbE") == "4 of 100");
  CHECK(ports("1 000") == "0 of 1000");
  CHECK(ports("10 GbE") == "0 of 10");
  CHECK(ports("Slingshot-11") == "0 of 200");
  CHECK(ports("100 Gbps") == "0 of 100");
  for (const char* none : {"", "0", "local", "not read", "ConnectX-7", "2x", "2 x 100 + 1 x 400",
                           "100 GbE + 400 IB", "0.4", "2 100"})
    CHECK(std::string(none) + ": " + ports(none) == std::string(none) + ": not known");
}

TEST_CASE("counts and rates are read however they are written") {
  for (const char* eight : {"8x KIOXIA", "8 x KIOXIA CM7 7.68 TB", "8 KIOXIA 7.68 TB",
                            "8x7.68 TB NVMe", "eight drives", "8\xC3\x97 NVMe"})
    CHECK(written::count_of_cell(eight) == 8.0);
  for (const char* ten : {"7.68TB x 10", "7.68 TB NVMe (10x)", "ten 7.68 TB NVMe", "PM1743 x 10",
                          "instance store 10 x 3750GB", "2 x 5 x 7.68 TB", "2 x (5 x 7.68 TB)"})
    CHECK(std::string(ten) + ": " +
              std::to_string(written::count_of_cell(ten).value_or(0.0)).substr(0, 3) ==
          std::string(ten) + ": 10.");
  for (const char* none : {"7.68 TB NVMe", "61 TB QLC", "managed S3", "as 10-DN", "0 x none", "",
                           "Optane P5800X", "U.2 x4 lanes"})
    CHECK_FALSE(written::count_of_cell(none).has_value());
  CHECK(written::drives_of_cell("2 x 480 GB boot + 10 x 7.68 TB NVMe") == "10 x 7.68 tb nvme");
  CHECK(written::drives_of_cell("8 x KIOXIA CM7, PCIe 5") == "8 x KIOXIA CM7, PCIe 5");
  for (const char* both : {"12 x 6.8 TB NVMe, 4 x 18 TB HDD", "60 x HDD with 4 x NVMe cache"})
    CHECK_FALSE(written::drives_of_cell(both).has_value());
  CHECK(written::amount_in("1e6") == 1e6);
  CHECK_FALSE(written::amount_in("-1").has_value());
  CHECK_FALSE(written::rate_in("-3 GB/s").has_value());
  const auto gbps = [](const char* text) {
    return written::rate_in(text).value_or(Rate{}).in(unit::GBps);
  };
  CHECK(gbps("provisioned 100 GB/s (MB/s/TiB x TiB)") == Approx(100.0));
  CHECK(gbps("1,000 GB/s") == Approx(1000.0));
  CHECK(gbps("800 Gb/s") == Approx(100.0));
  CHECK(gbps("800 Gbps") == Approx(100.0));
  CHECK(gbps("100 GiB/s") == Approx(107.3741824));
  CHECK(gbps("0.1 TB/s") == Approx(100.0));
  CHECK(gbps("500 MB/s") == Approx(0.5));
  CHECK(gbps("12 x 6.8 TB NVMe") == 0.0);
  CHECK(written::memory_in("1.5 TiB") == Bytes::from(1.5, unit::TiB));
  CHECK(written::memory_in("2,048") == Bytes::from(2, unit::TiB));
  CHECK(written::memory_in("32 (cgroup limit; host 248)") == Bytes::from(32, unit::GiB));
}

TEST_CASE("servers, drives and ports are read out of a sentence") {
  const auto hpe =
      written::servers_in("HPE E2000 Lustre 2.15, 4 nodes, 64x 3.84TB NVMe, 2x IB400 per node");
  CHECK(hpe.nodes == 4.0);
  CHECK(hpe.drives == 64.0);
  CHECK(hpe.node_ports == 2.0);
  CHECK(hpe.port == Rate::from(400, unit::Gbps));
  const auto each = written::servers_in("3 storage servers, 16 x 7.68 TB NVMe each; 12x NDR400");
  CHECK(each.nodes == 3.0);
  CHECK(each.drives == 48.0);
  CHECK(each.node_ports == 4.0);
  const auto box = written::servers_in("DDN AI400X2T, 1 appliance, 24 NVMe, 8 x NDR200");
  CHECK(box.nodes == 1.0);
  CHECK(box.drives == 24.0);
  CHECK(box.node_ports == 8.0);
  const auto azure = written::servers_in("Azure Managed Lustre 125 MB/s/TiB x 160 TiB");
  CHECK_FALSE(azure.nodes.has_value());
  CHECK_FALSE(azure.drives.has_value());
  CHECK(azure.port == Rate{});
  const auto clients = written::servers_in("15 client nodes, 256 GB RAM, 2 metadata servers");
  CHECK_FALSE(clients.nodes.has_value());
  CHECK(clients.port == Rate{});
}

TEST_CASE("a drive is what its name or its kind reads, and one that nobody knows is unsure") {
  CHECK(drive_in("8 x Kioxia CM7 7.68 TB", 6_GBps).read == 14_GBps);
  CHECK(drive_in("Micron 9550 PRO", 6_GBps).known);
  const DriveRate unknown = drive_in("8 x ACME 7.68 TB NVMe", 6_GBps);
  CHECK_FALSE(unknown.known);
  CHECK(unknown.read * unknown.low == 3_GBps);
  CHECK(unknown.read * unknown.high == 14_GBps);
  CHECK(drive_in("2 x 16 TB SATA HDD", 6_GBps).read < 0.3_GBps);
  CHECK(drive_in("24 x SATA SSD", 6_GBps).read < 0.6_GBps);
  CHECK(drive_in("12 x 20 TB 7.2k SAS", 6_GBps).read < 0.3_GBps);
  CHECK(drive_in("10 x gp3 EBS", 6_GBps).read < 2.1_GBps);
  CHECK(drive_in("ACME, PCIe 5", 6_GBps).read > drive_in("ACME, PCIe 4", 6_GBps).read);
}

/// A row of v3.0 with `cells` in place of those of "demand 63 GB/s on 10 clients".
Facts facts_of(const std::map<std::string, std::string>& cells) {
  std::map<std::string, std::string> all = {{"case_id", "row"},
                                            {"hosts", "10"},
                                            {"accelerators_or_ranks", "10"},
                                            {"client_nic_Gbps", "100"},
                                            {"protocol", "S3"},
                                            {"storage_nodes", ""},
                                            {"storage_nic_Gbps_per_node", ""},
                                            {"drives", ""},
                                            {"storage", ""},
                                            {"provisioned_GBps", ""}};
  for (const auto& [column, text] : cells) all[column] = text;
  std::string header, row;
  for (const auto& [column, text] : all) {
    header += (header.empty() ? "" : ",") + column;
    row += (row.empty() ? "\"" : ",\"") + text + "\"";
  }
  Diagnostics diagnostics;
  const CsvTable table(header + "\n" + row + "\n", "t.csv", diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  const Workload* unet3d = find_workload("unet3d");
  return read_facts_v3(table, 0, unet3d, unet3d->compute("b200"), 10.0);
}

base::Json store_of(const std::map<std::string, std::string>& cells) {
  return storage_of(facts_of(cells))[0];
}

TEST_CASE("servers in the words about the storage are the scenario's") {
  const base::Json words =
      store_of({{"protocol", ""},
                {"storage", "HPE E2000 Lustre 2.15, 4 nodes, 64x 3.84TB NVMe, 2x IB400 per node"}});
  CHECK(words["type"] == "lustre");
  CHECK(words["oss"]["count"] == 4);
  CHECK(words["oss"]["nic"] == "800 Gb/s");
  CHECK(words["ost"]["count"] == 16);
  // Columns count before words.
  const base::Json columns =
      store_of({{"storage", "Lustre, 4 nodes"}, {"protocol", ""}, {"storage_nodes", "16"}});
  CHECK(columns["oss"]["count"] == 16);
}

TEST_CASE("one server of objects is a server") {
  for (const int nodes : {1, 2, 6}) {
    const base::Json store =
        store_of({{"storage_nodes", std::to_string(nodes)}, {"storage_nic_Gbps_per_node", "100"}});
    CHECK(store["server"]["count"] == nodes);
    CHECK(store["server"]["nic"] == "100 Gb/s");
  }
}

TEST_CASE("the kind of storage does not depend on how it is spelled") {
  const auto type = [](const char* protocol) {
    return store_of({{"protocol", protocol}})["type"].get<std::string>();
  };
  for (const char* s3 : {"S3", "Amazon S3", "MinIO (S3)", "s3 over HTTPS"}) CHECK(type(s3) == "s3");
  for (const char* lustre : {"Lustre", "lustre (O_DIRECT)"}) CHECK(type(lustre) == "lustre");
  for (const char* local : {"local FS", "Local", "XFS on local NVMe"})
    CHECK(type(local) == "local");
  CHECK(type("NFSv4.1 over RDMA") == "nfs");
  CHECK(type("Alluxio FUSE over S3") == "cache");
}

TEST_CASE("servers that nobody counts are sized for their clients, with a note") {
  for (const char* protocol : {"S3", "Lustre", "GPFS (IBM Storage Scale)"}) {
    CAPTURE(protocol);
    const Facts facts = facts_of({{"protocol", protocol}});
    REQUIRE(facts.asked.has_value());
    // 10 ranks of 7 records of 146.6 MB in 162 ms each
    CHECK(facts.asked->in(unit::GBps) == Approx(63.346).epsilon(1e-4));
    CHECK(facts.notes.size() == 1);
    const base::Json read = storage_of(facts)[0]["read"];
    CHECK(read["value"] == "126.692 GB/s");
    CHECK(read["low"] == "44.3422 GB/s");
    CHECK(read["high"] == "506.768 GB/s");
  }
  CHECK(facts_of({{"storage_nodes", "4"}}).notes.empty());
  CHECK(facts_of({{"hosts", "1e3"}}).hosts == 1000.0);
}

TEST_CASE("a stated rate is read in its unit, whatever the case of its word") {
  const auto stated = [](const char* drives) {
    const Facts facts = facts_of({{"protocol", "Lustre"}, {"drives", drives}});
    return facts.stated.value_or(Rate{}).in(unit::GBps);
  };
  for (const char* same : {"provisioned 100 GB/s", "Provisioned 100 GB/s", "provisioned 0.1 TB/s",
                           "provisioned 800 Gb/s", "Stated peak 100 GB/s"})
    CHECK(stated(same) == Approx(100.0));
  CHECK(stated("provisioned 1,000 GB/s") == Approx(1000.0));
  // Tiers are sold in MB/s per TiB.
  CHECK(stated("provisioned 100 GB/s (MB/s/TiB x TiB)") == Approx(104.8576));
  CHECK(facts_of({{"protocol", "Lustre"}, {"storage", "Azure 125 MB/s/TiB x 160 TiB"}})
            .stated.value()
            .in(unit::GBps) == Approx(20.97152));
}

TEST_CASE("what is stated of all ports counts where none is") {
  const auto port = [](const std::map<std::string, std::string>& cells) {
    const Facts facts = facts_of(cells);
    return facts.node_port * facts.node_ports * facts.nodes;
  };
  CHECK(port({{"storage_nodes", "4"}, {"storage_net_GBps", "20"}}).in(unit::GBps) == Approx(20.0));
  CHECK(port({{"storage_net_GBps", "20"}}).in(unit::GBps) == Approx(20.0));
  // A port of each node counts before it.
  CHECK(port({{"storage_nodes", "4"},
              {"storage_net_GBps", "20"},
              {"storage_nic_Gbps_per_node", "2x100"}}) == Rate::from(800, unit::Gbps));
  Diagnostics none;
  const CsvTable table(
      "num_hosts,client_net_GBps_total,storage_nodes,storage_net_GBps_total,drives_total,"
      "drives_GBps_total,read_threads\n4,20,5,10,8,4,-1\n",
      "t.csv", none);
  const Workload* unet3d = find_workload("unet3d");
  const Facts first = read_facts(table, 0, *unet3d, unet3d->compute("a100"));
  CHECK((first.port * first.ports * 4.0).in(unit::GBps) == Approx(20.0));
  CHECK((first.node_port * first.node_ports * 5.0).in(unit::GBps) == Approx(10.0));
  CHECK((first.drive.read * first.drives).in(unit::GBps) == Approx(4.0));
  CHECK(first.read_threads == 4.0);
  CHECK(first.notes ==
        std::vector<std::string>{"\"-1\" in column \"read_threads\" is taken as not known"});
}

TEST_CASE("drives of a host are as many as the row says, named or not") {
  const auto count = [](const char* drives) {
    return store_of({{"protocol", "local FS"}, {"drives", drives}})
        .value("drive", base::Json::object())
        .value("count", 1);
  };
  CHECK(count("1 x Solidigm D7-PS1010 7.68 TB") == 1);
  CHECK(count("4x Solidigm D7-PS1010 7.68 TB") == 4);
  CHECK(count("8x KIOXIA 7.68 TB") == 8);
  CHECK(count("KIOXIA 7.68 TB") == 1);
  CHECK(count("2 x 480 GB boot + 10 x 7.68 TB NVMe") == 10);
  CHECK(facts_of({{"storage_nodes", "8"}, {"drives", "80 NVMe in all"}}).drives == 80.0);
  CHECK(store_of({{"protocol", "local"}, {"drives", "2 x ACME NVMe"}})["drive"]["read"]["low"] ==
        "3 GB/s");
}

TEST_CASE("a rate that is stated below what drives and ports give limits every kind of storage") {
  const auto store = [](const char* product, std::optional<Rate> stated) {
    Facts facts = facts_of({{"protocol", product}, {"storage_nodes", "2"}});
    facts.nodes = 2.0;
    facts.drives = 24.0;
    facts.drive = {7_GBps};
    facts.stated = stated;
    return storage_of(facts)[0];
  };
  for (const char* product :
       {"NVMe/TCP stripe", "local FS", "WEKA", "JuiceFS, cache group", "NFS", "Lustre", "S3"}) {
    CAPTURE(product);
    const std::string slow = store(product, 10_GBps).dump();
    CHECK(slow != store(product, std::nullopt).dump());
    CHECK(slow.find("a stated rate") != std::string::npos);
  }
  // Two servers of 5 GB/s.
  CHECK(store("WEKA", 10_GBps)["backend"]["read"]["value"] == "5 GB/s");
  CHECK(store("JuiceFS", 10_GBps)["server"]["read"]["value"] == "5 GB/s");
  CHECK(store("NVMe/TCP", 10_GBps)["target"]["nic"]["value"] == "5 GB/s");
  CHECK(store("local", 12_GBps)["drive"]["read"]["value"] == "0.5 GB/s");
}

TEST_CASE("what is saved is written to the drives that there are") {
  const auto says = [](const char* product, const char* drives) {
    return store_of({{"protocol", product}, {"storage_nodes", "8"}, {"drives", drives}})
               .dump()
               .find("drives write 25-90 % of what they read") != std::string::npos;
  };
  for (const char* product : {"NVMe/TCP stripe", "WEKA", "NFS", "local FS"}) {
    CAPTURE(product);
    CHECK(says(product, "1 x HDD"));
  }
  CHECK_FALSE(says("WEKA", "24 x NVMe PCIe 5"));  // more than the catalogue's backend writes
}

TEST_CASE("a system of the catalogue is as large as the row says") {
  const auto store = [](const std::map<std::string, std::string>& cells) {
    auto all = cells;
    all["protocol"] = "Lustre (HPE Cray E1000)";
    return storage_of(facts_of(all))[0];
  };
  CHECK_FALSE(store({{"storage_nodes", "2"}}).contains("ost"));
  const base::Json half = store({{"storage_nodes", "1"}});
  CHECK(half["oss"]["count"] == 2);
  CHECK(half["read"]["value"] == "65 GB/s");
  // 85 of the catalogue's 130 GB/s: 2.6 of its 4 servers
  const base::Json stated = store({{"storage_nodes", "1"}, {"provisioned_GBps", "85"}});
  CHECK(stated["oss"]["count"] == 3);
  CHECK(stated["read"]["value"] == "85 GB/s");
}

TEST_CASE("NFS over RDMA is not bound to a flow of TCP") {
  const auto connection = [](const char* protocol) {
    return store_of(
        {{"protocol", protocol}, {"storage_nodes", "4"}})["client"]["connection"]["value"];
  };
  CHECK(connection("NFSv4.1, one process") == "1.5 GB/s");
  CHECK(connection("NFSv4.1 over RDMA (VAST)") == "8 GB/s");
  CHECK_FALSE(facts_of({{"protocol", "NFS over RoCE"}}).tcp());
  // Eight drives a server where nobody counts them: 4 x 8 x 6.5 GB/s
  CHECK(facts_of({{"protocol", "NFS"}, {"storage_nodes", "4"}}).sheets() == 208_GBps);
}

TEST_CASE("what cannot be read is a note on the row") {
  const Facts facts = facts_of({{"client_nic_Gbps", "ConnectX-7"},
                                {"storage_nodes", "2"},
                                {"storage_nic_Gbps_per_node", "BlueField-3"}});
  CHECK(facts.port == Rate{});
  CHECK(facts.notes == std::vector<std::string>{
                           "\"ConnectX-7\" in column \"client_nic_Gbps\" is taken as not known",
                           "\"BlueField-3\" in column \"storage_nic_Gbps_per_node\" is taken as "
                           "not known"});
  CHECK(facts_of({{"storage_nodes", "6 OSS"}}).notes.empty());
  CHECK(facts_of({{"storage_nodes", "12-24"}}).notes ==
        std::vector<std::string>{"\"12-24\" in column \"storage_nodes\" is taken as 12"});
}

}  // namespace
}  // namespace stallcast::calibration::mlperf
