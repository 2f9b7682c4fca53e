package dev.holdfast.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The runtime on real threads. The simulation tests faults. */
class ControllerRuntimeTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ThreadedTaskExecutor tasks = new ThreadedTaskExecutor("test");
  private final ControllerRuntime runtime =
      new ControllerRuntime(
          store,
          KindCatalogue.load(),
          "node-1",
          Clock.systemUTC(),
          tasks,
          new Random(1),
          RuntimeSettings.DEFAULT);

  @AfterEach
  void close() {
    runtime.close();
    tasks.close();
    store.close();
  }

  private interface Step {
    Result make(String name, ReconcileContext context) throws StorageException;
  }

  private record Steps(Scope scope, Step step) implements Reconciler<Setting> {
    @Override
    public String name() {
      return "Test Steps";
    }

    @Override
    public ResourceKind<Setting> kind() {
      return Setting.KIND;
    }

    @Override
    public Result reconcile(String name, ReconcileContext context) throws StorageException {
      return step.make(name, context);
    }
  }

  /** A reconciler that is triggered by the node with the name of a setting, which it reads. */
  private record Looking(Step step) implements Reconciler<Setting> {
    @Override
    public String name() {
      return "Looking";
    }

    @Override
    public ResourceKind<Setting> kind() {
      return Setting.KIND;
    }

    @Override
    public Scope scope() {
      return Scope.NODE;
    }

    @Override
    public List<Watched<?>> watches(ReconcileContext context) {
      return List.of(
          new Watched<>(
              Node.KIND,
              node -> context.get(Setting.KIND, node.name()).stream().map(Setting::name).toList()));
    }

    @Override
    public Result reconcile(String name, ReconcileContext context) throws StorageException {
      return step.make(name, context);
    }
  }

  private static void awaitLatch(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whatWasThereAndWhatComesIsReconciled() throws Exception {
    CountDownLatch before = new CountDownLatch(1);
    CountDownLatch after = new CountDownLatch(1);
    store.create(Setting.of("before", new SettingSpec("1")));
    runtime.add(
        new Steps(
            Scope.NODE,
            (name, context) -> {
              (name.equals("before") ? before : after).countDown();
              return Result.DONE;
            }));
    awaitLatch(before);
    store.create(Setting.of("after", new SettingSpec("1")));
    awaitLatch(after);
  }

  @Test
  void mappingOfAWatchLooksNamesUpInTheCache() throws Exception {
    store.create(Setting.of("named", new SettingSpec("1")));
    store.create(Setting.of("other", new SettingSpec("1")));
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(2);
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    runtime.add(
        new Looking(
            (name, context) -> {
              calls.add(name);
              if (name.equals("named")) {
                first.countDown();
                second.countDown();
              }
              return Result.DONE;
            }));
    awaitLatch(first);
    store.create(Node.of("named", NodeSpec.EMPTY));
    awaitLatch(second);
    assertThat(calls).containsOnly("named", "other");
  }

  @Test
  void aFailedStepIsMadeAgain() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    AtomicInteger attempts = new AtomicInteger();
    runtime.add(
        new Steps(
            Scope.NODE,
            (name, context) -> {
              if (attempts.incrementAndGet() < 3) {
                throw new StorageException(ErrorCode.UNREACHABLE, "not yet");
              }
              done.countDown();
              return Result.DONE;
            }));
    store.create(Setting.of("a", new SettingSpec("1")));
    awaitLatch(done);
    assertThat(runtime.statistics().get("Test Steps").failures()).isEqualTo(2);
  }

  @Test
  void removingWaitsForTheRunningStep() throws Exception {
    SynchronousQueue<String> running = new SynchronousQueue<>();
    CountDownLatch finish = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    Steps reconciler =
        new Steps(
            Scope.NODE,
            (name, context) -> {
              try {
                running.put(name);
                finish.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              ended.incrementAndGet();
              return Result.DONE;
            });
    runtime.add(reconciler);
    store.create(Setting.of("a", new SettingSpec("1")));
    assertThat(running.poll(30, TimeUnit.SECONDS)).isEqualTo("a");
    Thread remover = new Thread(() -> runtime.remove(reconciler));
    remover.start();
    while (remover.getState() == Thread.State.NEW || remover.getState() == Thread.State.RUNNABLE) {
      Thread.onSpinWait(); // until it waits for the step
    }
    store.update(store.get(Setting.KIND, "a").orElseThrow().withSpec(new SettingSpec("2")));
    assertThat(remover.isAlive()).isTrue();
    assertThat(ended).hasValue(0);
    finish.countDown();
    remover.join(TimeUnit.SECONDS.toMillis(30));
    assertThat(remover.isAlive()).isFalse();
    assertThat(ended).hasValue(1);
  }

  @Test
  void oneNameIsNeverWorkedOnTwiceAtATimeAndNoChangeIsMissed() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger overlaps = new AtomicInteger();
    CountDownLatch last = new CountDownLatch(1);
    runtime.add(
        new Steps(
            Scope.NODE,
            (name, context) -> {
              overlaps.addAndGet(inside.incrementAndGet() - 1);
              boolean seen =
                  context.get(Setting.KIND, name).orElseThrow().spec().value().equals("200");
              inside.decrementAndGet();
              if (seen) {
                last.countDown();
              }
              return Result.DONE;
            }));
    Setting setting = store.create(Setting.of("a", new SettingSpec("0")));
    for (int i = 1; i <= 200; i++) {
      setting = store.update(setting.withSpec(new SettingSpec(Integer.toString(i))));
    }
    awaitLatch(last);
    assertThat(overlaps).hasValue(0);
  }

  @Test
  void aClusterReconcilerHoldsItsLeaseAndGivesItBack() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    store.create(Setting.of("a", new SettingSpec("1")));
    Steps reconciler =
        new Steps(
            Scope.CLUSTER,
            (name, context) -> {
              done.countDown();
              return Result.DONE;
            });
    runtime.add(reconciler);
    awaitLatch(done);
    assertThat(holder()).contains("node-1");
    runtime.remove(reconciler);
    assertThat(holder()).contains("");
  }

  private Optional<String> holder() {
    return store
        .get(Lease.KIND, "reconciler-test-steps")
        .map(lease -> lease.spec().holderIdentity());
  }

  @Test
  void aLoopInOneReconcilerIsReportedOnItsResourceAndOthersContinue() throws Exception {
    try (ControllerRuntime watched =
        new ControllerRuntime(
            store,
            KindCatalogue.load(),
            "node-1",
            Clock.systemUTC(),
            tasks,
            new Random(1),
            RuntimeSettings.DEFAULT.withLateAfter(Duration.ofMillis(50)))) {
      CountDownLatch told = new CountDownLatch(1);
      CountDownLatch others = new CountDownLatch(1);
      store.watch(
          Event.KIND,
          store.list(Event.KIND, LabelSelector.ALL).resourceVersion(),
          new EventOf("ReconcilerHangs", "dev.example.loop 1.0.0", told));
      Steps loop =
          new Steps(
              Scope.NODE,
              (name, context) -> {
                while (!Thread.interrupted()) {
                  Thread.onSpinWait();
                }
                return Result.DONE;
              });
      watched.add(loop, "dev.example.loop 1.0.0");
      watched.add(
          new Steps(
              Scope.NODE,
              (name, context) -> {
                others.countDown();
                return Result.DONE;
              }));
      store.create(Setting.of("looping", new SettingSpec("1")));
      awaitLatch(told);
      awaitLatch(others);
      assertThat(watched.troubles())
          .singleElement()
          .matches(trouble -> trouble.hangs() && trouble.resource().equals("looping"))
          .matches(trouble -> trouble.origin().equals("dev.example.loop 1.0.0"));
      watched.remove(loop);
      assertThat(watched.troubles()).isEmpty();
    }
  }

  @Test
  void aReconcilerThatFailsAgainAndAgainIsReportedOnItsResource() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    store.watch(
        Event.KIND,
        store.list(Event.KIND, LabelSelector.ALL).resourceVersion(),
        new EventOf("ReconcilerFails", "dev.example.broken 1.0.0", told));
    runtime.add(
        new Steps(
            Scope.NODE,
            (name, context) -> {
              throw new IllegalStateException("planted");
            }),
        "dev.example.broken 1.0.0");
    store.create(Setting.of("broken", new SettingSpec("1")));
    awaitLatch(told);
    assertThat(runtime.troubles())
        .singleElement()
        .matches(trouble -> !trouble.hangs() && trouble.message().contains("planted"));
  }

  private record EventOf(String reason, String text, CountDownLatch seen)
      implements WatchListener<Event> {
    @Override
    public void changed(WatchEvent<Event> event) {
      EventSpec spec = event.resource().spec();
      if (spec.reason().equals(reason) && spec.message().contains(text)) {
        seen.countDown();
      }
    }

    /** The watch ends with the store at the latest. */
    @Override
    public void ended(StorageException cause) {}
  }
}
