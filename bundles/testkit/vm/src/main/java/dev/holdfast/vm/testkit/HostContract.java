package dev.holdfast.vm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.host.SecretFile;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The contract of {@link Host}. A subclass supplies the host and a usable folder. */
public abstract class HostContract {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Returns the host. */
  protected abstract Host host();

  /** Returns an empty folder of the host, new for each test. */
  protected abstract Path folder() throws Exception;

  private static ProgramCall script(String script, String... arguments) {
    List<String> command = new java.util.ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    command.addAll(List.of(arguments));
    return ProgramCall.of(PATIENCE, command);
  }

  private static void assertCode(ErrorCode code, Attempt attempt) {
    assertThatThrownBy(attempt::run)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private interface Attempt {
    void run() throws Exception;
  }

  @Test
  final void programGetsItsArgumentsAndItsInputAndItsOutputsAreApart() throws Exception {
    ProgramResult result =
        host()
            .run(
                script("cat; echo; echo \"$1|$2|$LC_ALL\"; echo wrong >&2; exit 3", "a b", "")
                    .withInput("über"));
    assertThat(result).isEqualTo(new ProgramResult(3, "über\na b||C", "wrong", false));
    assertThat(result.lastLines()).isEqualTo("wrong; über; a b||C");
  }

  @Test
  final void programThatIsNotReadByIsNotHeldByItsInput() throws Exception {
    assertThat(host().check(script("echo done").withInput("x".repeat(1000)))).isEqualTo("done");
  }

  @Test
  final void endBySignalIsItsExitCode() throws Exception {
    assertThat(host().run(script("kill -9 $$")).exitCode()).isEqualTo(137);
  }

  @Test
  final void programThatIsAbsentIsNamed() {
    ProgramCall call = ProgramCall.of(PATIENCE, List.of("/no/such/program"));
    assertCode(ErrorCode.IO, () -> host().run(call));
    assertCode(ErrorCode.IO, () -> host().start(call.command()));
    assertThatThrownBy(() -> host().run(call)).hasMessageContaining("No such file or directory");
  }

  @Test
  final void outputIsBounded() throws Exception {
    ProgramCall call = script("seq 1 100000; echo end >&2").withOutputBytes(10);
    ProgramResult result = host().run(call);
    assertThat(result.output()).isEqualTo("1\n2\n3\n4\n5");
    assertThat(result.errors()).isEqualTo("end");
    assertThat(result.truncated()).isTrue();
    assertThatThrownBy(() -> host().check(call)).hasMessage("sh printed more than 10 bytes");
  }

  @Test
  final void programThatTakesTooLongIsKilled() throws Exception {
    Path pid = folder().resolve("pid");
    ProgramCall call = script("echo $$ > \"$1\"; sleep 1000; sleep 1000", pid.toString());
    assertCode(
        ErrorCode.TIMEOUT,
        () -> host().run(new ProgramCall(call.command(), "", Duration.ofMillis(1500), 100)));
    String end = "while kill -0 $(cat \"$1\") 2>/dev/null; do sleep 0.05; done";
    assertThat(host().run(script(end, pid.toString())).exitCode()).isZero();
  }

  @Test
  final void childThatKeepsTheOutputDoesNotHoldTheCall() throws Exception {
    assertThat(host().check(script("sleep 20 & echo $!"))).matches("\\d+");
  }

  @Test
  final void failureNamesTheProgramAndItsLastLines() {
    assertThatThrownBy(() -> host().check(script("echo first; echo wrong >&2; exit 4")))
        .isInstanceOf(StorageException.class)
        .hasMessage("sh failed with exit code 4: wrong; first");
  }

  @Test
  final void programIsFoundOrItsPackageNamed() throws Exception {
    assertThat(host().find("losetup").orElseThrow().toString()).endsWith("/losetup");
    assertThat(host().find("no-such-program")).isEmpty();
    assertThatThrownBy(() -> host().require("no-such-program", "no-such-package"))
        .hasMessage("no-such-program is not installed: apt-get install no-such-package");
  }

  @Test
  final void startedProgramTalksUntilItsInputEnds() throws Exception {
    HostProcess process =
        host().start(List.of("/bin/sh", "-c", "while read a; do echo got $a; done; exit 7"));
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8))) {
      for (String word : List.of("one", "two")) {
        process.input().write((word + "\n").getBytes(StandardCharsets.UTF_8));
        process.input().flush();
        assertThat(lines.readLine()).isEqualTo("got " + word);
      }
      assertThat(process.exit()).isNotDone();
      process.input().close();
      assertThat(lines.readLine()).isNull();
      assertThat(process.exit().get(1, TimeUnit.MINUTES)).isEqualTo(7);
    }
  }

  @Test
  final void startedProgramIsKilled() throws Exception {
    HostProcess process = host().start(List.of("/bin/sleep", "1000"));
    process.kill();
    assertThat(process.exit().get(1, TimeUnit.MINUTES)).isEqualTo(137);
  }

  @Test
  final void filesAreCreatedReadListedAndDeleted() throws Exception {
    HostFiles files = host().files();
    Path folder = folder();
    Path file = folder.resolve("deep/a file");
    assertThat(files.read(file, 0, 10)).isEmpty();
    assertThat(files.list(file)).isEmpty();
    assertThat(files.exists(file)).isFalse();
    assertCode(ErrorCode.NOT_FOUND, () -> files.size(file));

    files.createFile(file);
    files.createFile(file);
    assertThat(files.kind(file)).contains(HostFiles.Kind.FILE);
    assertThat(host().check(script("printf 'a\\000b\\377' > \"$1\"", file.toString()))).isEmpty();
    assertThat(files.read(file, 0, 10)).contains(new byte[] {'a', 0, 'b', -1});
    assertThat(files.read(file, 2, 1)).contains(new byte[] {'b'});
    assertThat(files.read(file, 9, 1)).contains(new byte[0]);
    assertThat(files.size(file)).isEqualTo(4);
    assertThat(files.list(folder)).containsExactly("deep");

    assertCode(ErrorCode.BUSY, () -> files.delete(folder.resolve("deep")));
    files.delete(file);
    files.delete(file);
    files.delete(folder.resolve("deep"));
    assertThat(files.list(folder)).isEmpty();
  }

  @Test
  final void foldersHaveTheirRealPaths() throws Exception {
    HostFiles files = host().files();
    Path folder = files.createFolder(folder().resolve("real"));
    Path link = folder.resolveSibling("link");
    assertThat(host().check(script("ln -s \"$1\" \"$2\"", folder.toString(), link.toString())))
        .isEmpty();
    assertThat(files.createFolder(link)).isEqualTo(folder);
    assertThat(files.real(link.resolve("x"))).isEqualTo(folder.resolve("x"));
    assertThat(files.real(Path.of("/no/such/folder/x"))).isEqualTo(Path.of("/no/such/folder/x"));
    files.createFile(folder.resolve("file"));
    assertCode(ErrorCode.INVALID, () -> files.createFolder(folder.resolve("file")));
  }

  @Test
  final void filesOfTheKernelAreRead() throws Exception {
    byte[] mounts = host().files().read(Path.of("/proc/self/mountinfo"), 0, 1 << 20).orElseThrow();
    assertThat(new String(mounts, StandardCharsets.UTF_8)).contains(" / ").endsWith("\n");
  }

  @Test
  final void devicesHaveNumbers() throws Exception {
    HostFiles files = host().files();
    assertThat(files.deviceNumber(Path.of("/dev/null"))).contains("1:3");
    assertThat(files.kind(Path.of("/dev/null"))).contains(HostFiles.Kind.OTHER);
    assertThat(files.deviceNumber(Path.of("/proc"))).isEmpty();
    assertThat(files.deviceNumber(Path.of("/dev/no-such-device"))).isEmpty();
  }

  @Test
  final void secretIsInAFileOfItsUserUntilItIsClosed() throws Exception {
    Path path;
    try (SecretFile secret = host().files().secret("pass phrase")) {
      path = secret.path();
      assertThat(host().check(script("stat -c %a \"$1\"; cat \"$1\"", path.toString())))
          .isEqualTo("600\npass phrase");
    }
    assertThat(host().files().exists(path)).isFalse();
  }
}
