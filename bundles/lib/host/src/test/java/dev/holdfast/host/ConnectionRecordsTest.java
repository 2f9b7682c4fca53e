package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionRecordsTest {
  private static final URI ENDPOINT = URI.create("nbd://127.0.0.1:10809/demo");

  @TempDir private Path folder;
  private ConnectionRecords records;

  @BeforeEach
  void create() {
    records = new ConnectionRecords(new HostState(folder));
  }

  @Test
  void aRecordIsReadAsItWasWritten() throws Exception {
    ConnectionRecord record =
        new ConnectionRecord("demo", "nbd", ENDPOINT.toString(), 42, "/dev/nbd0");
    assertThat(records.read("demo")).isEmpty();
    records.write(record);
    assertThat(records.read("demo")).contains(record);
    assertThat(records.read("demo", "nbd")).contains(record);
    assertThat(records.read("demo", "kernel")).as("of another initiator").isEmpty();
    assertThat(record.connection(true).endpoint()).isEqualTo(ENDPOINT);
    assertThat(record.connection(true).device()).isEqualTo("/dev/nbd0");
  }

  @Test
  void aClaimHasNeitherProcessNorDevice() {
    ConnectionRecord claim = ConnectionRecord.claim("demo", "nbd", ENDPOINT);
    assertThat(claim).isEqualTo(new ConnectionRecord("demo", "nbd", ENDPOINT.toString(), 0, ""));
  }

  /** Earlier releases wrote these files, and read them after a downgrade. */
  @Test
  void theFileHasTheFieldsOfEarlierReleases() throws Exception {
    Path file = folder.resolve("demo.json");
    String written =
        "{\"volume\":\"demo\",\"initiator\":\"nbd\",\"endpoint\":\""
            + ENDPOINT
            + "\",\"pid\":42,\"device\":\"/dev/nbd0\"}";
    Files.writeString(file, written);
    records.write(records.read("demo").orElseThrow());
    assertThat(file).content().isEqualTo(written);
  }

  @Test
  void aDamagedRecordIsNamed() throws Exception {
    Files.writeString(folder.resolve("demo.json"), "{");
    assertThatThrownBy(() -> records.read("demo"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO))
        .hasMessageContaining("record of volume demo")
        .hasMessageContaining(folder.toString());
  }
}
