package dev.holdfast.csi.internal.node;

import static dev.holdfast.csi.internal.Driver.NODE;
import static dev.holdfast.csi.internal.Driver.mounted;
import static dev.holdfast.csi.internal.Driver.refused;
import static dev.holdfast.csi.internal.Driver.volume;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.Waiting;
import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.vm.testkit.NfsServer;
import dev.holdfast.vm.testkit.VmHost;
import dev.holdfast.vm.testkit.VmOptions;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The driver of a node that is a virtual machine, whose kernel mounts shares of a real server. */
@Tag("slow")
@Timeout(600)
class MountedSharesVmTest {
  private static final Csi.VolumeCapability MANY = mounted(Mode.MULTI_NODE_MULTI_WRITER);
  private static final String STAGING = "/run/csi/staging";
  private static final String TARGET = "/run/csi/target";
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final Set<Code> TAKES_LONG = Set.of(Code.ABORTED, Code.DEADLINE_EXCEEDED);

  @TempDir private static Path folder;
  private static VmHost vm;

  @TempDir private Path directory;
  private NfsServer server;
  private Path exported;
  private Driver driver;
  private String id;

  @BeforeAll
  static void boot() throws Exception {
    vm = VmHost.start(new VmOptions(512, List.of("nfsv4"), List.of(), Duration.ofMinutes(10)));
  }

  @AfterAll
  static void off() throws Exception {
    vm.close();
  }

  @BeforeEach
  void serve() throws Exception {
    exported = exported("first");
    server = NfsServer.start(Files.createTempDirectory(folder, "server"), exported, "share");
    driver = Driver.start(directory, vm);
    driver.platform.shareEndpoint = server.endpoint();
    id =
        driver
            .controller()
            .createVolume(volume("pvc-1", r -> r.setVolumeCapabilities(0, MANY)))
            .getVolume()
            .getVolumeId();
    driver.published(id, NODE, MANY);
    stage();
    publish();
  }

  @AfterEach
  void leaveNothing() throws Exception {
    try {
      unpublish();
      unstage();
      assertThat(mounts()).isEmpty();
    } finally {
      driver.close();
      server.close();
    }
  }

  private static Path exported(String content) throws Exception {
    Path made = Files.createTempDirectory(folder, "exported");
    Files.writeString(made.resolve("which"), content);
    return made;
  }

