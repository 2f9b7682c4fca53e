package dev.holdfast.backuptarget.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostMounts;
import dev.holdfast.initiator.MountTable;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When exports are mounted and unmounted, on real mounts of a file system in memory. */
@Tag("slow")
@Timeout(120)
class ExportMountsTest {
  private static final String A = "nfs://server:/a";
  private static final String B = "nfs://server:2050/b?nfsOptions=hard";
  private static final Duration LONG = Duration.ofHours(1);

  @TempDir private Path folder;

  private final TmpfsHost host = new TmpfsHost();
  private ExportMounts mounts;

  @BeforeEach
  void begin() {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    mounts = new ExportMounts(host, folder, Duration.ZERO);
  }

  @AfterEach
  void end() throws Exception {
    mounts.close();
    assertThat(present()).isEmpty();
  }

  private static ObjectStore open(ExportMounts mounts, String address) throws StorageException {
    return new NfsTargetProvider(mounts)
        .open(TargetUrl.parse(address), Map.of(), StoreOptions.DEFAULT);
  }

  private List<Path> present() throws StorageException {
    return new HostMounts(host)
        .table().mounts().stream()
            .map(MountTable.Mount::directory)
            .filter(point -> point.startsWith(folder))
            .toList();
  }

  private static void put(ObjectStore store, String key) throws StorageException {
    StoredObject unused = store.put(key, List.of(ByteBuffer.allocate(9)), PutOptions.REPLACE);
  }

  @Test
  void storesOfOneExportShareAMountUntilTheLastIsClosed() throws Exception {
    ObjectStore one = open(mounts, A);
    ObjectStore two = open(mounts, A + "?volume=v1&backup=b1");
    ObjectStore other = open(mounts, B);
    put(one, "key");

    assertThat(two.stat("key")).isPresent();
    assertThat(other.stat("key")).isEmpty();
    assertThat(host.mounted())
        .containsExactly(
            "soft,timeo=300,retrans=5,actimeo=1,port=2049,retry=0 server:/a",
            "hard,port=2050,retry=0 server:/b");
    assertThat(present()).hasSize(2);
    one.close();
    one.close();
    assertThat(two.stat("key")).isPresent();
    two.close();
    assertThat(present()).hasSize(1);
    other.close();
    assertThat(present()).isEmpty();

    assertThat(open(mounts, A).stat("key")).isEmpty();
    assertThat(host.mounted()).hasSize(3);
  }

  @Test
  void mountStaysForTheNextStoreOfANode() throws Exception {
    try (ExportMounts node = new ExportMounts(host, folder, LONG)) {
      open(node, A).close();
      open(node, A).close();
      assertThat(host.mounted()).hasSize(1);
      assertThat(present()).hasSize(1);
    }
  }

  @Test
  void mountThatAnAdministratorRemovedIsMadeAgain() throws Exception {
    ObjectStore store = open(mounts, A);
    Path point = present().get(0);
    assertThat(new ProcessBuilder("umount", point.toString()).start().waitFor()).isZero();
    put(open(mounts, A), "key");

    assertThat(store.stat("key")).isPresent();
    assertThat(host.mounted()).hasSize(2);
  }

  @Test
  void mountsOfADeadProcessAreRemovedAndThoseOfALivingOneStay() throws Exception {
    ObjectStore living = open(mounts, A);
    Path kept = present().get(0);
    Path point = Files.createDirectories(folder.resolve("999999999-17/1"));
    assertThat(
            new ProcessBuilder("mount", "-t", "tmpfs", "tmpfs", point.toString()).start().waitFor())
        .isZero();
    Path foreign = Files.createDirectories(folder.resolve("other"));
    ExportMounts next = new ExportMounts(host, folder, LONG);
    next.removeAbandoned();
    while (Files.exists(point.getParent())) {
      Thread.onSpinWait();
    }

    assertThat(present()).containsExactly(kept);
    assertThat(foreign).exists();
    put(living, "key");
  }

  @Test
  void wrongAddressMountsNothing() {
    assertThatThrownBy(() -> open(mounts, "nfs://server:/a?nfsOptions=vers=3"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("vers must be 4");
    assertThat(host.mounted()).isEmpty();
  }
}
