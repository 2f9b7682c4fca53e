package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.Membership;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.FaultSchedule;
import dev.holdfast.store.memory.FaultyResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreMembershipRegisterTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private StoreMembershipRegister register;

  @BeforeEach
  void create() throws Exception {
    store.create(VolumeResources.engine("node-1", DesireState.RUNNING));
    register = register(store);
  }

  private StoreMembershipRegister register(ResourceStore through) throws StorageException {
    return new StoreMembershipRegister(
        () -> through, "node-1", VolumeResources.ENGINE, stored().metadata().uid());
  }

  private Engine stored() throws StorageException {
    return store.get(Engine.KIND, VolumeResources.ENGINE).orElseThrow();
  }

  private static Membership generation(long generation) {
    return new Membership(
        generation, "node-1", generation, 1, new TreeSet<>(Set.of("id-a", "id-b")));
  }

  @Test
  void aVolumeThatWasNeverOpenedHasNoMembership() throws Exception {
    assertThat(register.read()).isEqualTo(Membership.NONE);
  }

  @Test
  void theRecordIsReplacedOnlyIfItIsTheExpectedOne() throws Exception {
    assertThat(register.compareAndSet(Membership.NONE, generation(1))).isTrue();
    assertThat(register.compareAndSet(Membership.NONE, generation(2))).isFalse();
    assertThat(register.read()).isEqualTo(generation(1));
    assertThat(register.compareAndSet(generation(1), generation(2))).isTrue();
    assertThat(register.read()).isEqualTo(generation(2));
  }

  @Test
  void otherFieldsMayChangeDuringAWrite() throws Exception {
    ResourceStore busy =
        new FaultyResourceStore(
            store,
            (operation, kind, name) -> {
              changeEndpoint();
              return FaultSchedule.Fault.NONE;
            });
    endpointChanges = 5;
    assertThat(register(busy).compareAndSet(Membership.NONE, generation(1))).isTrue();
    assertThat(endpointChanges).isZero();
    assertThat(register.read()).isEqualTo(generation(1));
    assertThat(stored().status().endpoint()).isEqualTo("nbd://1");
  }

  private int endpointChanges;

  private void changeEndpoint() {
    if (endpointChanges > 0) {
      try {
        Engine engine = stored();
        store.updateStatus(
            engine.withStatus(engine.status().withEndpoint("nbd://" + endpointChanges--)));
      } catch (StorageException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void aStatusReportKeepsTheMembership() throws Exception {
    register.compareAndSet(Membership.NONE, generation(1));
    EngineReporter.report(
        store,
        VolumeResources.ENGINE,
        engine -> engine.withStatus(EngineStatuses.stopped(engine, java.time.Instant.EPOCH)));
    assertThat(register.read()).isEqualTo(generation(1));
  }

  @Test
  void aLostAnswerIsReportedAsUnknown() throws Exception {
    StoreMembershipRegister faulty =
        register(
            new FaultyResourceStore(store, (operation, kind, name) -> FaultSchedule.Fault.AFTER));
    assertThatThrownBy(() -> faulty.compareAndSet(Membership.NONE, generation(1)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
    assertThat(register.read()).isEqualTo(generation(1));
  }

  @Test
  void unauthorizedStoreLeavesMembershipUndecided() throws Exception {
    String uid = stored().metadata().uid();
    StoreMembershipRegister refused =
        new StoreMembershipRegister(() -> refusing(), "node-1", VolumeResources.ENGINE, uid);
    for (Callable<?> call :
        List.<Callable<?>>of(
            refused::read, () -> refused.compareAndSet(Membership.NONE, generation(1)))) {
      assertThatThrownBy(call::call)
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }
    assertThat(register.read()).isEqualTo(Membership.NONE);
  }

  /** Behaves like an API server that does not know its nodes yet. */
  private static ResourceStore refusing() {
    return (ResourceStore)
        Proxy.newProxyInstance(
            ResourceStore.class.getClassLoader(),
            new Class<?>[] {ResourceStore.class},
            (proxy, method, arguments) -> {
              throw new StorageException(ErrorCode.FORBIDDEN, "Unauthorized: send the token");
            });
  }

  /** The node was isolated, and its copy of the engine is stale. */
  @Test
  void aNodeDoesNotTakeAVolumeBackThatIsAnothersNow() throws Exception {
    register.compareAndSet(Membership.NONE, generation(1));
    Engine engine = stored();
    store.update(engine.withSpec(engine.spec().withNodeID("node-2")));

    assertThatThrownBy(() -> register.compareAndSet(generation(1), generation(2)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("node-1");
    assertThat(register.read()).isEqualTo(generation(1));
  }

  @Test
  void openVolumesOfANodeAreRecordedUntilTheyAreClosed() throws Exception {
    register.compareAndSet(Membership.NONE, generation(1));
    Engine engine = stored();
    store.update(engine.withSpec(engine.spec().withNodeID("node-2")));
    Membership dropped = new Membership(1, "node-1", 1, 2, new TreeSet<>(Set.of("id-a")));

    assertThat(register.compareAndSet(generation(1), dropped)).isTrue();
    assertThat(register.read()).isEqualTo(dropped);
  }

  @Test
  void anotherEngineOfTheSameNameIsNotMistaken() throws Exception {
    store.delete(Engine.KIND, VolumeResources.ENGINE, "");
    store.create(VolumeResources.engine("node-1", DesireState.RUNNING));
    assertThatThrownBy(() -> register.compareAndSet(Membership.NONE, generation(1)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }

  @Test
  void concurrentWritersDecideOneAfterAnother() throws Exception {
    int threads = 4;
    int each = 50;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Callable<Integer>> writers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      writers.add(
          () -> {
            int lost = 0;
            for (int done = 0; done < each; ) {
              Membership seen = register.read();
              if (register.compareAndSet(seen, generation(seen.generation() + 1))) {
                done++;
              } else {
                lost++;
              }
            }
            return lost;
          });
    }
    for (Future<Integer> lost : pool.invokeAll(writers, 60, TimeUnit.SECONDS)) {
      assertThat(lost.get()).isNotNegative();
    }
    pool.shutdown();
    assertThat(register.read().generation()).isEqualTo((long) threads * each);
  }
}
