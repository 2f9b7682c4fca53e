package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the platform what requests of open volumes wait for. It has a thread of its own, because
 * the other watches block while a pool is full or moves. Used by one thread at a time.
 */
final class WaitWatch {
  private static final Logger LOG = LoggerFactory.getLogger(WaitWatch.class);

  /** The times in a message change with each lease, and are not told more often than this. */
  private static final Duration SAME_REASON = Duration.ofSeconds(30);

  private final Supplier<Collection<User>> users;
  private final InstantSource clock;
  private final Map<EngineListener, Told> told = new HashMap<>();

  /** Knows what requests of a group wait for. */
  interface Source {
    List<PoolWait> waits(String group) throws StorageException;
  }

  /**
   * An open volume.
   *
   * @param source for its group
   * @param head its live content
   * @param listener that is told
   */
  record User(Source source, Blob head, EngineListener listener) {}

  /** Last message to a listener, and its time. */
  private record Told(RequestWait what, Instant at) {}

  WaitWatch(Supplier<Collection<User>> users, InstantSource clock) {
    this.users = users;
    this.clock = clock;
  }

  /** Looks at all groups, and tells what has changed. */
  synchronized void lookAtAll() {
    Collection<User> present = users.get();
    Map<String, Source> groups = new HashMap<>();
    present.forEach(user -> groups.put(user.head().group(), user.source()));
    groups.forEach(
        (group, source) -> {
          try {
            Map<Blob, RequestWait> waits = waits(source, group);
            present.stream()
                .filter(user -> user.head().group().equals(group))
                .forEach(user -> tell(user, Optional.ofNullable(waits.get(user.head()))));
          } catch (StorageException e) {
            LOG.debug(
                "volume group {}: could not find waiting requests: {}", group, e.getMessage());
          }
        });
    told.keySet().retainAll(present.stream().map(User::listener).toList());
  }

  private static Map<Blob, RequestWait> waits(Source source, String group) throws StorageException {
    Map<Blob, RequestWait> waits = new HashMap<>();
    for (PoolWait wait : source.waits(group)) {
      RequestWait request = new RequestWait(reason(wait.cause()), wait.message());
      wait.blobs().forEach(blob -> waits.put(new Blob(group, blob), request));
    }
    return waits;
  }

  private static String reason(PoolWait.Cause cause) {
    return switch (cause) {
      case LOCKED -> "PoolLocked";
      case MOVING -> "PoolMoves";
      case FULL -> "GroupFull";
      case DAMAGED -> "PoolDamaged";
    };
  }

  private void tell(User user, Optional<RequestWait> wait) {
    Optional<Told> last = Optional.ofNullable(told.get(user.listener()));
    if (wait.equals(last.map(Told::what))) {
      return;
    }
    Instant now = clock.instant();
    boolean same = wait.map(RequestWait::reason).equals(last.map(one -> one.what().reason()));
    if (same && now.isBefore(last.orElseThrow().at().plus(SAME_REASON))) {
      return;
    }
    if (!same) {
      LOG.info(
          "blob {}: {}", user.head(), wait.map(RequestWait::message).orElse("requests continue"));
    }
    user.listener().waiting(wait);
    if (wait.isPresent()) {
      told.put(user.listener(), new Told(wait.get(), now));
    } else {
      told.remove(user.listener());
    }
  }
}
