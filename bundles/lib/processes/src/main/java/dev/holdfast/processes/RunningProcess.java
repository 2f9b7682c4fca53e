package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A started or adopted process.
 *
 * @param record its record
 * @param identity identity of the process
 * @param child handle of the process if this program started it
 */
record RunningProcess(ProcessRecord record, ProcessIdentity identity, Optional<Process> child) {
  private static final int SIGNAL = 128;

  /**
   * Claims, starts and records a process. The program is executed only after the record is durable.
   */
  static RunningProcess start(ProcessSpec spec, Supervision.Shared shared) throws StorageException {
    String instance = UUID.randomUUID().toString();
    ProcessRecords records = shared.records();
    ProcessRecord claim =
        ProcessRecord.claim(spec.name(), instance, spec.command(), shared.clock().instant());
    records.write(claim);
    Launcher.Waiting waiting = shared.launcher().prepare(spec, instance, records.log(spec.name()));
    try {
      ProcessRecord record = claim.started(waiting.identity());
      records.write(record);
      waiting.go();
      return new RunningProcess(record, waiting.identity(), Optional.of(waiting.process()));
    } catch (IOException e) {
      waiting.cancel();
      throw StorageException.io("process " + spec.name() + ": ended before it began", e);
    } catch (StorageException | RuntimeException e) {
      waiting.cancel();
      throw e;
    }
  }

  boolean isAdopted() {
    return child.isEmpty();
  }

  Instant startedAt() {
    return Instant.parse(record.startedAt());
  }

  /** Describes the end of the process. */
  String ending() {
    if (child.isEmpty()) {
      return "ended; an earlier supervisor started it, so its exit code is not known";
    }
    try {
      if (!child
          .get()
          .waitFor(1, TimeUnit.SECONDS)) { // almost immediate, unless the process is stopped here
        return "ended";
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "ended";
    }
    int code = child.get().exitValue();
    return code > SIGNAL ? "ended by signal " + (code - SIGNAL) : "ended with exit code " + code;
  }
}
