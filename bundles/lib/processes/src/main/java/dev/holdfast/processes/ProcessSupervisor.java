package dev.holdfast.processes;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Keeps processes running that outlive this program and its container. A folder records them; one
 * supervisor at a time has the folder open:
 *
 * <pre>
 *   folder/NAME.json     number and start time of the process; absent when it was stopped
 *   folder/NAME.log      both of its outputs; NAME.log.1 older output
 *   folder/.lock         held while a supervisor is open
 * </pre>
 *
 * A supervisor of a later program that opens the folder adopts each specified process that still
 * runs; it does not end or start other processes. The close of a supervisor does not affect the
 * processes. Thread-safe.
 */
public final class ProcessSupervisor implements AutoCloseable {
  private final Supervision.Shared shared;
  private final LockFile lock;
  private final Map<String, Supervision> supervised = new ConcurrentSkipListMap<>();
  private boolean closed;

  private ProcessSupervisor(Supervision.Shared shared, LockFile lock) {
    this.shared = shared;
    this.lock = lock;
  }

  /**
   * Opens a folder, and creates it if it is absent.
   *
   * @param folder for the processes of one plugin, below the node's data directory
   * @param clock source of the start times of processes
   * @param executor runs checks, restarts and listeners; needs at least two threads if health
   *     checks may wait; the caller shuts it down after {@link #close}
   * @throws StorageException BUSY when another supervisor, also of another process, has the folder
   *     open; IO
   */
  public static ProcessSupervisor open(Path folder, Clock clock, ScheduledExecutorService executor)
      throws StorageException {
    return open(folder, new ProcessRecords(folder), new Launcher(), clock, executor);
  }

  static ProcessSupervisor open(
      Path folder,
      ProcessRecords records,
      Launcher launcher,
      Clock clock,
      ScheduledExecutorService executor)
      throws StorageException {
    try {
      Files.createDirectories(folder);
      LockFile lock =
          LockFile.tryLock(folder.resolve(".lock"))
              .orElseThrow(
                  () ->
                      new StorageException(
                          ErrorCode.BUSY,
                          "another supervisor has " + folder + " open: close it first"));
      return new ProcessSupervisor(
          new Supervision.Shared(records, launcher, clock, executor), lock);
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
  }

  /**
   * Adopts the process of a name if it still runs, and starts it otherwise. Remaining children of
   * an earlier process of the name are ended first. An adopted process keeps its original command,
   * which its status shows; {@link SupervisedProcess#restart} applies the new command.
   *
   * @param spec the process to run
   * @param listener receives its events
   * @return the running process
   * @throws StorageException BUSY when the name is already supervised, or an earlier process does
   *     not end; UNSUPPORTED when the program or {@code setsid} is not installed; IO when the start
   *     fails, or the record cannot be read or written
   */
  public synchronized SupervisedProcess supervise(ProcessSpec spec, ProcessListener listener)
      throws StorageException {
    requireOpen();
    if (supervised.containsKey(spec.name())) {
      throw new StorageException(
          ErrorCode.BUSY, "process " + spec.name() + " is supervised already: stop it first");
    }
    Supervision supervision = new Supervision(spec, listener, shared);
    supervision.begin();
    supervised.put(spec.name(), supervision);
    return supervision;
  }

  /** Returns a supervised process; empty if this supervisor has none of the name. */
  public Optional<SupervisedProcess> find(String name) {
    return Optional.ofNullable(supervised.get(name));
  }

  /** Returns the states of all supervised processes by name. */
  public List<ProcessStatus> statuses() {
    return supervised.values().stream().map(Supervision::status).toList();
  }

  /**
   * Returns the names with a record, sorted: supervised processes, and processes of an earlier
   * program that were not yet adopted or removed.
   *
   * @throws StorageException IO
   */
  public List<String> recorded() throws StorageException {
    return shared.records().names();
  }

  /**
   * Stops a supervised or recorded process and deletes its record. Succeeds if the process is
   * absent.
   *
   * @param name of the process
   * @param patience time between SIGTERM and SIGKILL, for a process that is only recorded
   * @throws StorageException as {@link SupervisedProcess#stop}
   */
  public synchronized void remove(String name, Duration patience) throws StorageException {
    requireOpen();
    if (!ProcessSpec.isName(name)) {
      throw new IllegalArgumentException("name: \"" + name + "\" is not the name of a process");
    }
    Supervision supervision = supervised.get(name);
    if (supervision != null) {
      supervision.stop();
      supervision.leave();
      supervised.remove(name);
      return;
    }
    Optional<ProcessRecord> record = shared.records().read(name);
    if (record.flatMap(ProcessRecord::process).isPresent()) {
      Termination.endSession(
          record.get().process().orElseThrow(), record.get().instance(), patience);
    }
    shared.records().delete(name);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the supervisor is closed");
    }
  }

  /** Ends the supervision without effect on the processes. Idempotent. */
  @Override
  public synchronized void close() throws StorageException {
    if (closed) {
      return;
    }
    closed = true;
    supervised.values().forEach(Supervision::leave);
    try {
      lock.close();
    } catch (IOException e) {
      throw StorageException.io("lock of a folder of processes", e);
    }
  }
}
