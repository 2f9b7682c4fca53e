package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A lab with the real {@code nvmf_tgt} that the environment names. */
final class RealTargetLab extends SpdkLab {
  private static final long START_SECONDS = 30;

  RealTargetLab() {}

  /** Creates one of several nodes. */
  RealTargetLab(Fabric ports, String node, LegNodes nodes) {
    super(ports, node, nodes);
  }

  /** Returns the program, empty when the environment names none. */
  static Optional<String> program() {
    return Optional.ofNullable(System.getenv("HOLDFAST_NVMF_TGT"));
  }

  @Override
  TestTarget started(Path at) throws IOException {
    return run(at);
  }

  /** Starts a target that listens for calls at a socket. */
  static TestTarget run(Path socket) throws IOException {
    Process process =
        new ProcessBuilder(
                program().orElseThrow(),
                "--no-huge",
                "-s",
                "512",
                "--no-pci",
                "-m",
                "0x1",
                "--disable-cpumask-locks",
                "-r",
                socket.toString())
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start();
    awaitAnswer(process, socket);
    return new TestTarget() {
      @Override
      public void kill() throws IOException {
        process.destroyForcibly();
        try {
          if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("nvmf_tgt did not end");
          }
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        Files.deleteIfExists(socket);
      }

      @Override
      public void close() throws IOException {
        kill();
      }
    };
  }

  private static void awaitAnswer(Process process, Path socket) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (SpdkTarget target = new SpdkTarget(socket)) {
        var unused = target.call("spdk_get_version", SpdkTarget.params());
        return;
      } catch (StorageException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          process.destroyForcibly();
          throw new IOException("nvmf_tgt does not answer", e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      }
    }
  }
}
