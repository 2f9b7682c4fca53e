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
 * Mounts again the volumes that were mounted before this machine started. The node may have just
 * started: until it has opened a volume, the store has the volume's earlier state, and no node
 * serves it. So a failure for such a reason is tried again.
 */
final class MountRestoration {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Waiting waiting;

  MountRestoration(Waiting waiting) {
    this.waiting = waiting;
  }

  /** Mounts one of them. */
  @FunctionalInterface
  interface Mounting {
    MountRecord mount(MountRecord earlier) throws StorageException;
  }

  /** Mounts all that can be mounted, each as soon as it can; returns them by volume. */
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
      // An export that is not there yet looks like a failing device to its client.
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
