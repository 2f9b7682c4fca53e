package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one process running. Each step holds the monitor, also the stop of a process; {@link
 * #status} does not take it.
 */
final class Supervision implements SupervisedProcess {
  private static final Logger LOG = LoggerFactory.getLogger(Supervision.class);
  private static final Duration CHECK = Duration.ofMillis(250);

  /**
   * Parts shared by all processes of a supervisor.
   *
   * @param records records in the folder
   * @param launcher starts processes
   * @param clock source of the present time
   * @param executor runs checks, restarts and listeners
   */
  record Shared(
      ProcessRecords records, Launcher launcher, Clock clock, ScheduledExecutorService executor) {}

  private final ProcessSpec spec;
  private final ProcessListener listener;
  private final Shared shared;
  private final LogFile log;
  private final Optional<HealthWatch> health;

  private volatile ProcessStatus status;
  private Optional<RunningProcess> running = Optional.empty();
  private Optional<ScheduledFuture<?>> restart = Optional.empty();
  private Optional<ScheduledFuture<?>> checks = Optional.empty();
  private CompletableFuture<Void> events = CompletableFuture.completedFuture(null);
  private int failures;
  private boolean closed;

  Supervision(ProcessSpec spec, ProcessListener listener, Shared shared) {
    this.spec = spec;
    this.listener = listener;
    this.shared = shared;
    this.log = new LogFile(shared.records().log(spec.name()));
    this.health =
        spec.health().map(probe -> new HealthWatch(probe, shared.clock(), shared.executor()));
    this.status = stopped(spec.name(), spec.command());
  }

  private static ProcessStatus stopped(String name, List<String> command) {
    return new ProcessStatus(
        name, ProcessState.STOPPED, Optional.empty(), command, Optional.empty(), false, 0, "");
  }

  String name() {
    return spec.name();
  }

  /** Adopts the recorded process, or starts a new one. */
  synchronized void begin() throws StorageException {
    Optional<ProcessRecord> earlier = shared.records().read(spec.name());
    Optional<ProcessIdentity> recorded = earlier.flatMap(ProcessRecord::process);
    Optional<ProcessIdentity> alive =
        recorded.isPresent() ? shared.launcher().begun(recorded.get()) : recorded;
    if (alive.isPresent()) {
      runs(new RunningProcess(earlier.get(), alive.get(), Optional.empty()));
      LOG.info("process {}: adopted {}", spec.name(), alive.get().pid());
    } else {
      endLeftovers(earlier);
      startFirst();
    }
    long millis = CHECK.toMillis();
    checks =
        Optional.of(
            shared
                .executor()
                .scheduleWithFixedDelay(this::check, millis, millis, TimeUnit.MILLISECONDS));
  }

  private void endLeftovers(Optional<ProcessRecord> earlier) throws StorageException {
    if (earlier.flatMap(ProcessRecord::process).isPresent()) {
      Termination.endSession(
          earlier.get().process().orElseThrow(), earlier.get().instance(), spec.stopPatience());
    }
  }

  private void startFirst() throws StorageException {
    try {
      start();
    } catch (StorageException e) {
      shared.records().delete(spec.name());
      throw e;
    }
  }

  private void start() throws StorageException {
    RunningProcess started = RunningProcess.start(spec, shared);
    runs(started);
    LOG.info("process {}: started as {}", spec.name(), started.identity().pid());
  }

  private void runs(RunningProcess process) {
    running = Optional.of(process);
    health.ifPresent(watch -> watch.begin(process.startedAt()));
    status =
        new ProcessStatus(
            spec.name(),
            health.isPresent() ? ProcessState.STARTING : ProcessState.RUNNING,
            Optional.of(process.identity()),
            process.record().command(),
            Optional.of(process.startedAt()),
            process.isAdopted(),
            status.restarts(),
            status.detail());
  }

  /**
   * Checks whether the process runs and works. Never throws, because the executor would not repeat
   * the check.
   */
  private synchronized void check() {
    if (closed || running.isEmpty()) {
      return;
    }
    try {
      if (!running.get().identity().isAlive()) {
        failed(running.get().ending());
        return;
      }
      log.bound(spec.logBytes());
      if (health.isPresent()) {
        judge(health.get().poll());
      }
    } catch (StorageException | RuntimeException e) {
      LOG.warn("process {}: could not check it: {}", spec.name(), e.getMessage());
    }
  }

  private void judge(HealthWatch.Verdict verdict) {
    if (verdict.isFatal()) {
      failed("is not healthy: " + verdict.detail());
    } else if (verdict.isReady() && status.state() == ProcessState.STARTING) {
      status = state(ProcessState.RUNNING, status.process(), status.startedAt(), "");
      tell(ProcessListener::ready);
    } else if (!verdict.detail().isEmpty()) {
      status = state(status.state(), status.process(), status.startedAt(), verdict.detail());
    }
  }

  /** Ends the remaining processes, and either schedules a restart or stops restarting. */
  private void failed(String cause) {
    RunningProcess ended = running.orElseThrow();
    try {
      Termination.endSession(ended.identity(), ended.record().instance(), spec.stopPatience());
    } catch (StorageException e) {
      LOG.warn("process {}: {}; trying again", spec.name(), e.getMessage());
      return; // the process is still recorded as running, so the next check repeats this step
    }
    running = Optional.empty();
    Duration ran = Duration.between(ended.startedAt(), shared.clock().instant());
    if (ran.compareTo(spec.restarts().resetAfter()) >= 0) {
      failures = 0;
    }
    backOff(cause);
  }

  private void backOff(String cause) {
    failures++;
    boolean again = failures <= spec.restarts().attempts();
    status =
        state(
            again ? ProcessState.BACKING_OFF : ProcessState.GAVE_UP,
            Optional.empty(),
            Optional.empty(),
            cause);
    tell(ProcessListener::exited);
    if (again) {
      Duration wait = spec.restarts().wait(failures);
      LOG.warn("process {}: {}; restarting after {} ms", spec.name(), cause, wait.toMillis());
      restart =
          Optional.of(
              shared.executor().schedule(this::startAgain, wait.toMillis(), TimeUnit.MILLISECONDS));
    } else {
      LOG.warn("process {}: {}; not restarting it", spec.name(), cause);
      tell(ProcessListener::gaveUp);
    }
  }

  private synchronized void startAgain() {
    if (closed || status.state() != ProcessState.BACKING_OFF) {
      return;
    }
    restart = Optional.empty();
    try {
      start();
      status = restarted();
      tell(ProcessListener::restarted);
    } catch (StorageException | RuntimeException e) {
      backOff("could not be started: " + e.getMessage());
    }
  }

  private ProcessStatus restarted() {
    return new ProcessStatus(
        status.name(),
        status.state(),
        status.process(),
        status.command(),
        status.startedAt(),
        status.adopted(),
        status.restarts() + 1,
        status.detail());
  }

  private ProcessStatus state(
      ProcessState state,
      Optional<ProcessIdentity> process,
      Optional<Instant> startedAt,
      String detail) {
    return new ProcessStatus(
        status.name(),
        state,
        process,
        status.command(),
        startedAt,
        process.isPresent() && status.adopted(),
        status.restarts(),
        detail);
  }

  private void tell(BiConsumer<ProcessListener, ProcessStatus> event) {
    ProcessStatus told = status;
    events =
        events.thenRunAsync(
            () -> {
              try {
                event.accept(listener, told);
              } catch (RuntimeException e) {
                LOG.error("process {}: its listener failed", spec.name(), e);
              }
            },
            shared.executor());
  }

  @Override
  public ProcessStatus status() {
    return status;
  }

  @Override
  public List<String> logTail(int lines) throws StorageException {
    return log.tail(lines);
  }

  @Override
  public synchronized void restart() throws StorageException {
    requireOpen();
    end();
    failures = 0;
    start();
  }

  @Override
  public synchronized void stop() throws StorageException {
    requireOpen();
    end();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("process " + spec.name() + ": its supervisor is closed");
    }
  }

  private void end() throws StorageException {
    restart.ifPresent(pending -> pending.cancel(false));
    restart = Optional.empty();
    status = state(ProcessState.STOPPED, status.process(), status.startedAt(), "");
    if (running.isPresent()) {
      Termination.endSession(
          running.get().identity(), running.get().record().instance(), spec.stopPatience());
      running = Optional.empty();
      LOG.info("process {}: stopped", spec.name());
    }
    status = state(ProcessState.STOPPED, Optional.empty(), Optional.empty(), "");
    shared.records().delete(spec.name());
  }

  /** Ends the supervision; the process keeps running. */
  synchronized void leave() {
    closed = true;
    restart.ifPresent(pending -> pending.cancel(false));
    checks.ifPresent(pending -> pending.cancel(false));
  }
}
