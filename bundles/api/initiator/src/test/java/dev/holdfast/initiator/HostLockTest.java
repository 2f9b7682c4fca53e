package dev.holdfast.initiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour for other processes, too. */
class HostLockTest {
  private static final int PROCESSES = 3;
  private static final int TIMES = 50;

  @TempDir Path folder;

  @Test
  void nothingIsLeftOfALock() throws Exception {
    HostState state = new HostState(folder);
    assertThat(state.<List<String>>locked("demo", this::files)).contains(".demo.lock");
    assertThatThrownBy(
            () ->
                state.locked(
                    "other",
                    () -> {
                      throw new StorageException(ErrorCode.IO, "no");
                    }))
        .hasMessageContaining("no");
    assertThat(files()).containsExactly(".lock");
  }

  @Test
  void aFileThatACrashLeftIsLockedAndTakenAway() throws Exception {
    Files.createFile(folder.resolve(".demo.lock"));
    assertThat(new HostState(folder).<String>locked("demo", () -> "done")).isEqualTo("done");
    assertThat(files()).containsExactly(".lock");
  }

  /** Each reads, adds one and writes: an overlap would lose some. */
  @Test
  void aLockIsHeldByOneProcessAtATimeAlthoughItsFileComesAndGoes() throws Exception {
    List<Process> all = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      all.add(java(Adder.class));
    }
    for (Process process : all) {
      assertThat(process.waitFor()).isZero();
    }
    assertThat(new HostState(folder).read("demo")).contains(String.valueOf(PROCESSES * TIMES));
    assertThat(files()).containsExactlyInAnyOrder(".lock", "demo.json");
  }

  @Test
  void interruptedWaitTakesTheLockFromNoHolder() throws Exception {
    HostState state = new HostState(folder);
    try (HostLock held = HostLock.of(folder, "demo")) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> state.locked("demo", () -> "mine"))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(held).isNotNull();
      assertThat(java(Taker.class).waitFor()).as("another process gets it").isEqualTo(Taker.HELD);
    }
    assertThat(files()).containsExactly(".lock");
  }

  @Test
  void whoIsInterruptedWhileHoldingGivesItBack() throws Exception {
    HostState state = new HostState(folder);
    state.locked(
        "demo",
        () -> {
          Thread.currentThread().interrupt();
          return "";
        });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(files()).containsExactly(".lock");
    assertThat(state.<String>locked("demo", () -> "again")).isEqualTo("again");
  }

  /** As when a bundle is replaced beside the one that holds the lock. */
  @Test
  void copyOfThisClassLeavesTheHoldersLockInTheKernel() throws Exception {
    Path file = folder.resolve(".demo.lock");
    try (HostLock held = HostLock.of(folder, "demo");
        URLClassLoader own =
            new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
      assertThat(held).isNotNull();
      Thread waiting = new Thread(() -> waitForCopy(own));
      waiting.start();
      // It rests between two tries.
      while (waiting.getState() != Thread.State.TIMED_WAITING) {
        assertThat(waiting.isAlive()).isTrue();
        Thread.onSpinWait();
      }
      Object inode = Files.getAttribute(file, "unix:ino");
      assertThat(Files.readString(Path.of("/proc/locks"))).contains(":" + inode + " ");
      waiting.interrupt();
      waiting.join();
    }
  }

  private void waitForCopy(ClassLoader own) {
    try {
      Method of =
          Class.forName(HostLock.class.getName(), true, own)
              .getDeclaredMethod("of", Path.class, String.class);
      of.setAccessible(true);
      of.invoke(null, folder, "demo");
    } catch (InvocationTargetException e) {
      assertThat(e.getCause()).isInstanceOf(InterruptedException.class);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static URL[] classPath() {
    return new URL[] {HostLock.class.getProtectionDomain().getCodeSource().getLocation()};
  }

  private List<String> files() throws StorageException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
  }

  private Process java(Class<?> program) throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName(),
            folder.toString())
        .inheritIO()
        .start();
  }

  /** A program that adds to a counter. */
  static final class Adder {
    private Adder() {}

    public static void main(String[] arguments) throws Exception {
      HostState state = new HostState(Path.of(arguments[0]));
      for (int i = 0; i < TIMES; i++) {
        state.locked(
            "demo",
            () -> {
              int next = Integer.parseInt(state.read("demo").orElse("0")) + 1;
              state.write("demo", Integer.toString(next));
              return next;
            });
      }
    }
  }

  /** A program that tells whether it could have a lock. */
  static final class Taker {
    static final int HELD = 3;

    private Taker() {}

    public static void main(String[] arguments) throws Exception {
      Path file = Path.of(arguments[0], ".demo.lock");
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        System.exit(channel.tryLock() == null ? HELD : 0);
      }
    }
  }
}
