package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.ReportedFailures;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.RebuildState;
import dev.holdfast.resource.volume.RebuildStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands for the replicas of open volumes: rebuild or remove. A rebuild belongs to one opening:
 * after a new opening it starts again and resumes where it was. Commands run as steps of the
 * volume's path; the other methods are thread-safe.
 */
final class ReplicaCommands {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaCommands.class);
  private static final int MOST_BEFORE_CURRENT = 99;

  private final Map<String, Ordered> ordered = new ConcurrentHashMap<>();
  private final ReportedFailures told = new ReportedFailures();
  private final Steps steps;

  /** Runs an action as a step of a path, and reports its status afterwards. */
  @FunctionalInterface
  interface Steps {
    void run(String engine, AttachedVolume.Operation<Boolean> operation);
  }

  /**
   * An order to rebuild a replica.
   *
   * @param attempt number that distinguishes it from other orders
   * @param options may change while it is carried out
   */
  record Order(ReplicaLocation target, long attempt, RebuildOptions options) {
    boolean isSameAs(Order other) {
      return attempt == other.attempt && target.equals(other.target);
    }
  }

  /** A running command and its result. */
  private static final class Ordered {
    private final Order order;
    private final OpenVolume volume;
    private volatile RebuildOptions options;
    private volatile Optional<Rebuild> rebuild = Optional.empty();
    private volatile Optional<StorageException> failure = Optional.empty();
    private volatile boolean ended;

    private Ordered(Order order, OpenVolume volume) {
      this.order = order;
      this.volume = volume;
      this.options = order.options();
    }

    private boolean isCurrent() {
      return volume.replicas().get(order.target().replica()) == MemberMode.RW;
    }
  }

  ReplicaCommands(Steps steps) {
    this.steps = steps;
  }

  /** Returns whether a replica is being rebuilt. */
  boolean isRebuilding(String engine) {
    return Optional.ofNullable(ordered.get(engine)).filter(o -> !o.ended).isPresent();
  }

  /** Starts a rebuild, keeps the same one running, or cancels an unwanted one. */
  void rebuild(String engine, Optional<Order> wanted) {
    if (wanted.isPresent() || ordered.containsKey(engine)) {
      steps.run(engine, (opened, view) -> rebuildNow(engine, opened, wanted));
    }
  }

  private boolean rebuildNow(String engine, OpenVolume opened, Optional<Order> wanted) {
    Optional<Ordered> present = Optional.ofNullable(ordered.get(engine));
    Optional<Ordered> same =
        present
            .filter(o -> o.volume == opened)
            .filter(o -> wanted.filter(o.order::isSameAs).isPresent());
    if (same.isPresent()) {
      change(same.get(), wanted.orElseThrow().options());
      return true;
    }
    present.flatMap(o -> o.rebuild).ifPresent(Rebuild::cancel);
    ordered.remove(engine);
    wanted.ifPresent(order -> begin(engine, opened, order));
    return true;
  }

  private static void change(Ordered running, RebuildOptions options) {
    if (!running.options.equals(options)) {
      running.options = options;
      running.rebuild.ifPresent(rebuild -> rebuild.change(options));
    }
  }

  private void begin(String engine, OpenVolume opened, Order order) {
    Ordered begun = new Ordered(order, opened);
    String replica = order.target().replica();
    if (begun.isCurrent()) {
      begun.ended = true;
    } else if (opened instanceof RebuildableVolume rebuildable) {
      try {
        Rebuild rebuild = rebuildable.rebuild(order.target(), order.options());
        begun.rebuild = Optional.of(rebuild);
        rebuild.done().whenComplete((nothing, failure) -> ended(engine, begun, failure));
        LOG.info("volume {}: rebuilding replica {}", order.target().volume(), replica);
      } catch (StorageException e) {
        if (e.code() == ErrorCode.BUSY) {
          LOG.debug("replica {}: the rebuild is deferred: {}", replica, e.getMessage());
          return;
        }
        fail(begun, e);
      }
    } else {
      fail(
          begun,
          new StorageException(
              ErrorCode.UNSUPPORTED,
              "replica " + replica + ": its engine cannot rebuild: use another engine"));
    }
    ordered.put(engine, begun);
  }

  /** Valid only for the same opening, because a rebuild ends with its opening. */
  private void ended(String engine, Ordered which, Throwable failure) {
    steps.run(
        engine,
        (opened, view) -> {
          if (opened == which.volume && ordered.get(engine) == which) {
            Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            if (cause == null) {
              which.ended = true;
              told.forget(which.order.target().replica());
            } else {
              fail(which, failureOf(which, cause));
            }
          }
          return true;
        });
  }

  private static StorageException failureOf(Ordered which, Throwable cause) {
    return cause instanceof StorageException known
        ? known
        : new StorageException(
            ErrorCode.INTERNAL, "replica " + which.order.target().replica() + ": " + cause, cause);
  }

  private void fail(Ordered which, StorageException cause) {
    which.failure = Optional.of(cause);
    which.ended = true;
    String volume = which.order.target().volume();
    String replica = which.order.target().replica();
    String why = String.valueOf(cause.getMessage());
    if (told.isNews(replica, why)) {
      LOG.warn("volume {}: could not rebuild replica {}: {}", volume, replica, why);
    } else {
      LOG.debug("volume {}: could not rebuild replica {} again: {}", volume, replica, why);
    }
  }

  /** Removes replicas from the members. */
  void remove(String engine, List<String> replicas) {
    if (!replicas.isEmpty()) {
      steps.run(
          engine,
          (opened, view) -> {
            for (String replica : replicas) {
              removeNow(opened, replica);
            }
            return true;
          });
    }
  }

  private static void removeNow(OpenVolume opened, String replica) throws StorageException {
    MemberMode mode = opened.replicas().getOrDefault(replica, MemberMode.ERR);
    if (mode != MemberMode.ERR && opened instanceof ReducibleVolume reducible) {
      reducible.removeReplica(replica);
      LOG.info("replica {}: removed from its volume", replica);
    }
  }

  /** Removes a closed volume. */
  void forget(String engine) {
    ordered.remove(engine);
  }

  /** Returns the progress of the rebuild that an engine's spec requests. */
  Map<String, RebuildStatus> status(Engine engine) {
    String replica = engine.spec().rebuildReplica();
    if (replica.isEmpty()) {
      return Map.of();
    }
    Ordered present = ordered.get(engine.name());
    boolean known =
        present != null
            && present.order.attempt() == engine.spec().rebuildAttempt()
            && present.order.target().replica().equals(replica);
    if (known) {
      return Map.of(replica, status(present));
    }
    RebuildStatus earlier = engine.status().rebuildStatus().get(replica);
    return earlier != null && earlier.attempt() == engine.spec().rebuildAttempt()
        ? Map.of(replica, earlier)
        : Map.of();
  }

  private static RebuildStatus status(Ordered of) {
    long total = of.rebuild.map(Rebuild::totalBytes).orElse(0L);
    long done = of.rebuild.map(Rebuild::doneBytes).orElse(0L);
    boolean current = of.ended && of.failure.isEmpty() && of.isCurrent();
    int percent =
        current
            ? 100
            : (int) Math.min(MOST_BEFORE_CURRENT, total <= 0 ? 0 : (long) (100.0 * done / total));
    RebuildState state =
        current ? RebuildState.COMPLETE : of.ended ? RebuildState.ERROR : RebuildState.IN_PROGRESS;
    String error =
        state == RebuildState.ERROR
            ? of.failure
                .map(failure -> String.valueOf(failure.getMessage()))
                .orElse("the rebuild ended, and the replica is not current")
            : "";
    return new RebuildStatus(
        of.order.attempt(), state, percent, new Quantity(done), new Quantity(total), error);
  }
}
