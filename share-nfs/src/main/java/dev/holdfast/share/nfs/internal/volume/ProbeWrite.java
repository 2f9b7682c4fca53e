package dev.holdfast.share.nfs.internal.volume;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostProcess;
import dev.holdfast.share.WriteProbe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Writes one block to a file of a filesystem and waits until it is durable, in a child process.
 * When the device does not answer, not even SIGKILL ends that process: it is left alone, and no
 * further one is started until it has ended. Thread-safe.
 */
public final class ProbeWrite {
  private static final String WRITE =
      "exec dd of=\"$1\" bs=4096 count=1 conv=notrunc,sync,fsync status=none 2>&1 <<END\n"
          + "$2\nEND";

  private static final int BLOCK = 4096;
  private static final int LONGEST_OUTPUT = 4096;

  private Optional<HostProcess> pending = Optional.empty();
  private boolean killed;

  /**
   * Result of a write.
   *
   * @param probe what it says of the filesystem
   * @param detail cause in words; empty when it was written
   */
  public record Result(WriteProbe probe, String detail) {
    /** Nothing is mounted. */
    public static final Result NOT_MOUNTED = new Result(WriteProbe.NOT_MOUNTED, "");

    private static final Result WRITTEN = new Result(WriteProbe.WRITTEN, "");
  }

  /** Prepares writes to one filesystem. */
  public ProbeWrite() {}

  /**
   * Writes.
   *
   * @param file on the filesystem, in a folder that no client can reach
   * @param text of the block in ASCII, padded with zero bytes; less than a block
   * @param patience how long it may take
   * @throws StorageException IO when the child process cannot be started
   */
  public synchronized Result write(Host host, Path file, String text, Duration patience)
      throws StorageException {
    if (text.length() >= BLOCK) {
      throw new IllegalArgumentException("text: " + text.length() + " characters, at most 4095");
    }
    HostProcess process = current(host, file, text);
    try {
      int exit = process.exit().get(patience.toMillis(), TimeUnit.MILLISECONDS);
      pending = Optional.empty();
      if (killed) {
        return timedOut(patience);
      }
      return exit == 0 ? Result.WRITTEN : failure(process);
    } catch (TimeoutException e) {
      killed = true;
      process.kill();
      return timedOut(patience);
    } catch (ExecutionException e) {
      pending = Optional.empty();
      return failed("the write cannot be observed: " + e.getCause().getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failed("interrupted");
    }
  }

  /**
   * Returns the process to wait for. The exit of a killed one does not show what the device does.
   */
  private HostProcess current(Host host, Path file, String text) throws StorageException {
    if (pending.isEmpty() || (killed && pending.get().exit().isDone())) {
      pending = Optional.of(begin(host, file, text));
      killed = false;
    }
    return pending.get();
  }

  private static Result timedOut(Duration patience) {
    return new Result(
        WriteProbe.TIMED_OUT, "a write is not durable after " + patience.toMillis() + " ms");
  }

  private static HostProcess begin(Host host, Path file, String text) throws StorageException {
    String sh = host.require("sh", "dash");
    return host.start(List.of(sh, "-c", WRITE, "sh", file.toString(), text));
  }

  private static Result failure(HostProcess process) {
    try {
      byte[] printed = process.output().readNBytes(LONGEST_OUTPUT);
      String text = new String(printed, StandardCharsets.UTF_8).strip();
      if (text.contains("No space left on device") || text.contains("Disk quota exceeded")) {
        return new Result(WriteProbe.FULL, "the filesystem is full");
      }
      return failed(text.isEmpty() ? "the write was ended" : text);
    } catch (IOException e) {
      return failed("the write failed: " + e.getMessage());
    }
  }

  private static Result failed(String detail) {
    return new Result(WriteProbe.FAILED, detail);
  }
}
