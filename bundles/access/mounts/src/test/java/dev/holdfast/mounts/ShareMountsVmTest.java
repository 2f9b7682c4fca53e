package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.initiator.HostState;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import dev.holdfast.vm.testkit.NfsServer;
import dev.holdfast.vm.testkit.VmHost;
import dev.holdfast.vm.testkit.VmOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Mounts of shares on a host that is a virtual machine, while the share moves and at its boot. */
@Tag("slow")
@Timeout(300)
class ShareMountsVmTest {
  private static final Path POINT = Path.of("/run/shares/files");
  private static final Waiting PATIENT = Waiting.upTo(Duration.ofMinutes(1));
  private static final ShareMountRequest ONCE = new ShareMountRequest("files", POINT, "", false);
  private static final ShareMountRequest ALWAYS = new ShareMountRequest("files", POINT, "", true);

  @TempDir private static Path folder;
  private static VmHost vm;

  @TempDir private Path records;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final List<NfsServer> servers = new ArrayList<>();

  @BeforeAll
  static void boot() throws Exception {
    vm = VmHost.start(VmOptions.of("nfsv4"));
  }

  @AfterAll
  static void off() throws Exception {
    vm.close();
  }

  @BeforeEach
  void share() throws Exception {
    store.create(
        Volume.of(
            "files",
            VolumeSpec.EMPTY
                .withSize(new Quantity(64 << 20))
                .withAccessMode(AccessMode.READ_WRITE_MANY)));
    store.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume("files").withServe(true)));
    serveFrom("first");
  }

  @AfterEach
  void leaveNothing() throws Exception {
    if (!mounts().list().isEmpty()) {
      mounts().unmount("files", PATIENT);
    }
    assertThat(mounted()).isEmpty();
    servers.forEach(NfsServer::close);
  }

  /** Starts a server on another port, and publishes it as the share's endpoint. */
  private void serveFrom(String content) throws Exception {
    Path exported = Files.createTempDirectory(folder, "exported");
    Files.writeString(exported.resolve("which"), content);
    Path work = Files.createTempDirectory(folder, "server");
    NfsServer server = NfsServer.start(work, exported, "files");
    servers.add(server);
    ShareManager share = store.get(ShareManager.KIND, "files").orElseThrow();
    store.updateStatus(
        share.withStatus(
            share.status().withState(InstanceState.RUNNING).withEndpoint(server.endpoint())));
  }

  /** Knows only what is written down, as another program does. */
  private Mounts mounts() {
    return new Mounts(vm, store, List.of(), new HostState(records), Optional.empty());
  }

  private static String sh(String script) throws StorageException {
    return vm.check(ProgramCall.of(Duration.ofSeconds(30), List.of("/bin/sh", "-c", script)));
  }

  /** Returns the mounts at the directory, each with its number. */
  private static List<String> mounted() throws StorageException {
    return sh("grep ' " + POINT + " ' /proc/self/mountinfo || true").lines().toList();
  }

  private static String content() throws StorageException {
    return sh("cat " + POINT + "/which");
  }

  @Test
  void mountFollowsAShareThatMoved() throws Exception {
    mounts().mountShare(ONCE, PATIENT);
    List<String> before = mounted();
    mounts().mountShare(ONCE, PATIENT);
    assertThat(mounted()).as("a mount that is there already").isEqualTo(before);
    servers.get(0).kill();
    serveFrom("second");
    MountRecord moved = mounts().mountShare(ONCE, PATIENT);
    assertThat(moved.device()).isEqualTo(servers.get(1).endpoint());
    assertThat(content()).isEqualTo("second");
    assertThat(mounted()).hasSize(1);
  }

  @Test
  void bootMountsPersistentSharesAtTheirPresentAddress() throws Exception {
    mounts().mountShare(ALWAYS, PATIENT);
    // The mount is gone and its record stays, as after a boot of this host.
    sh("umount " + POINT);
    servers.get(0).kill();
    serveFrom("second");
    List<StorageException> failures = new ArrayList<>();
    List<MountRecord> restored = mounts().restore(failures::add, PATIENT);
    assertThat(failures).isEmpty();
    assertThat(restored).extracting(MountRecord::device).containsExactly(servers.get(1).endpoint());
    assertThat(content()).isEqualTo("second");
    assertThat(mounts().restore(failures::add, PATIENT)).hasSize(1);
    assertThat(mounted()).hasSize(1);
  }

  @Test
  void bootMountsNoTransientShare() throws Exception {
    mounts().mountShare(ONCE, PATIENT);
    sh("umount " + POINT);
    List<StorageException> failures = new ArrayList<>();
    assertThat(mounts().restore(failures::add, PATIENT)).isEmpty();
    assertThat(failures).isEmpty();
    assertThat(mounted()).isEmpty();
  }

  @Test
  void shareThatIsStoppedIsNotMounted() throws Exception {
    ShareManager share = store.get(ShareManager.KIND, "files").orElseThrow();
    store.update(share.withSpec(share.spec().withServe(false)));
    assertThatThrownBy(() -> mounts().mountShare(ONCE, PATIENT))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("first 'holdfast share files'");
    assertThat(mounts().list()).isEmpty();
  }
}
