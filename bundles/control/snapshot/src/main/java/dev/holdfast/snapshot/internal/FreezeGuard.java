package dev.holdfast.snapshot.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostProcess;
import dev.holdfast.initiator.MountTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that freezes filesystems, and thaws them on request, after a time limit, or when this
 * process dies. Its program is {@code freeze-guard.pl}.
 */
final class FreezeGuard {
  private static final Logger LOG = LoggerFactory.getLogger(FreezeGuard.class);
  private static final String PROGRAM = "freeze-guard.pl";

  private final HostProcess process;
  private final CompletableFuture<String> freezing = new CompletableFuture<>();
  private final CompletableFuture<String> frozen = new CompletableFuture<>();
  private final CompletableFuture<Optional<String>> end = new CompletableFuture<>();

  private FreezeGuard(HostProcess process) {
    this.process = process;
  }

  /**
   * Starts to freeze.
   *
   * @param host of the mounts
   * @param lock a file that excludes another guard of the same volume
   * @param limit after which the guard thaws
   * @param mounts of the filesystems to freeze, at least one
   * @throws StorageException UNSUPPORTED or IO; no freeze was started
   */
  static FreezeGuard freeze(Host host, Path lock, Duration limit, List<MountTable.Mount> mounts)
      throws StorageException {
    return start(host, "freeze", lock, limit.toSeconds(), mounts);
  }

  /** Starts to thaw the filesystems of another guard after that guard has ended. */
  static FreezeGuard thaw(Host host, Path lock, List<MountTable.Mount> mounts)
      throws StorageException {
    return start(host, "thaw", lock, 0, mounts);
  }

  private static FreezeGuard start(
      Host host, String task, Path lock, long seconds, List<MountTable.Mount> mounts)
      throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(host.require("perl", "perl-base"));
    command.addAll(List.of("-e", program(), task, lock.toString(), Long.toString(seconds)));
    for (MountTable.Mount mount : mounts) {
      command.add(mount.deviceNumber());
      command.add(mount.directory().toString());
    }
    FreezeGuard guard = new FreezeGuard(host.start(command));
    Thread reader = new Thread(guard::read, "holdfast-freeze-guard");
    reader.setDaemon(true);
    reader.start();
    return guard;
  }

  private static String program() throws StorageException {
    try (InputStream text = FreezeGuard.class.getResourceAsStream(PROGRAM)) {
      if (text == null) {
        throw new IOException("not in the bundle");
      }
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw StorageException.io(PROGRAM, e);
    }
  }

  private void read() {
    Optional<String> last = Optional.empty();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        switch (line) {
          case "freezing" -> freezing.complete(line);
          case "frozen" -> frozen.complete(line);
          default -> last = Optional.of(line);
        }
      }
    } catch (IOException e) {
      last = Optional.empty(); // as after its death: thaw what it left frozen
    }
    // The guard has the lock until it exits.
    var unused = process.exit().handle((code, failure) -> code).join();
    end.complete(last);
    // States that were not reached will never be reached.
    String why = last.orElse("failed its process was killed");
    freezing.complete(why);
    frozen.complete(why);
  }

  /**
   * Waits until all filesystems are frozen.
   *
   * @param writeBack longest duration of the write-back, while writers continue
   * @param freeze longest duration of the freeze, while writers wait
   * @throws StorageException with the cause; the guard then thaws the filesystems that it has
   *     frozen
   */
  void awaitFrozen(Duration writeBack, Duration freeze) throws StorageException {
    await(freezing, "freezing", writeBack);
    await(frozen, "frozen", freeze);
  }

  private void await(CompletableFuture<String> told, String wanted, Duration patience)
      throws StorageException {
    String answer = within(told, patience).orElse("failed it took too long");
    if (!answer.equals(wanted)) {
      release();
      throw new StorageException(ErrorCode.BUSY, answer.replaceFirst("^failed ", ""));
    }
  }

  /** Waits for a result; returns empty if it does not arrive in time. */
  static <T> Optional<T> within(CompletableFuture<T> future, Duration patience) {
    try {
      return Optional.of(future.get(patience.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Requests the thaw, now or as soon as possible. */
  void release() {
    try {
      process.input().close();
    } catch (IOException e) {
      LOG.debug("the freezing process ended: {}", e.getMessage());
    }
  }

  /** Completes when the process has exited, with its last message; empty for none. */
  CompletableFuture<Optional<String>> end() {
    return end;
  }
}
