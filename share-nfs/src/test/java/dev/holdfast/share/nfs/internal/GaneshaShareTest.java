package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ServerProcess;
import dev.holdfast.share.ShareFilesystem;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareStop;
import dev.holdfast.share.WriteProbe;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Serves a loop device with the real Ganesha of this host, and uses it over NFS 4.0. */
@Tag("slow")
class GaneshaShareTest {
  @TempDir Path folder;
  private LoopDevice device;
  private ShareFixture node;
  private ShareRequest request;

  @BeforeEach
  void startNode() throws Exception {
    device = new LoopDevice(folder.resolve("volume.img"), ShareFixture.SIZE);
    node = new ShareFixture(folder.resolve("data"));
    request = ShareFixture.request("v1", device);
  }

  @AfterEach
  void stopNode() throws Exception {
    node.close();
    device.close();
  }

  private ProcessIdentity process() throws Exception {
    return new ShareRecords(folder.resolve("data/share-nfs/records"))
        .find("v1")
        .flatMap(ShareRecord::process)
        .orElseThrow();
  }

  private void killServer() throws Exception {
    ProcessIdentity process = process();
    GaneshaServer.kill(process);
    assertThat(HostCondition.holds(ShareFixture.LIMIT, () -> !process.isAlive())).isTrue();
  }

  @Test
  void clientsWriteAndReadAndDoNotSeeTheRecoveryFolder() throws Exception {
    ShareObservation seen = node.start(request);
    assertThat(seen.serves()).as(seen.toString()).isTrue();
    assertThat(seen.current()).isTrue();
    assertThat(seen.probe()).isEqualTo(WriteProbe.WRITTEN);
    assertThat(seen.size()).isEqualTo(ShareFixture.SIZE);
    assertThat(seen.endpoint()).isEqualTo("nfs://127.0.0.1:" + request.port() + "/v1");
    assertThat(seen.serverVersion()).matches("\\d+\\.\\d+.*");
    NfsClient client = ShareFixture.client(request);
    assertThat(client.write("a", "hello").output()).contains("copied 5 bytes");
    assertThat(client.read("a").output()).isEqualTo("hello");
    assertThat(client.write(".holdfast/a", "x").exitCode()).isNotZero();
    assertThat(client.read(".holdfast/probe").exitCode()).isNotZero();
    assertThat(folder.resolve("data/share-nfs/shares/v1/recovery/nfs/v4recov"))
        .isNotEmptyDirectory();
  }

  @Test
  void otherClientsHaveNoAccessAndReadersDoNotWrite() throws Exception {
    ShareRequest others = request.withClients(List.of(AllowedClient.of("10.255.0.0/16")));
    node.start(others);
    NfsClient client = ShareFixture.client(request);
    assertThat(client.list().exitCode()).isNotZero();
    assertThat(node.observe(request).current()).isFalse();
    ProcessIdentity before = process();
    node.start(request);
    assertThat(process()).isEqualTo(before);
    assertThat(client.write("a", "hello").output()).contains("copied 5 bytes");
    node.start(request.withClients(List.of(AllowedClient.of("127.0.0.0/8").withReadOnly(true))));
    assertThat(client.read("a").output()).isEqualTo("hello");
    assertThat(client.write("b", "x").output()).contains("NFS4ERR_ROFS");
    assertThat(process()).isEqualTo(before);
    ShareObservation wrong =
        node.observe(request.withClients(List.of(AllowedClient.of("127.0.0.1/8"))));
    assertThat(wrong.serves()).isTrue();
    assertThat(wrong.current()).isFalse();
    assertThat(wrong.message()).contains("allowed client \"127.0.0.1/8\"");
  }

  @Test
  void killedServerStartsAgainInPlaceAndKeepsTheContent() throws Exception {
    node.start(request);
    NfsClient client = ShareFixture.client(request);
    assertThat(client.write("a", "hello").output()).contains("copied 5 bytes");
    ProcessIdentity before = process();
    killServer();
    ShareObservation dead = node.observe(request);
    assertThat(dead.process()).isEqualTo(ServerProcess.DEAD);
    assertThat(dead.serves()).isFalse();
    assertThat(dead.probe()).isEqualTo(WriteProbe.WRITTEN);
    assertThat(node.start(request).serves()).isTrue();
    assertThat(process()).isNotEqualTo(before);
    node.awaitGrace(request);
    assertThat(client.read("a").output()).isEqualTo("hello");
  }

  @Test
  void serverThatDoesNotAnswerIsReplaced() throws Exception {
    node.start(request);
    ProcessIdentity before = process();
    String unused =
        HostProgram.check(
            ShareFixture.LIMIT, List.of("kill", "-STOP", Long.toString(before.pid())));
    ShareObservation silent = node.observe(request);
    assertThat(silent.process()).isEqualTo(ServerProcess.RUNNING);
    assertThat(silent.answers()).isFalse();
    assertThat(node.start(request).serves()).isTrue();
    assertThat(before.isAlive()).isFalse();
  }

  @Test
  void nextBundleAdoptsTheServerAndStopsIt() throws Exception {
    node.start(request);
    ProcessIdentity before = process();
    node.replace();
    assertThat(node.observe(request).serves()).isTrue();
    assertThat(node.start(request).serves()).isTrue();
    assertThat(process()).isEqualTo(before);
    node.replace();
    node.server().stop(request.instance(), ShareStop.END, ShareFixture.LIMIT);
    assertThat(before.isAlive()).isFalse();
    assertNothingIsLeft();
  }

