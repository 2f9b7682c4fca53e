package dev.holdfast.initiator.nbd.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.InitiatorConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class FuseLoopConnectionTest extends HostTest {
  @Test
  void aDeviceHasTheExportsSizeAndBytes() throws Exception {
    byte[] bytes = new byte[MIB];
    new Random(7).nextBytes(bytes);

    InitiatorConnection connection = initiator.connect("demo", server.endpoint());
    write(connection.device(), 5L * MIB, bytes);

    assertThat(BlockDevices.attribute(BlockDevices.name(connection.device()), "size"))
        .contains(Long.toString(SIZE / 512));
    assertThat(read(image, 5L * MIB, MIB)).isEqualTo(bytes);
    assertThat(read(Path.of(connection.device()), 5L * MIB, MIB)).isEqualTo(bytes);
  }

  @Test
  void connectionOutlivesTheProcessThatMadeIt() throws Exception {
    Process other =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ConnectAndDie.class.getName(),
                state().directory().toString(),
                server.endpoint().toString())
            .inheritIO()
            .start();
    assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(other.exitValue()).as("it was killed").isEqualTo(128 + 9);

    InitiatorConnection connection = initiator.find("demo").orElseThrow();
    assertThat(connection.alive()).isTrue();
    assertThat(read(Path.of(connection.device()), 0, 512)).isEqualTo(new byte[512]);
  }

  @Test
  void disconnectingRefusesWhileMounted() throws Exception {
    InitiatorConnection connection = initiator.connect("demo", server.endpoint());
    Path directory = makeFilesystemAndMount(connection.device());

    assertThatThrownBy(() -> initiator.disconnect("demo"))
        .isInstanceOf(StorageException.class)
        .hasMessage(connection.device() + " is mounted on " + directory + ": unmount it first")
        .extracting(e -> ((StorageException) e).code())
        .isEqualTo(ErrorCode.BUSY);
    assertThat(initiator.find("demo")).contains(connection);
  }

  @Test
  void connectingToNothingIsUnreachableAndLeavesNothing() throws Exception {
    server.kill();
    assertThatThrownBy(() -> initiator.connect("demo", server.endpoint()))
        .hasMessageContaining("volume demo cannot be connected to " + server.endpoint())
        .hasMessageContaining("Connection refused")
        .extracting(e -> ((StorageException) e).code())
        .isEqualTo(ErrorCode.UNREACHABLE);
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nbdfuse", "qemu-nbd"})
  void connectionOfAKilledProcessIsRepaired(String program) throws Exception {
    initiator.connect("demo", server.endpoint());
    kill(program);
    assertThat(initiator.find("demo").orElseThrow().alive()).isFalse();

    InitiatorConnection again = initiator.connect("demo", server.endpoint());

    assertThat(again.alive()).isTrue();
    assertThat(read(Path.of(again.device()), 0, 512)).isEqualTo(new byte[512]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nbdfuse", "qemu-nbd"})
  void connectionOfAKilledProcessIsRemoved(String program) throws Exception {
    initiator.connect("demo", server.endpoint());
    kill(program);
    initiator.disconnect("demo");
    assertNothingIsLeft();
  }

  /** Containers of one machine have its devices in common, and may have the same folders. */
  @Test
  void deviceOfAnotherContainerWithTheSameFoldersIsNotRemoved() throws Exception {
    Path own = Files.createDirectories(state().directory());
    Path file = run().resolve("fuse/disk");
    Process other =
        new ProcessBuilder(
                List.of(
                    "unshare",
                    "--mount",
                    "sh",
                    "-c",
                    "mount -t tmpfs none \"$1\" && mkdir -p \"${2%/*}\" && truncate -s 1M \"$2\""
                        + " && loop=$(losetup --find --show \"$2\") && echo $loop; read -r end;"
                        + " losetup --detach $loop",
                    "sh",
                    own.toString(),
                    file.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String theirs = BlockDevices.name(other.inputReader().readLine());
    assertThat(BlockDevices.attribute(theirs, "loop/backing_file")).contains(file.toString());

    InitiatorConnection connection = initiator.connect("demo", server.endpoint());

    assertThat(BlockDevices.name(connection.device())).isNotEqualTo(theirs);
    assertThat(BlockDevices.attribute(theirs, "loop/backing_file")).contains(file.toString());

    initiator.disconnect("demo");

    assertThat(BlockDevices.attribute(theirs, "loop/backing_file")).contains(file.toString());
    other.getOutputStream().close();
    assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** A process that receives SIGTERM removes its mount, but not the device. */
  @Test
  void devicesOfAnEndedProcessAreCleanedUp() throws Exception {
    String loop = BlockDevices.name(initiator.connect("demo", server.endpoint()).device());
    end("nbdfuse");
    initiator.disconnect("demo");
    assertNothingIsLeft();
    assertThat(BlockDevices.attribute(loop, "loop/backing_file").orElse("")).isNotEqualTo("/disk");
  }

  @Test
  void abortFailsRequestsThatWaitForTheServer() throws Exception {
    String device = initiator.connect("demo", server.endpoint()).device();
    server.pause();
    Process writer =
        new ProcessBuilder(
                "dd", "if=/dev/zero", "of=" + device, "bs=4096", "count=1", "oflag=direct")
            .redirectErrorStream(true)
            .start();
    assertThat(HostCondition.holds(Duration.ofSeconds(10), () -> waiting(device) > 0)).isTrue();

    initiator.abort("demo");

    assertThat(writer.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(writer.exitValue()).isNotZero();
    assertThat(initiator.find("demo").orElseThrow().alive()).isFalse();
    initiator.disconnect("demo");
    assertNothingIsLeft();
  }

  /** Returns the requests in flight (Documentation/block/stat.rst). */
  private static long waiting(String device) {
    String counters = BlockDevices.attribute(BlockDevices.name(device), "stat").orElseThrow();
    return Long.parseLong(counters.strip().split("\\s+", -1)[8]);
  }

  /** Requests that overlap in time must not disturb each other. */
  @Test
  void manyWritesAtOnceKeepTheirBytes() throws Exception {
    InitiatorConnection connection = initiator.connect("demo", server.endpoint());
    check(
        "fio",
        "--name=overlap",
        "--filename=" + connection.device(),
        "--ioengine=libaio",
        "--direct=1",
        "--rw=randwrite",
        "--bsrange=4k-256k",
        "--iodepth=32",
        "--size=128m",
        "--verify=crc32c",
        "--verify_fatal=1");
    check("mkfs.ext4", "-q", connection.device());
    check("fsck.ext4", "-f", "-n", connection.device());
  }

  @Test
  void discardReachesTheServersFile() throws Exception {
    InitiatorConnection connection = initiator.connect("demo", server.endpoint());
    byte[] bytes = new byte[32 * MIB];
    Arrays.fill(bytes, (byte) 1);
    write(connection.device(), 0, bytes);
    assertThat(allocated()).isGreaterThanOrEqualTo(32L * MIB);

    check("blkdiscard", "--offset", "0", "--length", "32MiB", connection.device());

    assertThat(allocated()).isLessThan(MIB);
  }

  private long allocated() throws Exception {
    return Long.parseLong(check("stat", "--format=%b", image.toString())) * 512;
  }
}
