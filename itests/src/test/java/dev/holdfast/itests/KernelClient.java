package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A VM whose kernel has the export of a node of this host as a device, with a filesystem under
 * verified I/O. The host acts in between; in the end the VM checks the content, the filesystem and
 * what its kernel logged.
 */
final class KernelClient {
  private static final Duration START = Duration.ofMinutes(2);
  private static final Duration END = Duration.ofMinutes(5);
  private static final Duration ROUND = Duration.ofMinutes(5);
  private static final Pattern JUDGEMENT = Pattern.compile("rounds \\d+, reconnections (\\d+)");

  private final Path shared;
  private final Path log;
  private final int port;
  private final String export;
  private final int connections;
  private long reconnections;

  /** Something that the host does while the VM reads and writes. */
  @FunctionalInterface
  interface Act {
    void run() throws Exception;
  }

  KernelClient(Path folder, int port, String export, int connections) throws IOException {
    this.shared = Files.createDirectory(folder.resolve("shared"));
    this.log = folder.resolve("vm.log");
    this.port = port;
    this.export = export;
    this.connections = connections;
    Path programs = Path.of("src/test/resources/kernel-nbd").toAbsolutePath();
    for (String program : List.of("scenario", "nbd-netlink")) {
      Path copy = Files.copy(programs.resolve(program), shared.resolve(program));
      assertThat(copy.toFile().setExecutable(true)).isTrue();
    }
    Path content = Files.createDirectory(shared.resolve("content"));
    for (int i = 0; i < 64; i++) {
      Files.writeString(
          content.resolve("file-" + i), ("line of file " + i + "\n").repeat(1 + 97 * i));
    }
  }

  /** Does each thing once, with a whole round of verified I/O behind each. */
  void once(Act... acts) throws Exception {
    Process guest = start();
    try {
      for (Act act : acts) {
        actAndAwaitRound(guest, act);
      }
      finish(guest);
    } finally {
      end(guest);
    }
  }

  /** Does a thing again and again for a time. */
  void during(Duration time, Act act) throws Exception {
    Process guest = start();
    try {
      long end = System.nanoTime() + time.toNanos();
      do {
        actAndAwaitRound(guest, act);
      } while (System.nanoTime() < end);
      finish(guest);
    } finally {
      end(guest);
    }
  }

  /** How many broken connections were replaced. */
  long reconnections() {
    return reconnections;
  }

  private Process start() throws Exception {
    Path vm = Path.of(System.getProperty("holdfast.tree"), "libexec", "vm").normalize();
    String seconds = String.valueOf(Duration.ofMinutes(60).toSeconds());
    Process guest =
        new ProcessBuilder(
                vm.toString(),
                "-t",
                seconds,
                "-M",
                "nbd",
                "-s",
                shared.toString(),
                "--",
                shared.resolve("scenario").toString(),
                shared.toString(),
                "10.0.2.2",
                String.valueOf(port),
                export,
                String.valueOf(connections))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    guest.getOutputStream().close();
    await(guest, "the filesystem is mounted", START, () -> Files.exists(shared.resolve("mounted")));
    return guest;
  }

  private void actAndAwaitRound(Process guest, Act act) throws Exception {
    act.run();
    long before = rounds();
    // The round that is under way may have begun before; the one after it has not.
    await(guest, "two rounds of verified I/O", ROUND, () -> rounds() >= before + 2);
  }

  private long rounds() throws IOException {
    Path file = shared.resolve("rounds");
    String text = Files.exists(file) ? Files.readString(file).strip() : "";
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  private void finish(Process guest) throws Exception {
    Files.createFile(shared.resolve("finish"));
    assertThat(guest.waitFor(END.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
    assertThat(guest.exitValue()).as(said()).isZero();
    Matcher judgement = JUDGEMENT.matcher(said());
    assertThat(judgement.find()).as(said()).isTrue();
    reconnections = Long.parseLong(judgement.group(1));
  }

  private void await(
      Process guest, String what, Duration limit, java.util.concurrent.Callable<Boolean> there)
      throws Exception {
    Await.until(what, limit, () -> there.call() || !guest.isAlive());
    assertThat(there.call()).as("%s: %s", what, said()).isTrue();
  }

  private String said() throws IOException {
    return Files.readString(log);
  }

  private static void end(Process guest) throws InterruptedException {
    guest.descendants().forEach(ProcessHandle::destroy);
    guest.destroy();
    guest.waitFor();
  }
}
