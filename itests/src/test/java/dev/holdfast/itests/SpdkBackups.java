package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.resource.Quantity;
import java.net.URI;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Backups of a volume on SPDK: a full one, one that reads only what changed since, and a volume on
 * SPDK restored from the second one, which is equal.
 *
 * @param node that serves the volume
 * @param target folder of the backups
 */
record SpdkBackups(RunningNode node, Path target) {
  private static final int PART = 1 << 20;
  private static final int CHANGED_AT = 40 << 20;
  private static final int BACKUP_BLOCK = 2 << 20;

  private JsonNode create(String volume, String name) {
    node.ok("backup", "create", volume, "--name", name);
    return node.api().get("backups", name).path("status");
  }

  private static long bytes(JsonNode status, String field) {
    return Quantity.parse(status.path(field).asText()).bytes();
  }

  private static String sha256(NvmeClient client) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (long offset = 0; offset < client.size(); offset += PART) {
      digest.update(client.read(offset, PART));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Backs a volume up twice and restores the second backup, through the hosts of the volumes. */
  void assertRestored(String volume, NvmeClient client) throws Exception {
    node.ok("backup", "add-target", "file://" + target);
    JsonNode first = create(volume, "first");
    assertThat(bytes(first, "readDataSize"))
        .as("bytes of the clusters that were written")
        .isPositive()
        .isLessThan(client.size() / 2);
    byte[] changed = new byte[4096];
    Arrays.fill(changed, (byte) 0xa5);
    client.write(CHANGED_AT, changed);
    String expected = sha256(client);

    JsonNode second = create(volume, "second");
    assertThat(second.path("base").asText()).isEqualTo("first");
    assertThat(bytes(second, "readDataSize"))
        .as("bytes that were read again")
        .isPositive()
        .isLessThanOrEqualTo(BACKUP_BLOCK);

    node.ok(
        "volume",
        "create",
        "restored",
        "--backup",
        "second",
        "--replicas",
        "1",
        "--engine",
        "spdk",
        "--frontend",
        "nvmeof",
        "--wait");
    URI endpoint = node.attach("restored");
    assertThat(endpoint.getScheme()).isEqualTo("nvme");
    try (NvmeClient restored = new NvmeClient(endpoint)) {
      assertThat(sha256(restored)).isEqualTo(expected);
    }
    node.ok("volume", "detach", "restored");
    node.ok("volume", "delete", "restored", "--grace", "0s");
  }
}
