package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.testkit.LonghornBackupstore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.VerificationStatus;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups that the real Longhorn made are discovered and verified on request. */
class BackupVerifyTest {
  @TempDir Path folder;
  private DiscoveryLab lab;

  @BeforeEach
  void start() throws Exception {
    lab = new DiscoveryLab(1, Faults.NONE);
    Path root = LonghornBackupstore.unpackedIn(folder).root();
    try (Stream<Path> files = Files.walk(root.resolve("backupstore"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        lab.targets.store.put(
            root.relativize(file).toString(),
            List.of(ByteBuffer.wrap(Files.readAllBytes(file))),
            PutOptions.REPLACE);
      }
    }
    lab.scan();
  }

  private void request(String text) throws StorageException {
    Backup backup = lab.store.get(Backup.KIND, LonghornBackupstore.SECOND).orElseThrow();
    lab.store.update(backup.withSpec(backup.spec().withVerifyRequest(text)));
  }

  private VerificationStatus result() throws StorageException {
    return lab.store
        .get(Backup.KIND, LonghornBackupstore.SECOND)
        .orElseThrow()
        .status()
        .verification();
  }

  private VerificationStatus verified(String text) throws StorageException {
    request(text);
    lab.simulation.runUntil(
        "the backup is verified", DiscoveryLab.LIMIT, store -> result().request().equals(text));
    return result();
  }

  @Test
  void damagedBlocksAreCountedAndNamed() throws Exception {
    VerificationStatus intact = verified("first");
    assertThat(intact.blocks()).isEqualTo(32);
    assertThat(intact.damagedBlocks()).isZero();
    assertThat(intact.verifiedAt()).isPresent();

    List<String> blocks = new ArrayList<>();
    lab.targets.store.list(
        LonghornBackupstore.VOLUME_FOLDER + "/blocks/", "", object -> blocks.add(object.key()));
    lab.targets.store.delete(blocks.subList(0, 1));
    lab.other.put(blocks.get(1), "other bytes");
    VerificationStatus damaged = verified("second");
    assertThat(damaged.damagedBlocks()).isBetween(1, 2);
    assertThat(damaged.damaged())
        .hasSize(damaged.damagedBlocks())
        .first()
        .asString()
        .contains("offset");
    lab.scan();
    assertThat(result()).as("a scan keeps the result").isEqualTo(damaged);
  }

  @Test
  void targetThatIsAwayDelaysTheVerificationAndDamagesNothing() throws Exception {
    lab.targets.plan = DiscoveryLab.away();
    request("first");
    lab.simulation.runUntil(
        "the cause is shown", DiscoveryLab.LIMIT, store -> !result().error().isEmpty());
    assertThat(result().error()).contains("the target does not answer");
    assertThat(result().damagedBlocks()).isZero();
    lab.targets.plan = (call, key) -> {};
    assertThat(verified("first").error()).isEmpty();
  }
}
