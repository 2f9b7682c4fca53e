package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
  private static final RecordedBlob BLOB =
      new RecordedBlob("a", RecordedBlob.Phase.PRESENT, 1 << 20, "");

  private static final PoolRecord SHARED =
      new PoolRecord(
          "a",
          "",
          BlobOptions.THIN,
          List.of(BLOB),
          List.of(
              new Attachment("a", "node-1", "engine", false),
              new Attachment("a", "node-2", "engine", true)),
          new PoolPlace(
              "node-1",
              "node-2",
              PoolPlace.Phase.HOLDING,
              7,
              Map.of("node-1", 7L, "node-2", 6L),
              Map.of("a", new PoolAddress("node-1", "10.0.0.1", 10809, 7))));

  private static PoolRecord read(String json) throws StorageException {
    return RecordFormat.read("r", json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void recordOfSharedPoolKeepsItsPlace() throws Exception {
    assertThat(RecordFormat.read("r", RecordFormat.write(SHARED))).isEqualTo(SHARED);
  }

  @Test
  void recordOfEarlierVersionIsOfOneNode() throws Exception {
    PoolRecord read =
        read(
            """
            {"format":1,"id":"a","node":"node-1","mode":"thin","wipe":"full",
             "blobs":[{"name":"a","phase":"present","sizeBytes":1048576,"source":""}],
             "attachments":[{"blob":"a","node":"node-1","cookie":"c","leaving":false}]}
            """);
    assertThat(read)
        .isEqualTo(
            new PoolRecord(
                "a",
                "node-1",
                BlobOptions.THIN,
                List.of(BLOB),
                List.of(new Attachment("a", "node-1", "c", false)),
                PoolPlace.NONE));
    assertThat(new String(RecordFormat.write(read), StandardCharsets.UTF_8))
        .as("records of one node stay readable for the earlier version")
        .contains("\"format\":1")
        .doesNotContain("place");
  }

  @Test
  void equalCookiesOfTwoNodesAreTwoAttachments() {
    PoolRecord left = SHARED.without(new Attachment("a", "node-2", "engine", false));
    assertThat(left.attachments()).containsExactly(SHARED.attachments().get(0));
    assertThat(SHARED.attachedOn("node-2")).as("a leaving attachment").isEmpty();
    assertThat(SHARED.users()).containsExactly("node-1", "node-2");
  }
}
