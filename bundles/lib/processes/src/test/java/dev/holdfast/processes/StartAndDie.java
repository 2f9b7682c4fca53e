package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A program that supervises a process and is killed at one of the moments of its start. */
final class StartAndDie {
  /** Moment of the kill. */
  enum Moment {
    BEFORE_CLAIM,
    AFTER_CLAIM,
    AFTER_FORK,
    AFTER_RECORD,
    AFTER_START
  }

  private StartAndDie() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    Moment moment = Moment.valueOf(arguments[1]);
    ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    ProcessSupervisor supervisor =
        ProcessSupervisor.open(
            folder,
            new DyingRecords(folder, moment),
            new DyingLauncher(moment),
            Clock.systemUTC(),
            executor);
    supervisor.supervise(spec(Path.of(arguments[2])), ProcessListener.NONE);
    die();
  }

  /** Returns a process that appends its number to a file at its start. */
  static ProcessSpec spec(Path begun) {
    return SupervisorTest.script("demo", "echo $$ >> " + begun + "; exec sleep 100000");
  }

  /** Kills the program by SIGKILL, like the kernel without memory. */
  private static void die() {
    try {
      new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid()))
          .start()
          .waitFor();
      Thread.currentThread().join();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class DyingRecords extends ProcessRecords {
    private final Moment moment;

    DyingRecords(Path folder, Moment moment) {
      super(folder);
      this.moment = moment;
    }

    @Override
    void write(ProcessRecord record) throws StorageException {
      boolean claim = record.process().isEmpty();
      if (claim && moment == Moment.BEFORE_CLAIM) {
        die();
      }
      super.write(record);
      if (moment == (claim ? Moment.AFTER_CLAIM : Moment.AFTER_RECORD)) {
        die();
      }
    }
  }

  private static final class DyingLauncher extends Launcher {
    private final Moment moment;

    DyingLauncher(Moment moment) {
      this.moment = moment;
    }

    @Override
    Waiting prepare(ProcessSpec spec, String instance, Path log) throws StorageException {
      Waiting waiting = super.prepare(spec, instance, log);
      if (moment == Moment.AFTER_FORK) {
        die();
      }
      return waiting;
    }
  }
}