  /** The orchestrator repeats a call that takes longer than it waits. */
  private static void repeat(Supplier<?> call) {
    long begun = System.nanoTime();
    while (true) {
      try {
        assertThat(call.get()).isNotNull();
        return;
      } catch (StatusRuntimeException e) {
        boolean takesLong = TAKES_LONG.contains(e.getStatus().getCode());
        if (!takesLong || System.nanoTime() - begun > LIMIT.toNanos()) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void stage() {
    repeat(
        () ->
            driver
                .node()
                .nodeStageVolume(
                    Csi.NodeStageVolumeRequest.newBuilder()
                        .setVolumeId(id)
                        .setStagingTargetPath(STAGING)
                        .setVolumeCapability(MANY)
                        .build()));
  }

  private void publish() {
    repeat(
        () ->
            driver
                .node()
                .nodePublishVolume(
                    Csi.NodePublishVolumeRequest.newBuilder()
                        .setVolumeId(id)
                        .setStagingTargetPath(STAGING)
                        .setTargetPath(TARGET)
                        .setVolumeCapability(MANY)
                        .build()));
  }

  private void unpublish() {
    repeat(
        () ->
            driver
                .node()
                .nodeUnpublishVolume(
                    Csi.NodeUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(id)
                        .setTargetPath(TARGET)
                        .build()));
  }

  private void unstage() {
    repeat(
        () ->
            driver
                .node()
                .nodeUnstageVolume(
                    Csi.NodeUnstageVolumeRequest.newBuilder()
                        .setVolumeId(id)
                        .setStagingTargetPath(STAGING)
                        .build()));
  }

  private Csi.NodeGetVolumeStatsResponse stats() {
    return driver
        .node()
        .nodeGetVolumeStats(
            Csi.NodeGetVolumeStatsRequest.newBuilder()
                .setVolumeId(id)
                .setVolumePath(TARGET)
                .build());
  }

  private static String sh(String script) throws StorageException {
    return vm.check(ProgramCall.of(LONG, List.of("/bin/sh", "-c", script)));
  }

  /** Lines of the mount table with the driver's directories, which begin with a number each. */
  private static List<String> mounts() throws StorageException {
    return sh("grep ' /run/csi/' /proc/self/mountinfo || true").lines().toList();
  }

  @Test
  void stagedShareIsUsedMeasuredAndGrownWithoutThisNode() throws Exception {
    sh("echo content > " + TARGET + "/file");
    assertThat(exported.resolve("file")).hasContent("content");
    List<String> before = mounts();
    stage();
    publish();
    assertThat(mounts()).as("mounts that are there already").isEqualTo(before);

    Csi.VolumeUsage bytes = stats().getUsage(0);
    assertThat(bytes.getUnit()).isEqualTo(Csi.VolumeUsage.Unit.BYTES);
    // Not equal, because the size of some filesystems changes while they are used.
    assertThat(bytes.getTotal()).isCloseTo(exported.toFile().getTotalSpace(), withinPercentage(1));

    var growth = Csi.ControllerExpandVolumeRequest.newBuilder().setVolumeId(id);
    growth.getCapacityRangeBuilder().setRequiredBytes(2 * Driver.SIZE);
    assertThat(
            driver.controller().controllerExpandVolume(growth.build()).getNodeExpansionRequired())
        .isFalse();
    var here =
        Csi.NodeExpandVolumeRequest.newBuilder()
            .setVolumeId(id)
            .setVolumePath(TARGET)
            .setStagingTargetPath(STAGING);
    here.getCapacityRangeBuilder().setRequiredBytes(2 * Driver.SIZE);
    assertThat(driver.node().nodeExpandVolume(here.build()).getCapacityBytes())
        .isEqualTo(2 * Driver.SIZE);
    assertThat(mounts()).isEqualTo(before);
  }

  @Test
  void movedShareIsMountedAgainOnce() throws Exception {
    assertThat(sh("cat " + TARGET + "/which")).isEqualTo("first");
    Path work = Files.createTempDirectory(folder, "server");
    try (NfsServer next = NfsServer.start(work, exported("second"), "share")) {
      server.kill();
      move(next.endpoint());
      publish();
      assertThat(sh("cat " + TARGET + "/which")).isEqualTo("second");
      List<String> once = mounts();
      assertThat(once).as("mounts of the present server").hasSize(2);
      publish();
      stage();
      assertThat(mounts()).as("mounts after a repeated request").isEqualTo(once);
      unpublish();
      unstage();
      assertThat(mounts()).isEmpty();
    }
  }

  private void move(String endpoint) throws StorageException {
    driver.platform.shareEndpoint = endpoint;
    driver.platform.resume();
    try (ResourceWait observation = new ResourceWait(driver.store)) {
      var seen = observation.follow(Volume.KIND, id);
      Volume moved =
          observation.await(
              "volume " + id,
              Waiting.upTo(LONG),
              () -> seen.latest().filter(v -> v.status().shareEndpoint().equals(endpoint)),
              () -> "the endpoint " + endpoint);
      assertThat(Optional.of(moved)).isPresent();
    }
  }

  @Test
  void staleMountIsReplaced() throws Exception {
    server.kill();
    Path other = exported("other");
    Files.delete(exported.resolve("which"));
    Files.delete(exported);
    server.serve(other);
    refused(Code.UNAVAILABLE, "does not answer", this::stats);
    publish();
    assertThat(sh("cat " + TARGET + "/which")).isEqualTo("other");
    assertThat(mounts()).hasSize(2);
  }

  /** Waits for the time after which a silent server counts as gone, several times. */
  @Test
  @Tag("soak")
  void volumeOfASilentServerIsReportedAndTakenOff() throws Exception {
    server.freeze();
    refused(Code.UNAVAILABLE, "does not answer", this::stats);
    var health =
        driver
            .node()
            .nodeGetVolumeHealth(
                Csi.NodeGetVolumeHealthRequest.newBuilder().setVolumeId(id).build());
    assertThat(health.getVolumeHealth().getHealthStatusesList())
        .anySatisfy(entry -> assertThat(entry.getReason()).isEqualTo("ShareUnavailable"));
    unpublish();
    unstage();
    assertThat(mounts()).isEmpty();
    server.thaw();
  }
}