  private void assertNothingIsLeft() throws Exception {
    assertThat(node.server().instances()).isEmpty();
    assertThat(node.observe(request)).isEqualTo(ShareObservation.NOTHING);
    assertThat(MountTable.read().mounts())
        .noneMatch(mount -> mount.directory().startsWith(folder))
        .noneMatch(mount -> mount.source().equals(device.device()));
    try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
      assertThat(files.filter(Files::isRegularFile).map(Path::getFileName).map(Path::toString))
          .containsOnly(".lock");
    }
    assertThat(Path.of("/run/holdfast/share-nfs-test")).isEmptyDirectory();
    assertThat(
            ProcessHandle.allProcesses().flatMap(process -> process.info().commandLine().stream()))
        .noneMatch(command -> command.contains(folder.toString()));
  }

  @Test
  void busyMountIsReportedWithItsHolder() throws Exception {
    node.start(request);
    Path export = folder.resolve("data/share-nfs/shares/v1/export");
    Process holder = new ProcessBuilder("sleep", "1000").directory(export.toFile()).start();
    try {
      assertThatThrownBy(
              () -> node.server().stop(request.instance(), ShareStop.END, ShareFixture.LIMIT))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
          .hasMessageContaining("process " + holder.pid() + " (sleep)");
    } finally {
      holder.destroyForcibly().waitFor();
    }
    node.server().stop(request.instance(), ShareStop.END, ShareFixture.LIMIT);
    assertNothingIsLeft();
  }

  @Test
  void filesystemGrowsAndIsTrimmedWhileItIsServed() throws Exception {
    // ext4 grows in use only with CAP_SYS_RESOURCE, which this host may lack.
    long size = 320L << 20;
    device.grow(size);
    ShareRequest small =
        request.withSize(size).withFilesystem(new ShareFilesystem("xfs", List.of(), List.of()));
    node.start(small);
    ShareRequest larger = small.withSize(2 * size);
    device.grow(larger.size());
    node.server().grow(larger);
    assertThat(node.observe(larger).size()).isEqualTo(larger.size());
    assertThat(folder.resolve("data/share-nfs/shares/v1/export").toFile().getTotalSpace())
        .isGreaterThan(3 * size / 2);
    assertThat(node.server().trim(larger)).isPositive();
  }

  @Test
  void filesystemThatDoesNotGrowServesAtItsSize() throws Exception {
    node.start(request);
    node.server().stop(request.instance(), ShareStop.END, ShareFixture.LIMIT);
    ShareRequest larger = request.withSize(2 * ShareFixture.SIZE);
    device.grow(larger.size());
    node.failing("resize2fs");
    ShareObservation seen = node.start(larger);
    assertThat(seen.serves()).as(seen.toString()).isTrue();
    assertThat(seen.size()).isBetween(ShareFixture.SIZE / 2, ShareFixture.SIZE);
    assertThatThrownBy(() -> node.server().grow(larger)).hasMessageContaining("false failed");
    assertThat(node.observe(larger).serves()).isTrue();
  }

  @Test
  void readOnlyFilesystemIsFoundAndRepaired() throws Exception {
    node.start(request);
    NfsClient client = ShareFixture.client(request);
    assertThat(client.write("a", "hello").output()).contains("copied 5 bytes");
    Files.writeString(
        Path.of("/sys/fs/ext4", Path.of(device.device()).getFileName().toString())
            .resolve("trigger_fs_error"),
        "1");
    assertThat(node.observe(request).probe()).isEqualTo(WriteProbe.FAILED);
    node.server().repair(request, ShareFixture.LIMIT);
    assertThat(node.observe(request).serves()).isTrue();
    node.awaitGrace(request);
    assertThat(client.read("a").output()).isEqualTo("hello");
  }

  @Test
  void fullFilesystemServesAndTakesWritesAgainWhenSpaceIsFreed() throws Exception {
    node.start(request);
    NfsClient client = ShareFixture.client(request);
    assertThat(client.write("a", "hello").output()).contains("copied 5 bytes");
    Path ballast = folder.resolve("data/share-nfs/shares/v1/export/ballast");
    fillUp(ballast);

    assertThat(client.write("b", "world").output()).contains("Failed to write");
    assertThat(client.read("a").output()).isEqualTo("hello");
    assertThat(node.observe(request).serves()).isTrue();
    killServer();
    assertThat(node.start(request).serves()).as("started while it is full").isTrue();
    node.awaitGrace(request);
    assertThat(client.read("a").output()).isEqualTo("hello");

    Files.delete(ballast);
    assertThat(client.write("c", "again").output()).contains("copied 5 bytes");
    assertThat(client.read("c").output()).isEqualTo("again");
  }

  /** ext4 frees a part of the space that it reserves for data when the data is on the device. */
  private static void fillUp(Path ballast) throws IOException {
    try (FileChannel file =
        FileChannel.open(ballast, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (int block : List.of(1 << 20, 1 << 10)) {
        long before;
        do {
          before = file.position();
          assertThatThrownBy(() -> writeAll(file, block)).hasMessageContaining("No space left");
          file.force(true);
        } while (file.position() > before);
      }
    }
  }

  private static void writeAll(FileChannel file, int block) throws IOException {
    ByteBuffer zeroes = ByteBuffer.allocate(block);
    while (true) {
      file.write(zeroes.clear());
    }
  }

  @Test
  void higherEpochReplacesAndLowerEpochIsRefused() throws Exception {
    node.start(request.withEpoch(3));
    ProcessIdentity before = process();
    assertThatThrownBy(() -> node.server().start(request.withEpoch(2), ShareFixture.LIMIT))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    assertThatThrownBy(() -> node.server().expel(new ShareInstance("v1", 2)))
        .hasMessageContaining("epoch 2 is over");
    assertThat(before.isAlive()).isTrue();
    assertThat(node.start(request.withEpoch(4)).serves()).isTrue();
    assertThat(before.isAlive()).isFalse();
  }
}
