package dev.holdfast.engine.lvm.blobs.internal.lvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Reports as lvm2 2.03.16 prints them. */
class LvmReportsTest {
  private static final String GROUPS =
      """
        {
            "report": [
                {
                    "vg": [
                        {"vg_name":"vg0", "vg_uuid":"t3jtEB-Gimr-HWoc-DOGj-D1NP-2P5v-PhFGU7",
                         "vg_size":"267386880", "vg_free":"1048576", "vg_extent_size":"1048576",
                         "vg_lock_type":"", "vg_missing_pv_count":"0", "vg_exported":"", "vg_tags":"a,b"}
                    ]
                }
            ]
        }
      """;
  private static final String VOLUMES =
      """
        {
            "report": [
                {
                    "lv": [
                        {"lv_name":"hf-a", "lv_uuid":"h3G6ob", "lv_size":"33554432",
                         "lv_layout":"linear", "pool_lv":"", "lv_tags":"holdfast,holdfast.wiped=7",
                         "lv_active":"", "lv_kernel_major":"-1", "lv_kernel_minor":"-1",
                         "data_percent":"", "lv_metadata_size":"", "metadata_percent":"",
                         "thin_id":"", "lv_health_status":""},
                        {"lv_name":"hfp-b", "lv_uuid":"x", "lv_size":"1000000",
                         "lv_layout":"thin,pool", "pool_lv":"", "lv_tags":"",
                         "lv_active":"active", "lv_kernel_major":"254", "lv_kernel_minor":"3",
                         "data_percent":"12.34", "lv_metadata_size":"4194304",
                         "metadata_percent":"10.94", "thin_id":"",
                         "lv_health_status":"out_of_data"}
                    ]
                }
            ]
        }
      """;

  @Test
  void groupIsRead() throws Exception {
    assertThat(LvmReports.groups(GROUPS))
        .containsExactly(
            new GroupReport(
                "vg0",
                "t3jtEB-Gimr-HWoc-DOGj-D1NP-2P5v-PhFGU7",
                267386880,
                1048576,
                1048576,
                "none",
                0,
                false,
                Set.of("a", "b")));
    assertThat(LvmReports.groups("{\"report\":[{\"vg\":[]}]}")).isEmpty();
  }

  @Test
  void volumesAreRead() throws Exception {
    Set<String> tags = Set.of("holdfast", "holdfast.wiped=7");
    assertThat(LvmReports.volumes(VOLUMES))
        .containsExactly(
            new LogicalVolume(
                "hf-a", "h3G6ob", 33554432, "linear", "", tags, false, "", 0, 0, 0, 0, ""),
            new LogicalVolume(
                "hfp-b",
                "x",
                1000000,
                "thin,pool",
                "",
                Set.of(),
                true,
                "254:3",
                123400,
                4194304,
                458857,
                0,
                "out_of_data"));
  }

  @Test
  void unknownReportIsRefused() {
    for (String text :
        List.of("", "no JSON", "{}", "{\"report\":[{\"lv\":[{}]}]}", VOLUMES.replace("254", "x"))) {
      assertThatThrownBy(() -> LvmReports.volumes(text))
          .hasMessageContaining("LVM's report cannot be read");
    }
  }

  @Test
  void listsOfChangesAndOfMappingsAreRead() throws Exception {
    DeltaParser parser = new DeltaParser();
    List<DeltaParser.Range> ranges = new ArrayList<>();
    for (String line :
        List.of(
            "<superblock uuid=\"\" time=\"1\" transaction=\"3\" data_block_size=\"128\">",
            "  <diff left=\"2\" right=\"3\">",
            "    <same begin=\"0\" length=\"4\"/>",
            "    <different begin=\"4\" length=\"1\"/>",
            "    <left_only begin=\"5\" length=\"2\"/>",
            "    <right_only begin=\"9\" length=\"1\"/>",
            "    <single_mapping origin_block=\"10\" data_block=\"1\" time=\"0\"/>",
            "    <range_mapping origin_begin=\"11\" data_begin=\"5\" length=\"3\" time=\"0\"/>",
            "  </diff>",
            "</superblock>")) {
      Optional<DeltaParser.Range> range = parser.line(line);
      range.ifPresent(ranges::add);
    }
    assertThat(ranges)
        .containsExactly(
            new DeltaParser.Range(262144, 65536),
            new DeltaParser.Range(327680, 131072),
            new DeltaParser.Range(589824, 65536),
            new DeltaParser.Range(655360, 65536),
            new DeltaParser.Range(720896, 196608));
    assertThatThrownBy(() -> parser.line("<different begin=\"x\" length=\"1\"/>"))
        .hasMessageContaining("list of changes");
  }
}
