package dev.holdfast.controller.runtime;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.metrics.BucketCounter;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Runs one reconciler: feeds its queue from informers once all of them are complete, holds its
 * lease if it needs one, and retries failed steps.
 */
final class Controller<R extends Resource<R>> {
  private static final Logger LOG = LoggerFactory.getLogger(Controller.class);
  private static final int MOST_CONFLICTS = 50;
  private static final int DEFECTS_TO_TELL = 3;
  private static final double NANOS = 1e9;

  private final Reconciler<R> reconciler;
  private final String origin;
  private final ReconcileContext context;
  private final Informers informers;
  private final RuntimeSettings settings;
  private final RandomGenerator random;
  private final WorkQueue queue;
  private final Backoff backoff;
  private final Optional<LeaseElector> elector;
  private final List<Runnable> unsubscribe = new ArrayList<>();
  private final AtomicInteger unsynced = new AtomicInteger();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();
  private final Map<String, Integer> conflicts = new ConcurrentHashMap<>();
  private final Map<String, ReconcilerTrouble> troubles = new ConcurrentHashMap<>();
  private final LongAdder steps = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder conflicted = new LongAdder();
  private final BucketCounter times = new BucketCounter(MetricDefinition.REQUEST_SECONDS);
  private final TaskExecutor tasks;
  private boolean elected;
  private boolean active;

  Controller(
      Reconciler<R> reconciler,
      String origin,
      ReconcileContext context,
      Informers informers,
      TaskExecutor tasks,
      RandomGenerator random,
      RuntimeSettings settings) {
    this.reconciler = reconciler;
    this.origin = origin;
    this.context = context;
    this.informers = informers;
    this.settings = settings;
    this.tasks = tasks;
    this.random = random;
    this.queue =
        new WorkQueue(tasks, settings.workers(), this::step, settings.lateAfter(), this::hangs);
    this.backoff = new Backoff(settings.firstRetry(), settings.longestRetry());
    this.elector =
        switch (reconciler.scope()) {
          case NODE -> Optional.empty();
          case CLUSTER ->
              Optional.of(
                  new LeaseElector(
                      LeaseElector.nameFor(reconciler.name()),
                      context.nodeName(),
                      context.store(),
                      context.clock(),
                      tasks,
                      settings,
                      this::elected));
        };
    this.elected = reconciler.scope() == Scope.NODE;
  }

  void start() {
    List<Watched<?>> watched = reconciler.watches(context);
    unsynced.set(1 + watched.size());
    subscribe(reconciler.kind(), resource -> List.of(resource.name()));
    watched.forEach(this::subscribe);
    elector.ifPresent(LeaseElector::start);
  }

  private <S extends Resource<S>> void subscribe(Watched<S> watched) {
    subscribe(watched.kind(), watched.names().orElse(changed -> known()));
  }

  private <S extends Resource<S>> void subscribe(
      ResourceKind<S> kind, Function<S, Collection<String>> names) {
    Informer<S> informer = informers.of(kind);
    Informer.Handler<S> handler =
        new Informer.Handler<>() {
          private boolean counted;

          @Override
          public void synced() {
            synchronized (this) {
              if (counted) {
                return;
              }
              counted = true;
            }
            unsynced.decrementAndGet();
            activate();
          }

          @Override
          public void touched(S resource) {
            woken(names, resource).forEach(queue::add);
          }
        };
    unsubscribe.add(() -> informer.removeHandler(handler));
    informer.addHandler(handler);
  }

  /**
   * Returns the names that a change triggers. While a cache is being filled, a mapping that reads
   * it may miss names.
   */
  private <S> Collection<String> woken(Function<S, Collection<String>> names, S changed) {
    try {
      return names.apply(changed);
    } catch (NotSynced e) {
      return known();
    }
  }

  /** Accepts no new work, and returns when all running steps except hanging ones have ended. */
  void close() {
    unsubscribe.forEach(Runnable::run);
    for (String name : queue.close()) {
      LOG.error(
          "{} of bundle {} does not end its step for {}: its thread was interrupted and is left",
          reconciler.name(),
          origin,
          name);
    }
    elector.ifPresent(LeaseElector::close);
  }

  private void elected(boolean holding) {
    synchronized (this) {
      elected = holding;
      if (!holding) {
        active = false;
        queue.pause();
      }
    }
    activate();
  }

