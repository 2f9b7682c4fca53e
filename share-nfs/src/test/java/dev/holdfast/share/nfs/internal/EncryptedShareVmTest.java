package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Serves an encrypted volume in a virtual machine, because kernels without dm-crypt are common. */
@Tag("slow")
class EncryptedShareVmTest {
  @TempDir Path folder;

  @Test
  void encryptedVolumeIsServedFromItsOpenedDevice() throws Exception {
    String java = ProcessHandle.current().info().command().orElseThrow();
    List<String> command =
        List.of(
            Path.of("../libexec/vm").toAbsolutePath().normalize().toString(),
            "-M",
            "dm-crypt loop fuse",
            "--",
            "sh",
            "-c",
            // A folder of its own in the guest's memory.
            "mkdir /run/judged && exec \"$@\" /run/judged",
            "sh",
            java,
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            classPath(),
            EncryptedShareInGuest.class.getName());
    Path log = folder.resolve("vm.log");
    Process guest =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    guest.getOutputStream().close();
    try {
      assertThat(guest.waitFor(10, TimeUnit.MINUTES)).as(Files.readString(log)).isTrue();
    } finally {
      guest.descendants().forEach(ProcessHandle::destroy);
      guest.destroy();
    }
    assertThat(Files.readString(log)).contains(EncryptedShareInGuest.PASSED);
    assertThat(guest.exitValue()).isZero();
  }

  private static String classPath() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(path.split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
