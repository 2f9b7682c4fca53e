package dev.holdfast.vm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.NfsExport;
import dev.holdfast.host.NfsMounts;
import dev.holdfast.host.NfsMounts.Answer;
import dev.holdfast.host.ProgramCall;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's NFS client in a virtual machine and a real server that is killed and frozen. */
@Tag("slow")
@Timeout(300)
class NfsMountsVmTest {
  private static final Path POINT = Path.of("/run/shares/demo");
  private static final Path BIND = Path.of("/run/shares/bind");
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final List<String> OPTIONS =
      List.of("vers=4.1", "noresvport", "hard", "timeo=600", "retrans=5");

  @TempDir private static Path folder;
  private static VmHost vm;

  private NfsServer server;
  private NfsMounts mounts;
  private NfsExport export;
  private Path exported;

  @BeforeAll
  static void boot() throws Exception {
    vm = VmHost.start(VmOptions.of("nfsv4"));
  }

  @AfterAll
  static void off() throws Exception {
    vm.close();
  }

  @BeforeEach
  void serve() throws Exception {
    Path work = Files.createTempDirectory(folder, "server");
    exported = Files.createTempDirectory(folder, "exported");
    server = NfsServer.start(work, exported, "demo");
    mounts = new NfsMounts(vm);
    export = NfsExport.of(server.endpoint());
  }

  @AfterEach
  void leaveNothing() throws Exception {
    server.close();
    mounts.unmount(BIND, SHORT);
    mounts.unmount(POINT, SHORT);
  }

  private static String sh(String script) throws StorageException {
    return vm.check(ProgramCall.of(LONG, List.of("/bin/sh", "-c", script)));
  }

  private void mount() throws StorageException {
    mounts.mount(export, POINT, OPTIONS, LONG);
  }

  private static void assertFails(ErrorCode code, String message, Action action) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  private interface Action {
    void run() throws StorageException;
  }

  @Test
  void exportIsMountedAnswersAndIsUnmounted() throws Exception {
    mount();
    assertThat(mounts.at(POINT).orElseThrow().filesystem()).isEqualTo(NfsMounts.TYPE);
    assertThat(mounts.at(POINT).orElseThrow().source()).isEqualTo(export.source());
    assertThat(mounts.answer(POINT, LONG)).isEqualTo(Answer.SERVED);
    sh("echo content > /run/shares/demo/file");
    assertThat(exported.resolve("file")).hasContent("content");

    HostProcess user = vm.start(List.of("/bin/sh", "-c", "cd /run/shares/demo; echo in; cat"));
    assertThat(user.output().read()).isEqualTo('i');
    assertFails(ErrorCode.BUSY, "is in use", () -> mounts.unmount(POINT, LONG));
    user.kill();
    user.exit().join();
    mounts.unmount(POINT, LONG);
    mounts.unmount(POINT, LONG);
    assertThat(mounts.at(POINT)).isEmpty();
  }

  @Test
  void mountOfAStoppedOrRefusingServerFailsInTime() throws Exception {
    server.freeze();
    assertFails(
        ErrorCode.UNREACHABLE,
        "mount did not end within 2 s",
        () -> mounts.mount(export, POINT, OPTIONS, SHORT));
    server.thaw();
    server.kill();
    assertFails(ErrorCode.UNREACHABLE, export.toString(), this::mount);
    assertThat(mounts.at(POINT)).isEmpty();
    assertFails(
        ErrorCode.IO,
        "could not mount",
        () -> mounts.mount(export, POINT, List.of("no-such-option"), LONG));
  }

  @Test
  void mountContinuesWhenItsServerIsBack() throws Exception {
    mount();
    sh("echo one > /run/shares/demo/file");
    server.kill();
    assertThat(mounts.answer(POINT, SHORT)).isEqualTo(Answer.SILENT);
    server.serve(exported);
    sh("echo two >> /run/shares/demo/file");
    assertThat(exported.resolve("file")).hasContent("one\ntwo\n");
    assertThat(mounts.answer(POINT, LONG)).isEqualTo(Answer.SERVED);
  }

  @Test
  void mountOfAnotherExportIsStaleAndIsReplaced() throws Exception {
    mount();
    server.kill();
    Path other = Files.createTempDirectory(folder, "other");
    Files.writeString(other.resolve("which"), "other");
    Files.delete(exported);
    server.serve(other);
    assertThat(mounts.answer(POINT, LONG)).isEqualTo(Answer.STALE);
    mounts.unmount(POINT, LONG);
    mount();
    assertThat(sh("cat /run/shares/demo/which")).isEqualTo("other");
  }

  @Test
  void mountsOfASilentServerAreUnmountedAlthoughTheyAreInUse() throws Exception {
    mount();
    sh("mkdir /run/shares/bind && mount --bind /run/shares/demo /run/shares/bind");
    HostProcess user =
        vm.start(
            List.of("/bin/sh", "-c", "exec 3> /run/shares/demo/file; echo in; echo x >&3; cat"));
    assertThat(user.output().read()).isEqualTo('i');
    server.freeze();
    sh("(echo lost > /run/shares/demo/late) > /dev/null 2>&1 &");

    mounts.release(BIND);
    assertThat(mounts.at(BIND)).isEmpty();
    mounts.unmount(POINT, SHORT);
    assertThat(mounts.at(POINT)).isEmpty();
    user.kill();
    server.thaw();
  }
}