  private void activate() {
    synchronized (this) {
      if (active || !elected || unsynced.get() > 0) {
        return;
      }
      active = true;
    }
    known().forEach(queue::add);
    queue.resume();
  }

  private List<String> known() {
    return informers.of(reconciler.kind()).mirror().list(LabelSelector.ALL).stream()
        .map(Resource::name)
        .toList();
  }

  private void step(String name) {
    long began = tasks.nanoTime();
    try {
      logContext(name).forEach(MDC::put);
      Result result = reconciler.reconcile(name, context);
      steps.increment();
      failures.remove(name);
      conflicts.remove(name);
      troubles.remove(name);
      result.retryAfter().ifPresent(delay -> queue.addAfter(name, delay));
    } catch (NotSynced e) {
      queue.addAfter(name, settings.conflictRetry());
    } catch (StorageException e) {
      retry(name, e);
    } catch (RuntimeException | LinkageError e) {
      LOG.error(
          "{}: {} {}: a defect; trying again",
          reconciler.name(),
          reconciler.kind().singular(),
          name,
          e);
      queue.addAfter(name, nextDelay(name));
      if (failures.getOrDefault(name, 0) == DEFECTS_TO_TELL) {
        tell(name, false, "fails again and again: " + e);
      }
    } finally {
      times.observe((tasks.nanoTime() - began) / NANOS);
      troubles.computeIfPresent(name, (same, trouble) -> trouble.hangs() ? null : trouble);
      MDC.clear();
    }
  }

  /** Returns the values that each log line of this step has. */
  private Map<String, String> logContext(String name) {
    return LogContext.of(
        reconciler.kind(),
        name,
        context.get(reconciler.kind(), name),
        Map.of(
            "node", context.nodeName(),
            "reconciler", reconciler.name(),
            "attempt", String.valueOf(failures.getOrDefault(name, 0) + 1)));
  }

  /** Reports a step that hangs, for example in an endless loop or an endless wait. */
  private void hangs(String name) {
    LOG.error(
        "{} of bundle {} has worked on {} for more than {}: other work continues without it",
        reconciler.name(),
        origin,
        name,
        settings.lateAfter());
    tell(name, true, "does not end a step that began " + settings.lateAfter() + " ago");
  }

  private void tell(String name, boolean hangs, String what) {
    String text = "reconciler " + reconciler.name() + " of bundle " + origin + " " + what;
    troubles.put(
        name,
        new ReconcilerTrouble(
            hangs,
            context.clock().instant(),
            reconciler.name(),
            origin,
            reconciler.kind().kind(),
            name,
            text));
    informers
        .of(reconciler.kind())
        .mirror()
        .get(name)
        .ifPresent(
            resource ->
                context
                    .events()
                    .warning(resource, hangs ? "ReconcilerHangs" : "ReconcilerFails", text));
  }

  private void retry(String name, StorageException e) {
    if (e.code() == ErrorCode.CONFLICT) {
      conflicted.increment();
      int inARow = Math.min(conflicts.merge(name, 1, Integer::sum), MOST_CONFLICTS);
      long spread = settings.conflictRetry().toNanos() * inARow;
      queue.addAfter(name, Duration.ofNanos((long) (spread * (0.5 + random.nextDouble()))));
      return;
    }
    Duration delay = nextDelay(name);
    String text = "{}: {}; attempt {}, again in {} ms";
    int attempt = failures.getOrDefault(name, 0);
    if (attempt == 1 && e.code() != ErrorCode.INTERNAL) {
      LOG.warn(text, reconciler.name(), e.getMessage(), attempt, delay.toMillis());
    } else if (e.code() == ErrorCode.INTERNAL) {
      LOG.error(text, reconciler.name(), e.getMessage(), attempt, delay.toMillis(), e);
    } else {
      LOG.debug(text, reconciler.name(), e.getMessage(), attempt, delay.toMillis());
    }
    queue.addAfter(name, delay);
  }

  private Duration nextDelay(String name) {
    failed.increment();
    return backoff.after(failures.merge(name, 1, Integer::sum), random);
  }

  /** Returns the current troubles of its reconciler. */
  Collection<ReconcilerTrouble> troubles() {
    return List.copyOf(troubles.values());
  }

  ControllerStatistics statistics() {
    boolean now;
    synchronized (this) {
      now = active;
    }
    return new ControllerStatistics(
        now,
        elector.isPresent(),
        steps.sum(),
        failed.sum(),
        conflicted.sum(),
        queue.size(),
        times.counts());
  }
}
