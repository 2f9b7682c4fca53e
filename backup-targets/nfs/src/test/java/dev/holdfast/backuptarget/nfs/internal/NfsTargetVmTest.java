package dev.holdfast.backuptarget.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.HostMounts;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.NfsMounts;
import dev.holdfast.vm.testkit.GuestProgram;
import dev.holdfast.vm.testkit.NfsServer;
import dev.holdfast.vm.testkit.VmHost;
import dev.holdfast.vm.testkit.VmOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Targets on NFS-Ganesha through the kernel of a virtual machine: the kit, and servers that are
 * frozen, killed and replaced.
 */
@Tag("soak")
@Timeout(600)
class NfsTargetVmTest {
  @TempDir private static Path folder;
  private static VmHost vm;

  private Path exported;
  private NfsServer server;
  private NfsServer other;
  private Guest guest;

  /** A program in the machine that has targets open. */
  private record Guest(HostProcess process, BufferedReader output) {
    static Guest start() throws Exception {
      HostProcess process = GuestProgram.start(vm, NfsTargetGuest.class, List.of());
      return new Guest(
          process,
          new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8)));
    }

    String ask(String command) throws IOException {
      process.input().write((command + "\n").getBytes(StandardCharsets.UTF_8));
      process.input().flush();
      return String.valueOf(output.readLine());
    }

    void kill() {
      process.kill();
      int unused = process.exit().join();
    }
  }

  @BeforeAll
  static void boot() throws Exception {
    VmOptions options = VmOptions.of("nfsv4");
    vm = VmHost.start(new VmOptions(768, options.modules(), List.of(), Duration.ofMinutes(10)));
  }

  @AfterAll
  static void off() throws Exception {
    vm.close();
  }

  @BeforeEach
  void serve() throws Exception {
    exported = Files.createTempDirectory(folder, "exported");
    server = serverOf(exported);
    other = serverOf(Files.createTempDirectory(folder, "exported"));
    guest = Guest.start();
  }

  private static NfsServer serverOf(Path exported) throws Exception {
    return NfsServer.start(Files.createTempDirectory(folder, "server"), exported, "backups");
  }

  @AfterEach
  void end() {
    guest.kill();
    server.close();
    other.close();
  }

  private static long mounts() throws Exception {
    return new HostMounts(vm)
        .table().mounts().stream()
            .filter(mount -> mount.filesystem().equals(NfsMounts.TYPE))
            .count();
  }

  private static void awaitMounts(long count) throws Exception {
    while (mounts() != count) {
      Thread.onSpinWait();
    }
  }

  @Test
  void kitPassesOnARealServer() throws Exception {
    for (int number = 1; number <= NfsObjectStoreKit.FOLDERS; number++) {
      Files.createDirectory(exported.resolve(Integer.toString(number)));
    }
    String result = guest.ask("kit " + server.endpoint());
    assertThat(result).matches("succeeded [1-9][0-9]+ failed ");
    awaitMounts(0);
  }

  @Test
  void silentServerBlocksItsOwnTargetOnly() throws Exception {
    assertThat(guest.ask("open a " + server.endpoint())).isEqualTo("opened");
    assertThat(guest.ask("open b " + other.endpoint())).isEqualTo("opened");
    assertThat(guest.ask("put a one content")).isEqualTo("stored 7");
    assertThat(exported.resolve("one")).hasContent("content");
    server.freeze();
    for (int call = 0; call < 6; call++) {
      assertThat(guest.ask("put a two" + call + " content")).startsWith("TIMEOUT");
      assertThat(guest.ask("put b two" + call + " content")).isEqualTo("stored 7");
    }
    assertThat(guest.ask("open c " + server.endpoint())).startsWith("UNREACHABLE");
    server.thaw();
    while (!guest.ask("get a one 7").equals("read content")) {
      Thread.onSpinWait();
    }
    assertThat(guest.ask("close a")).isEqualTo("closed");
    assertThat(guest.ask("close b")).isEqualTo("closed");
    awaitMounts(0);
  }

  @Test
  void mountOfASilentServerIsRemovedAndIsMadeAgain() throws Exception {
    assertThat(guest.ask("open a " + server.endpoint())).isEqualTo("opened");
    assertThat(guest.ask("put a one content")).isEqualTo("stored 7");
    server.freeze();
    assertThat(guest.ask("get a one 7")).startsWith("TIMEOUT");
    assertThat(guest.ask("close a")).isEqualTo("closed");
    awaitMounts(0);
    server.thaw();
    assertThat(guest.ask("open a " + server.endpoint())).isEqualTo("opened");
    assertThat(guest.ask("get a one 7")).isEqualTo("read content");
    guest.kill();
    awaitMounts(1);
    guest = Guest.start();
    assertThat(guest.ask("open a " + other.endpoint())).isEqualTo("opened");
    awaitMounts(1);
    assertThat(guest.ask("list a")).isEqualTo("listed ");
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void mountThatItsServerForgotIsMadeAgain() throws Exception {
    assertThat(guest.ask("open a " + server.endpoint())).isEqualTo("opened");
    assertThat(guest.ask("put a one content")).isEqualTo("stored 7");
    server.kill();
    Path replaced = Files.createTempDirectory(folder, "replaced");
    delete(exported);
    server.serve(replaced);
    assertThat(guest.ask("get a one 7")).startsWith("UNREACHABLE");
    assertThat(guest.ask("open b " + server.endpoint())).isEqualTo("opened");
    assertThat(guest.ask("put b two content")).isEqualTo("stored 7");
    assertThat(guest.ask("list a")).isEqualTo("listed two");
    assertThat(replaced.resolve("two")).hasContent("content");
  }
}
