package dev.holdfast.vm.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A host that records the programs run on another host, and that fails or crashes before or after
 * selected ones. After a crash each call throws {@link HostCrash} until {@link #restart}, so that
 * code under test that continues after its crash is detected. To test each point of an operation:
 *
 * <pre>
 *   for (int n = 0; crashed; n++) { host.crash(n, Moment.BEFORE); run; host.restart(); repeat; judge }
 * </pre>
 *
 * Thread-safe.
 */
public final class RecordingHost implements Host {
  private final Host host;
  private final List<List<String>> commands = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private boolean crashed;

  /** Creates a recorder in front of another host. */
  public RecordingHost(Host host) {
    this.host = host;
  }

  /** Time of a fault. */
  public enum Moment {
    /** Before the program, which is then not run. */
    BEFORE,
    /** After the program, whose result is lost. */
    AFTER
  }

  /** A fault that occurs once; without a failure it is a crash. */
  private record Fault(
      Predicate<List<String>> which, Moment moment, Optional<StorageException> failure) {}

  /** Returns the commands that were run or failed, in order. */
  public synchronized List<List<String>> commands() {
    return List.copyOf(commands);
  }

  /** Clears the recorded commands; the next one has the number 0. */
  public synchronized void clear() {
    commands.clear();
  }

  /**
   * Makes the next command of a kind fail once.
   *
   * @param which condition on a command and its arguments
   * @param moment before or after it runs
   * @param failure the thrown failure
   */
  public synchronized void fail(
      Predicate<List<String>> which, Moment moment, StorageException failure) {
    faults.add(new Fault(which, moment, Optional.of(failure)));
  }

  /** Makes the code under test crash at the next command of a kind. */
  public synchronized void crash(Predicate<List<String>> which, Moment moment) {
    faults.add(new Fault(which, moment, Optional.empty()));
  }

  /** Makes the code under test crash at a command; the first has the number 0. */
  public synchronized void crash(int number, Moment moment) {
    crash(command -> commands.size() == number + 1, moment);
  }

  /** Returns whether a crash occurred without a later restart. */
  public synchronized boolean crashed() {
    return crashed;
  }

  /** Permits programs again, and removes pending faults. */
  public synchronized void restart() {
    crashed = false;
    faults.clear();
  }

  private synchronized Optional<Fault> begin(List<String> command) throws StorageException {
    requireAlive();
    commands.add(List.copyOf(command));
    Optional<Fault> fault =
        faults.stream().filter(candidate -> candidate.which().test(command)).findFirst();
    fault.ifPresent(faults::remove);
    if (fault.isPresent() && fault.get().moment() == Moment.BEFORE) {
      happen(fault.get());
    }
    return fault;
  }

  private synchronized void end(Optional<Fault> fault) throws StorageException {
    if (fault.isPresent()) {
      happen(fault.get());
    }
    requireAlive();
  }

  private void happen(Fault fault) throws StorageException {
    if (fault.failure().isPresent()) {
      throw fault.failure().get();
    }
    crashed = true;
    throw new HostCrash();
  }

  private synchronized void requireAlive() {
    if (crashed) {
      throw new HostCrash();
    }
  }

  @Override
  public Optional<Path> find(String program) throws StorageException {
    requireAlive();
    return host.find(program);
  }

  @Override
  public ProgramResult run(ProgramCall call) throws StorageException {
    Optional<Fault> fault = begin(call.command());
    ProgramResult result = host.run(call);
    end(fault);
    return result;
  }

  @Override
  public HostProcess start(List<String> command) throws StorageException {
    Optional<Fault> fault = begin(command);
    HostProcess process = host.start(command);
    end(fault);
    return process;
  }

  /** Not recorded; unreachable after a crash. */
  @Override
  public HostFiles files() {
    requireAlive();
    return host.files();
  }
}
