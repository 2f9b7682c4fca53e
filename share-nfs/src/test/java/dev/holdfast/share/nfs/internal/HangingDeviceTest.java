package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.WriteProbe;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A share whose volume stops answering, as on a node that is cut off. */
@Tag("slow")
class HangingDeviceTest {
  private static final Duration SHORT = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path folder;
  private Process volume;
  private ShareFixture node;
  private ShareRequest request;

  @BeforeEach
  void serve() throws Exception {
    Path image = folder.resolve("volume.img");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(ShareFixture.SIZE);
    }
    Path socket = folder.resolve("nbd.sock");
    volume =
        new ProcessBuilder(
                HostProgram.require("nbdkit", "nbdkit").toString(),
                "--foreground",
                "--unix=" + socket,
                "file",
                image.toString())
            .inheritIO()
            .start();
    assertThat(HostCondition.holds(SHORT, () -> Files.exists(socket))).isTrue();
    node = new ShareFixture(folder.resolve("data"));
    request = ShareFixture.request("v1", URI.create("nbd+unix:///?socket=" + socket));
    assertThat(node.start(request).serves()).isTrue();
  }

  @AfterEach
  void end() throws Exception {
    volume.destroyForcibly().waitFor();
    node.close();
  }

  @Test
  void removalByForceEndsWhatWaitsForTheDevice() throws Exception {
    HostProgram.check(SHORT, List.of("kill", "-STOP", Long.toString(volume.pid())));
    assertThat(node.server().probe(request.instance(), Duration.ofSeconds(1)))
        .isEqualTo(WriteProbe.TIMED_OUT);

    expel();

    assertThat(node.server().instances()).isEmpty();
    assertThat(ShareLeftovers.of(folder.resolve("data"))).isEmpty();
  }

  /**
   * Repeats the removal as its caller does, because one attempt can reach its limit on a busy host.
   */
  private void expel() throws Exception {
    assertThat(HostCondition.holds(LONG, this::isExpelled)).isTrue();
  }

  private boolean isExpelled() throws StorageException {
    try {
      node.server().expel(request.instance());
      return true;
    } catch (StorageException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT);
      return false;
    }
  }

  @Test
  void anotherShareOfTheHostStarts() throws Exception {
    HostProgram.check(SHORT, List.of("kill", "-STOP", Long.toString(volume.pid())));
    LoopDevice device = new LoopDevice(folder.resolve("other.img"), ShareFixture.SIZE);
    try {
      ShareRequest other = ShareFixture.request("v2", device);
      assertThat(node.start(other).serves()).isTrue();
      expel();
    } finally {
      node.close();
      device.close();
    }
  }
}
