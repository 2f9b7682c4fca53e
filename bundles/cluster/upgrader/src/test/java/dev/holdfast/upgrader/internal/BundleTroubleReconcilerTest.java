package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import dev.holdfast.upgrade.BundleTrouble;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BundleTroubleReconcilerTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final StoreContext first = context("node-1");
  private final List<BundleTrouble> troubles = new ArrayList<>();
  private final BundleTroubleReconciler reconciler =
      new BundleTroubleReconciler(() -> List.copyOf(troubles));

  @BeforeEach
  void resources() throws StorageException {
    for (String name : List.of("node-1", "node-2")) {
      Node unused = store.create(Node.of(name, NodeSpec.EMPTY));
    }
    for (String name : List.of("looping", "well")) {
      Volume unused =
          store.create(Volume.of(name, VolumeSpec.EMPTY.withSize(new Quantity(1 << 20))));
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static BundleTrouble trouble(BundleTrouble.Kind kind, String volume) {
    return new BundleTrouble(
        kind, Instant.EPOCH, 7, "dev.example.loop 1.0.0", volume, "it is at Loop.java:3");
  }

  private StoreContext context(String node) {
    return new StoreContext(store, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC), node);
  }

  /** Returns kinds, names and reasons of the reported warnings. */
  private List<String> reported() {
    List<StoreContext.ReportedEvent> events = first.takeReported();
    assertThat(events).allMatch(StoreContext.ReportedEvent::warning);
    return events.stream()
        .map(
            event ->
                event.about().resourceKind().kind()
                    + " "
                    + event.about().name()
                    + " "
                    + event.reason())
        .toList();
  }

  private void reconcile(StoreContext context) throws StorageException {
    assertThat(reconciler.reconcile(context.nodeName(), context).retryAfter()).isPresent();
  }

  private Optional<Condition> ofVolume(String name) throws StorageException {
    List<Condition> all = store.get(Volume.KIND, name).orElseThrow().status().conditions();
    return Condition.find(all, BundleTroubleReconciler.HEALTHY);
  }

  private Optional<Condition> ofNode() throws StorageException {
    List<Condition> all = store.get(Node.KIND, "node-1").orElseThrow().status().conditions();
    return Condition.find(all, BundleTroubleReconciler.HEALTHY);
  }

  @Test
  void hangingBundleIsReportedOnTheNodeAndItsVolumeWhileItHangs() throws Exception {
    troubles.add(trouble(BundleTrouble.Kind.HANGS, "looping"));
    reconcile(first);
    reconcile(first);
    for (Optional<Condition> said : List.of(ofNode(), ofVolume("looping"))) {
      assertThat(said.orElseThrow().status()).isEqualTo(Condition.Status.FALSE);
      assertThat(said.get().reason()).isEqualTo("BundleHangs");
      assertThat(said.get().message())
          .contains("node node-1", "dev.example.loop 1.0.0", "Loop.java:3");
    }
    assertThat(ofVolume("well")).isEmpty();
    assertThat(reported()).containsExactly("Node node-1 BundleHangs", "Volume looping BundleHangs");

    troubles.clear();
    reconcile(first);
    assertThat(ofNode()).isEmpty();
    assertThat(ofVolume("looping")).isEmpty();
  }

  @Test
  void nodeRemovesOnlyItsOwnReports() throws Exception {
    troubles.add(trouble(BundleTrouble.Kind.FAILS, "looping"));
    reconcile(first);
    troubles.clear();
    reconcile(context("node-2"));
    assertThat(ofVolume("looping").orElseThrow().reason()).isEqualTo("BundleFails");
  }

  @Test
  void troubleWithoutAVolumeIsReportedOnTheNodeOnly() throws Exception {
    troubles.add(trouble(BundleTrouble.Kind.FAILS, ""));
    reconcile(first);
    assertThat(ofNode()).isPresent();
    assertThat(reported()).containsExactly("Node node-1 BundleFails");
  }

  @Test
  void rejectedNameIsASeparateConditionOfTheNode() throws Exception {
    troubles.add(trouble(BundleTrouble.Kind.DUPLICATE_NAME, ""));
    troubles.add(trouble(BundleTrouble.Kind.HANGS, "looping"));
    reconcile(first);

    List<Condition> all = store.get(Node.KIND, "node-1").orElseThrow().status().conditions();
    assertThat(Condition.find(all, BundleTroubleReconciler.UNIQUE))
        .hasValueSatisfying(
            condition -> {
              assertThat(condition.status()).isEqualTo(Condition.Status.FALSE);
              assertThat(condition.reason()).isEqualTo("DuplicateName");
              assertThat(condition.message()).contains("dev.example.loop 1.0.0");
            });
    assertThat(ofNode().orElseThrow().reason()).isEqualTo("BundleHangs");
    assertThat(reported()).contains("Node node-1 DuplicateName");

    troubles.clear();
    reconcile(first);
    assertThat(store.get(Node.KIND, "node-1").orElseThrow().status().conditions()).isEmpty();
  }
}
