package dev.holdfast.mounts;

import dev.holdfast.client.Waiting;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Restores the mounts from before the start of this machine. The node may have just started. Until
 * it has opened a volume, the store contains the volume's earlier state, and the volume is not
 * served. Therefore such failures are retried.
 */
final class MountRestoration {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Waiting waiting;

  MountRestoration(Waiting waiting) {
    this.waiting = waiting;
  }

  /** Mounts one volume. */
  @FunctionalInterface
  interface Mounting {
    MountRecord mount(MountRecord earlier) throws StorageException;
  }

  /** Mounts all volumes as soon as possible; returns the mounted ones by volume. */
  List<MountRecord> mountAll(
      List<MountRecord> all, Mounting mounting, Consumer<StorageException> failed) {
    List<MountRecord> mounted = new ArrayList<>();
    List<MountRecord> missing = all;
    long start = System.nanoTime();
    while (!missing.isEmpty()) {
      boolean last = System.nanoTime() - start >= waiting.timeout().toNanos();
      List<MountRecord> again = new ArrayList<>();
      for (MountRecord one : missing) {
        try {
          mounted.add(mounting.mount(one));
        } catch (StorageException e) {
          if (last || !mayPass(e)) {
            failed.accept(e);
          } else {
            waiting.progress().accept("volume " + one.volume() + ": not there yet, tries again");
            again.add(one);
          }
        }
      }
      missing = again;
      if (!missing.isEmpty()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    mounted.sort(Comparator.comparing(MountRecord::volume));
    return mounted;
  }

  private static boolean mayPass(StorageException failure) {
    return switch (failure.code()) {
      // A client sees a missing export as a failing device.
      case UNREACHABLE, TIMEOUT, BUSY, CONFLICT, IO -> true;
      case NOT_FOUND,
          ALREADY_EXISTS,
          INVALID,
          UNSUPPORTED,
          NO_SPACE,
          EXPIRED,
          FORBIDDEN,
          INTERNAL ->
          false;
    };
  }
}
