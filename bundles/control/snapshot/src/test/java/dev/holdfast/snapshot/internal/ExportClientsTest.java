package dev.holdfast.snapshot.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Exports of clients that stopped renewing. */
class ExportClientsTest {
  private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");
  private static final String CLIENT = Snapshot.EXPORT_CLIENT_PREFIX + "one";

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final SetClock clock = new SetClock();
  private final ExportClientsReconciler reconciler = new ExportClientsReconciler();

  /** A clock that a test advances. */
  private static final class SetClock extends Clock {
    private Instant now = NOON;

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void exported(Map<String, String> annotations) throws StorageException {
    Snapshot wanted = Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("v").withExported(true));
    store.create(wanted.withMetadata(wanted.metadata().withAnnotations(annotations)));
  }

  private Optional<Snapshot> found() throws StorageException {
    return store.get(Snapshot.KIND, "s");
  }

  private void renew(String value) throws StorageException {
    Map<String, String> annotations = new HashMap<>(found().orElseThrow().metadata().annotations());
    annotations.put(CLIENT, value);
    Snapshot present = found().orElseThrow();
    store.update(present.withMetadata(present.metadata().withAnnotations(annotations)));
  }

  /** Reconciles after each period. A check caused by an event in between does not count. */
  private void pass(int periods) throws StorageException {
    StoreContext context = new StoreContext(store, clock, "node-1");
    for (int i = 0; i < periods; i++) {
      clock.now = clock.now.plus(ExportClientsReconciler.CHECK);
      reconciler.reconcile("s", context);
      reconciler.reconcile("s", context);
    }
  }

  @Test
  void exportOfAKilledClientEnds() throws Exception {
    exported(Map.of(CLIENT, "1", "other", "stays"));
    pass(ExportClientsReconciler.CHECKS);
    assertThat(found().orElseThrow().spec().exported()).isTrue();
    pass(1);
    assertThat(found().orElseThrow().spec().exported()).isFalse();
    assertThat(found().orElseThrow().metadata().annotations()).isEqualTo(Map.of("other", "stays"));
  }

  @Test
  void snapshotThatAKilledClientTookIsDeleted() throws Exception {
    exported(Map.of(CLIENT, "1", Snapshot.TAKEN_FOR_EXPORT_ANNOTATION, "true"));
    pass(ExportClientsReconciler.CHECKS + 1);
    assertThat(found()).isEmpty();
  }

  @Test
  void exportStaysWhileItsClientRenewsWhateverTheTimeThatItWrites() throws Exception {
    exported(Map.of(CLIENT, "1970-01-01T00:00:00Z"));
    for (int i = 0; i < 20; i++) {
      pass(ExportClientsReconciler.CHECKS - 1);
      renew("1970-01-01T00:00:0" + (i + 1) % 2 + "Z");
    }
    assertThat(found().orElseThrow().spec().exported()).isTrue();
  }

  @Test
  void exportStaysWhileAnotherClientRenews() throws Exception {
    exported(Map.of(CLIENT, "1", Snapshot.EXPORT_CLIENT_PREFIX + "dead", "1"));
    for (int i = 0; i < 4; i++) {
      pass(2);
      renew("at " + i);
    }
    assertThat(found().orElseThrow().exportClients()).containsOnlyKeys(CLIENT);
    assertThat(found().orElseThrow().spec().exported()).isTrue();
  }

  @Test
  void clockThatIsSetForwardEndsNoExport() throws Exception {
    exported(Map.of(CLIENT, "1"));
    pass(1);
    clock.now = clock.now.plus(Duration.ofDays(1));
    pass(2);
    assertThat(found().orElseThrow().spec().exported()).isTrue();
  }

  @Test
  void exportOfAUserStays() throws Exception {
    exported(Map.of());
    pass(3 * ExportClientsReconciler.CHECKS);
    assertThat(found().orElseThrow().spec().exported()).isTrue();
  }
}
