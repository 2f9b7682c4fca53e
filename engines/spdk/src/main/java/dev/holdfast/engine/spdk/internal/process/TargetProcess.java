package dev.holdfast.engine.spdk.internal.process;

import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.HealthProbe;
import dev.holdfast.processes.ProcessListener;
import dev.holdfast.processes.ProcessSpec;
import dev.holdfast.processes.ProcessStatus;
import dev.holdfast.processes.ProcessSupervisor;
import dev.holdfast.processes.RestartPolicy;
import dev.holdfast.processes.SupervisedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of this node's SPDK target. It outlives the container: the next start adopts it, so
 * that hosts keep their connections. A process that ends is started again, and what it lost is made
 * again by a {@link TargetRestore} before {@link #target} hands it out. Thread-safe.
 *
 * <pre>
 *   start, adopt, start again --&gt; answers calls --&gt; has the abilities --&gt; restored --&gt; ready
 *                                      '------------------'---------------'--&gt; repeated
 * </pre>
 */
public final class TargetProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TargetProcess.class);
  private static final String NAME = "spdk-target";
  private static final long AGAIN_MILLIS = 1_000;
  private static final int LOG_LINES = 5;

  /** A target that works on its memory may be silent for some seconds. */
  private static final Duration START_PATIENCE = Duration.ofMinutes(2);

  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration CHECK_LIMIT = Duration.ofSeconds(30);
  private static final int FAILURES = 4;

  /** Longest wait for the first answer of a process, within one check. */
  private static final Duration FIRST_ANSWER = Duration.ofSeconds(10);

  /**
   * How long hosts wait for a process that replaces another one, before the earlier one returns.
   */
  private static final Duration REPLACEMENT = Duration.ofSeconds(20);

  private static final int TRIES = 3;
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Hosts wait for a process that ended, so the first restart comes at once. */
  private static final RestartPolicy RESTARTS =
      new RestartPolicy(
          Duration.ofMillis(100),
          RestartPolicy.ALWAYS.longestWait(),
          RestartPolicy.ALWAYS.resetAfter(),
          RestartPolicy.ALWAYS.attempts());

  private final ScheduledExecutorService executor;
  private final ProcessSupervisor supervisor;
  private final SpdkTarget target;
  private final TargetRestore restore;
  private final TargetOptions options;
  private final Path socket;
  private Optional<SupervisedProcess> process = Optional.empty();
  private Optional<StorageException> obstacle =
      Optional.of(new StorageException(ErrorCode.UNREACHABLE, "SPDK target: not started yet"));
  private long generation;
  private volatile boolean refused;
  private boolean closed;

  private TargetProcess(
      ProcessSupervisor supervisor,
      SpdkTarget target,
      TargetRestore restore,
      TargetOptions options,
      Path socket,
      ScheduledExecutorService executor) {
    this.options = options;
    this.socket = socket;
    this.supervisor = supervisor;
    this.target = target;
    this.restore = restore;
    this.executor = executor;
  }

  /**
   * Starts the process, or adopts the one that runs.
   *
   * @param folder of its socket, log and record; is made when it is missing; not null
   * @param options not null
   * @param restore makes again what a process lost, not null
   * @param executor runs checks and restores, not null
   * @return the process, which may not be ready yet; the caller closes it
   * @throws StorageException UNSUPPORTED when the program or an ability of the machine is missing;
   *     BUSY when another container of this machine supervises the folder; IO
   */
  public static TargetProcess start(
      Path folder, TargetOptions options, TargetRestore restore, ScheduledExecutorService executor)
      throws StorageException {
    ProcessSupervisor supervisor = ProcessSupervisor.open(folder, Clock.systemUTC(), executor);
    Path socket = socket(folder);
    TargetProcess started =
        new TargetProcess(supervisor, new SpdkTarget(socket), restore, options, socket, executor);
    try {
      if (!started.answers()) {
        HostAbilities.ofThisMachine().require(options); // a running one has its memory already
      }
      started.supervise(started.command());
      return started;
    } catch (StorageException e) {
      supervisor.close();
      throw e;
    }
  }

  /** Returns where the target of a folder listens for calls. */
  static Path socket(Path folder) {
    return folder.resolve(NAME + ".sock");
  }

  /** Returns the command that the options ask for. */
  private List<String> command() {
    return options.command(socket);
  }

  private void supervise(List<String> command) throws StorageException {
    HealthProbe health =
        new HealthProbe(this::requireAnswer, START_PATIENCE, INTERVAL, CHECK_LIMIT, FAILURES);
    SupervisedProcess supervised =
        supervisor.supervise(
            ProcessSpec.of(NAME, command).withRestarts(RESTARTS).withHealth(Optional.of(health)),
            new Watch());
    synchronized (this) {
      process = Optional.of(supervised);
    }
    if (supervised.status().adopted() && answers()) {
      restoreFor(next("SPDK target: the process was adopted and is being restored"));
    }
  }

  private boolean answers() {
    try {
      ask();
      return true;
    } catch (StorageException e) {
      LOG.debug("SPDK target: does not answer", e);
      return false;
    }
  }

  private void ask() throws StorageException {
    var unused = target.call("spdk_get_version", SpdkTarget.params());
  }

  /** Fails unless it answers. One that starts is asked often, because hosts wait for it. */
  private void requireAnswer() throws StorageException {
    long end = System.nanoTime() + FIRST_ANSWER.toNanos();
    while (!isReady() && System.nanoTime() < end && !answers()) {
      LockSupport.parkNanos(ASK_NANOS);
    }
    ask();
  }

  private synchronized boolean isReady() {
    return obstacle.isEmpty();
  }

  /**
   * Waits until {@link #target} returns it.
   *
   * @param patience the longest time; when it is over this returns all the same
   */
  synchronized void awaitReady(Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    try {
      while (obstacle.isPresent() && !closed) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          return;
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns what is known of the process, empty before its start. */
  public synchronized Optional<ProcessStatus> status() {
    return process.map(SupervisedProcess::status);
  }

  /**
   * Returns the target when it has been restored.
   *
   * @return never null; its calls fail when the process ends
   * @throws StorageException UNREACHABLE while the process starts or is restored; UNSUPPORTED when
   *     it lacks abilities; the failure of the last restore, which is repeated
   */
  public synchronized SpdkTarget target() throws StorageException {
    if (obstacle.isPresent()) {
      StorageException reason = obstacle.get();
      throw new StorageException(reason.code(), reason.getMessage(), reason);
    }
    return target;
  }

  /** Receives the events of the process. */
  private final class Watch implements ProcessListener {
    @Override
    public void ready(ProcessStatus status) {
      if (isReady()) {
        return; // it was adopted and answered at once
      }
      restoreFor(next("SPDK target: the process has started and is being restored"));
    }

    @Override
    public void restarted(ProcessStatus status) {
      long unused = next("SPDK target: the process was started again and does not answer yet");
    }

    @Override
    public void exited(ProcessStatus status) {
      target.close();
      long unused = next("SPDK target: the process ended: " + status.detail());
    }

    @Override
    public void gaveUp(ProcessStatus status) {
      long unused =
          next("SPDK target: the process ends at each start: " + status.detail() + lastLines());
    }
  }

  private String lastLines() {
    Optional<SupervisedProcess> known;
    synchronized (this) {
      known = process;
    }
    try {
      return known.isEmpty() ? "" : ": " + String.join(" | ", known.get().logTail(LOG_LINES));
    } catch (StorageException e) {
      LOG.debug("SPDK target: could not read the log", e);
      return "";
    }
  }

  /** Notes an obstacle, and returns the number of the process's new life. */
  private synchronized long next(String reason) {
    obstacle = Optional.of(new StorageException(ErrorCode.UNREACHABLE, reason));
    return ++generation;
  }

  /** Restores one life of the process, again and again until it succeeds or the life ends. */
  private void restoreFor(long life) {
    Optional<StorageException> failure = Optional.empty();
    try {
      TargetAbilities.require(target);
      restore.restore(target);
    } catch (StorageException e) {
      LOG.warn("SPDK target: could not restore: {}", e.getMessage());
      failure = Optional.of(e);
    }
    synchronized (this) {
      if (life != generation || closed) {
        return;
      }
      obstacle = failure;
      notifyAll();
      if (failure.isPresent()) {
        var unused = executor.schedule(() -> restoreFor(life), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  /**
   * Returns whether the process was adopted and has another command than the options say, or its
   * program was replaced since its start.
   */
  boolean isOutdated() {
    Optional<ProcessStatus> known = status();
    return !refused
        && known.isPresent()
        && known.get().adopted()
        && (!known.get().command().equals(command()) || isProgramReplaced(known.get()));
  }

  private static boolean isProgramReplaced(ProcessStatus status) {
    try {
      return status.process().isPresent()
          && Files.readSymbolicLink(
                  Path.of("/proc", String.valueOf(status.process().get().pid()), "exe"))
              .toString()
              .endsWith(" (deleted)");
    } catch (IOException e) {
      LOG.debug("SPDK target: could not see its program", e);
      return false;
    }
  }

  /**
   * Ends the process and starts the one that the options say. When that one does not start, the
   * earlier command is started again, and the process counts as outdated no more.
   *
   * @throws StorageException UNSUPPORTED when the program or an ability of the machine is missing:
   *     nothing was changed; IO when the earlier command was started again; as {@link #stop}
   */
  void replace() throws StorageException {
    HostAbilities.ofThisMachine().require(options.inOrdinaryMemory()); // the pages are in use yet
    List<String> before = status().map(ProcessStatus::command).orElseGet(this::command);
    if (startsInstead(command())) {
      return;
    }
    String why = problem();
    refused = true;
    boolean unused = startsInstead(before);
    throw new StorageException(
        ErrorCode.IO,
        "SPDK target: "
            + options.program()
            + " does not start, and the earlier one continues: "
            + why);
  }

  /** Returns whether the process was ready in time. */
  private boolean startsInstead(List<String> command) throws StorageException {
    long unused = next("SPDK target: the process is being replaced");
    target.close();
    supervisor.remove(NAME, STOP_PATIENCE);
    supervise(command);
    long end = System.nanoTime() + REPLACEMENT.toNanos();
    while (!isReady() && System.nanoTime() < end && restarts() < TRIES) {
      awaitReady(Duration.ofNanos(ASK_NANOS));
    }
    return isReady();
  }

  private int restarts() {
    return status().map(ProcessStatus::restarts).orElse(0);
  }

  private synchronized String problem() {
    return obstacle.map(StorageException::getMessage).orElse("");
  }

  /**
   * Ends the process and does not start it again.
   *
   * @throws StorageException BUSY when it does not end; IO
   */
  public void stop() throws StorageException {
    Optional<SupervisedProcess> known;
    synchronized (this) {
      known = process;
      long unused = next("SPDK target: the process was stopped");
    }
    target.close();
    if (known.isPresent()) {
      known.get().stop();
    }
  }

  /** Leaves the process running, for the next container. */
  @Override
  public void close() throws StorageException {
    synchronized (this) {
      closed = true;
      notifyAll();
      long unused = next("SPDK target: this container has left the process");
    }
    target.close();
    supervisor.close();
  }
}
