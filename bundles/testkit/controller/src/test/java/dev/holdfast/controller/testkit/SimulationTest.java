package dev.holdfast.controller.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The simulation itself, and through it the runtime, by a reconciler that makes a copy. */
class SimulationTest {
  private static final String COPY = "-copy";

  /** Keeps a copy of every setting's value in a second setting. */
  private record Copier(Scope scope, List<String> trace) implements Reconciler<Setting> {
    @Override
    public String name() {
      return "copier";
    }

    @Override
    public ResourceKind<Setting> kind() {
      return Setting.KIND;
    }

    @Override
    public Result reconcile(String name, ReconcileContext context) throws StorageException {
      if (name.endsWith(COPY)) {
        return Result.DONE;
      }
      trace.add(context.nodeName() + " " + name + " " + context.clock().instant());
      Optional<Setting> setting = context.get(Setting.KIND, name);
      if (setting.isEmpty()) {
        return Result.DONE;
      }
      Optional<Setting> copy = context.get(Setting.KIND, name + COPY);
      if (copy.isEmpty()) {
        Setting created = context.store().create(Setting.of(name + COPY, setting.get().spec()));
        assertThat(context.get(Setting.KIND, created.name())).contains(created);
      } else if (!copy.get().spec().equals(setting.get().spec())) {
        Setting updated = context.store().update(copy.get().withSpec(setting.get().spec()));
        assertThat(context.get(Setting.KIND, updated.name()).orElseThrow().spec())
            .isEqualTo(updated.spec());
      }
      return Result.DONE;
    }
  }

  private static List<String> play(long seed, Scope scope) throws StorageException {
    List<String> trace = new ArrayList<>();
    Simulation simulation =
        Simulation.builder(seed)
            .reconciler("node-1", () -> new Copier(scope, trace))
            .reconciler("node-2", () -> new Copier(scope, trace))
            .reconciler("node-3", () -> new Copier(scope, trace))
            .build();
    for (int i = 0; i < 20; i++) {
      String name = "s" + simulation.random().nextInt(4);
      String value = Integer.toString(i);
      simulation.after(
          Duration.ofMillis(simulation.random().nextInt(90_000)), s -> set(s, name, value));
    }
    simulation.run(Duration.ofSeconds(90));
    simulation.calm();
    simulation.runUntil("all copied", Duration.ofMinutes(3), SimulationTest::copied);
    return trace;
  }

  private static void set(ResourceStore store, String name, String value) throws StorageException {
    Optional<Setting> present = store.get(Setting.KIND, name);
    if (present.isPresent()) {
      store.update(present.get().withSpec(new SettingSpec(value)));
    } else {
      store.create(Setting.of(name, new SettingSpec(value)));
    }
  }

  private static boolean copied(ResourceStore store) throws StorageException {
    for (Setting setting : store.list(Setting.KIND, LabelSelector.ALL).items()) {
      if (!setting.name().endsWith(COPY)
          && !store
              .get(Setting.KIND, setting.name() + COPY)
              .map(Setting::spec)
              .equals(Optional.of(setting.spec()))) {
        return false;
      }
    }
    return true;
  }

  /** Notes what it is called for; any change of a node wakes it for all. */
  private record WokenByNodes(Set<String> called) implements Reconciler<Setting> {
    @Override
    public String name() {
      return "woken by nodes";
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
    public List<Watched<?>> watches() {
      return List.of(Watched.wakingAll(Node.KIND));
    }

    @Override
    public Result reconcile(String name, ReconcileContext context) {
      called.add(name);
      return Result.DONE;
    }
  }

  private static Set<String> calledAfter(Simulation simulation, Set<String> called) {
    called.clear();
    simulation.run(Duration.ofMinutes(1));
    return Set.copyOf(called);
  }

  @Test
  void aKindThatWakesAllWakesEveryNameThatIsThereThen() throws Exception {
    Set<String> called = new HashSet<>();
    Simulation simulation =
        Simulation.builder(1)
            .faults(Faults.NONE)
            .reconciler("node-1", () -> new WokenByNodes(called))
            .build();
    ResourceStore store = simulation.store();
    set(store, "a", "1");
    set(store, "b", "1");
    assertThat(calledAfter(simulation, called)).containsExactlyInAnyOrder("a", "b");
    assertThat(calledAfter(simulation, called)).isEmpty();
    Node node = store.create(Node.of("n", NodeSpec.EMPTY));
    assertThat(calledAfter(simulation, called)).containsExactlyInAnyOrder("a", "b");
    store.delete(Setting.KIND, "b", "");
    assertThat(calledAfter(simulation, called)).containsExactly("b");
    store.update(node.withSpec(node.spec().withAllowScheduling(!node.spec().allowScheduling())));
    assertThat(calledAfter(simulation, called)).containsExactly("a");
    store.delete(Node.KIND, "n", "");
    assertThat(calledAfter(simulation, called)).containsExactly("a");
  }

  @Test
  void everyNodeConvergesWhenFaultsStop() throws Exception {
    Histories.play(150, seed -> play(seed, Scope.NODE));
  }

  @Test
  void theLeaseHolderConvergesWhenFaultsStop() throws Exception {
    Histories.play(150, seed -> play(seed, Scope.CLUSTER));
  }

  @Test
  void theSameSeedGivesTheSameHistory() throws Exception {
    assertThat(play(7, Scope.CLUSTER)).isEqualTo(play(7, Scope.CLUSTER));
    assertThat(play(7, Scope.NODE)).isNotEqualTo(play(8, Scope.NODE));
  }

  @Test
  void aBrokenInvariantNamesTheSeed() throws Exception {
    AssertionError failure =
        Histories.firstFailure(
            1,
            seed -> {
              Simulation simulation =
                  Simulation.builder(seed)
                      .reconciler("node-1", () -> new Copier(Scope.NODE, new ArrayList<>()))
                      .invariant(
                          "no copies", s -> assertThat(s.get(Setting.KIND, "a-copy")).isEmpty())
                      .build();
              set(simulation.store(), "a", "1");
              simulation.run(Duration.ofMinutes(1));
            });
    assertThat(failure).hasMessageContaining("seed 1").hasMessageContaining("no copies");
  }

  @Test
  void aGoalThatIsNotReachedFails() throws Exception {
    AssertionError failure =
        Histories.firstFailure(
            1,
            seed ->
                Simulation.builder(seed)
                    .reconciler("node-1", () -> new Copier(Scope.NODE, new ArrayList<>()))
                    .build()
                    .runUntil("never", Duration.ofSeconds(30), s -> false));
    assertThat(failure).hasMessageContaining("never");
  }
}
