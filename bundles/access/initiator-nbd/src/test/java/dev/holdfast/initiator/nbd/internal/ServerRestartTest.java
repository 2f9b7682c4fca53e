package dev.holdfast.initiator.nbd.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.InitiatorConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that dies under a mounted filesystem and comes back is a stall and nothing more. */
@Tag("slow")
class ServerRestartTest extends HostTest {
  private static final int OUTAGE_SECONDS = Integer.getInteger("holdfast.test.outage.seconds", 3);

  @Test
  void syncedWritesWaitForAKilledServerAndSucceed() throws Exception {
    InitiatorConnection connection = initiator.connect("demo", server.endpoint());
    Path directory = makeFilesystemAndMount(connection.device());
    writeSynced(directory.resolve("before")).waitFor();

    server.kill();
    Process during = writeSynced(directory.resolve("during"));
    assertThat(during.waitFor(OUTAGE_SECONDS, TimeUnit.SECONDS))
        .as("a synced write waits while the server is away")
        .isFalse();
    server.start();

    assertThat(during.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(during.exitValue()).isZero();
    assertThat(writeSynced(directory.resolve("after")).waitFor()).isZero();
    assertThat(Files.size(directory.resolve("during"))).isEqualTo(4L * MIB);
    assertThat(errors(directory)).isEqualTo("0");
    unmount(directory);
    check("fsck.ext4", "-f", "-n", connection.device());
  }

  private static Process writeSynced(Path file) throws Exception {
    return new ProcessBuilder(
            "dd", "if=/dev/urandom", "of=" + file, "bs=1M", "count=4", "conv=fsync")
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static String errors(Path directory) throws Exception {
    String device = check("findmnt", "--noheadings", "--output", "SOURCE", directory.toString());
    return Files.readString(
            Path.of("/sys/fs/ext4", BlockDevices.name(device.strip()), "errors_count"))
        .strip();
  }
}
