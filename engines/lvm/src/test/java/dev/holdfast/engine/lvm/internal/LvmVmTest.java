package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.Launcher;

/** The engine with LVM, device mapper and thin pools of a real kernel, in a virtual machine. */
@Tag("slow")
@Timeout(3600)
final class LvmVmTest {
  private static final String SETUP =
      "mkdir -p /run/lvm-etc && mount --bind /run/lvm-etc /etc/lvm && "
          + "echo 'devices { types = [ \"ubd\", 16 ] use_devicesfile = 0 }' >/etc/lvm/lvm.conf &&"
          + " exec \"$@\"";

  @TempDir Path folder;

  @Test
  void filesystemLivesOnAVolumeAndInterruptedCallsAreCompleted() throws Exception {
    String said = run("900", LvmLifeInGuest.class.getName());
    assertThat(said).contains(GuestTests.PASSED + "1");
  }

  @Test
  @Tag("soak")
  void passesTheWholeKit() throws Exception {
    String said = run("3400", LvmKitInGuest.class.getName());
    assertThat(said).contains(GuestTests.PASSED);
  }

  @Test
  @Tag("soak")
  void callsAreCompletedThatEndAtAnyCommand() throws Exception {
    String said = run("3400", LvmCrashInGuest.class.getName());
    assertThat(said).contains(GuestTests.PASSED + "16");
  }

  @Test
  @Tag("soak")
  void writersWaitWhileTheGroupIsFull() throws Exception {
    String said = run("2400", LvmSpaceInGuest.class.getName());
    assertThat(said).contains(GuestTests.PASSED + "2");
  }

  private String run(String seconds, String... tests) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of("../../libexec/vm").toAbsolutePath().normalize().toString());
    command.addAll(List.of("-t", seconds, "-m", "1024", "-M", "dm-mod dm-thin-pool ext4"));
    command.addAll(List.of("-d", folder.resolve("disk") + ":3G", "--", "/bin/sh", "-c", SETUP));
    command.add("guest");
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(List.of("-cp", classPath()));
    command.add(GuestTests.class.getName());
    command.addAll(List.of(tests));
    Path log = folder.resolve("vm.log");
    Process guest =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    guest.getOutputStream().close();
    try {
      assertThat(guest.waitFor(Long.parseLong(seconds) + 60, TimeUnit.SECONDS)).isTrue();
    } finally {
      guest.descendants().forEach(ProcessHandle::destroy);
      guest.destroy();
    }
    String said = Files.readString(log);
    assertThat(guest.exitValue()).as(said).isZero();
    return said;
  }

  // A build tool may omit the launcher from the class path that it reports.
  private static String classPath() throws URISyntaxException {
    Path launcher =
        Path.of(Launcher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return System.getProperty("java.class.path") + File.pathSeparator + launcher;
  }
}
