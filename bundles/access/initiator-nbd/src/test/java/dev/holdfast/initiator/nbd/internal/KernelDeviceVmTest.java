package dev.holdfast.initiator.nbd.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.HostCondition;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's NBD in a VM, since the kernels of build machines have none; the server is here. */
@Tag("soak")
class KernelDeviceVmTest {
  private static final String SCRIPT =
      """
      set -eu
      device=$($JAVA $CONNECTION $ENDPOINT)
      test "$($JAVA $CONNECTION $ENDPOINT)" = "$device"
      mkfs.ext4 -q $device
      mkdir /run/mnt
      mount $device /run/mnt
      touch $SHARED/mounted
      for i in $(seq 40); do
        dd if=/dev/urandom of=/run/mnt/file-$i bs=256k count=4 conv=fsync status=none
        if [ -e $SHARED/back ]; then break; fi
        touch $SHARED/written-$i
        sleep 0.2
      done
      dd if=/dev/urandom of=/run/mnt/after bs=256k count=4 conv=fsync status=none
      test $(cat /sys/fs/ext4/${device#/dev/}/errors_count) = 0
      if $JAVA $CONNECTION; then echo "disconnected under a filesystem"; exit 1; fi
      umount /run/mnt
      fsck.ext4 -f -n $device
      $JAVA $CONNECTION
      test ! -e /sys/block/${device#/dev/}/pid
      test -z "$(ls /run/initiators/run)"
      """;

  @TempDir Path folder;

  @Test
  void restartOfAKilledServerCausesOnlyAStall() throws Exception {
    Path vm = Path.of("../../../libexec/vm").toAbsolutePath().normalize();
    assertThat(vm).as("the program that starts a VM").isExecutable();
    Path image = folder.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(256L << 20);
    }
    Path shared = Files.createDirectory(folder.resolve("shared"));
    Files.writeString(shared.resolve("script"), SCRIPT);
    NbdServer server = new NbdServer(image);
    Process guest = start(vm, shared, server);
    try {
      await(guest, shared.resolve("written-2"));
      server.kill();
      assertThat(guest.waitFor(6, TimeUnit.SECONDS)).as("the guest waits").isFalse();
      server.start();
      Files.createFile(shared.resolve("back"));
      assertThat(guest.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(guest.exitValue()).as(Files.readString(folder.resolve("log"))).isZero();
    } finally {
      guest.destroy();
      server.kill();
    }
  }

  private Process start(Path vm, Path shared, NbdServer server) throws Exception {
    String java = ProcessHandle.current().info().command().orElseThrow();
    ProcessBuilder builder =
        new ProcessBuilder(
            vm.toString(),
            "-m",
            "1536",
            "-M",
            "nbd",
            "-s",
            shared.toString(),
            "-e",
            "JAVA="
                + java
                + " -XX:TieredStopAtLevel=1 -cp "
                + System.getProperty("java.class.path"),
            "-e",
            "CONNECTION=" + KernelConnection.class.getName(),
            "-e",
            "ENDPOINT=nbd://10.0.2.2:" + server.endpoint().getPort() + "/",
            "-e",
            "SHARED=" + shared,
            "--",
            "bash",
            shared.resolve("script").toString());
    return builder.redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile()).start();
  }

  private void await(Process guest, Path file) throws Exception {
    boolean there =
        HostCondition.holds(Duration.ofMinutes(2), () -> Files.exists(file) || !guest.isAlive());
    assertThat(there && Files.exists(file)).as(Files.readString(folder.resolve("log"))).isTrue();
  }
}
