package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreExportStateTest {
  private static final String TEXT = ExportState.RESERVATIONS;

  private final MemoryResourceStore store = new MemoryResourceStore();
  private boolean admits;
  private final StoreExportState state = published("node-1");

  @BeforeEach
  void create() throws Exception {
    Engine engine = VolumeResources.engine("node-1", DesireState.RUNNING);
    Engine created =
        store.create(
            engine.withMetadata(engine.metadata().withAnnotations(Map.of("example.org/a", "b"))));
    store.updateStatus(created.withStatus(created.status().withNodeID("node-1")));
  }

  private StoreExportState published(String node) {
    return new StoreExportState(() -> store, VolumeResources.ENGINE, node, () -> admits);
  }

  private void migratable() throws Exception {
    VolumeSpec spec =
        VolumeSpec.EMPTY
            .withSize(VolumeResources.SIZE)
            .withAccessMode(AccessMode.READ_WRITE_MANY)
            .withMigratable(true);
    store.create(Volume.of(VolumeResources.VOLUME, spec));
  }

  private Engine engine() throws StorageException {
    return store.get(Engine.KIND, VolumeResources.ENGINE).orElseThrow();
  }

  /** Writes the parts of the engine that the volume controller and the nodes own. */
  private void engine(UnaryOperator<EngineSpec> spec, UnaryOperator<EngineStatus> status)
      throws StorageException {
    Engine written = store.update(engine().withSpec(spec.apply(engine().spec())));
    store.updateStatus(written.withStatus(status.apply(written.status())));
  }

  private static void assertRefused(StoreExportState state) {
    assertThatThrownBy(() -> state.replace(TEXT, Optional.of("1"), Optional.of("refused"), true))
        .hasMessageContaining("is moving between nodes")
        .isInstanceOfSatisfying(
            StorageException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.BUSY));
  }

  private static boolean replace(StoreExportState state, String expected, String next)
      throws StorageException {
    return state.replace(TEXT, Optional.of(expected), Optional.of(next), true);
  }

  @Test
  void nothingChangesUntilOneNodeHasTheVolumeAlone() throws Exception {
    StoreExportState target = published("node-2");
    state.save(Map.of(TEXT, "1"));
    engine(spec -> spec.withMigrationNodeID("node-2"), status -> status);
    assertRefused(state);
    engine(spec -> spec, status -> status.withMigrationNodeID("node-2"));
    assertThat(target.load()).isEqualTo(Map.of(TEXT, "1"));
    assertRefused(state);
    assertRefused(target);
    engine(spec -> spec.withMigrationNodeID("").withNodeID("node-2"), status -> status);
    assertRefused(state);
    assertRefused(target);
    engine(spec -> spec, status -> status.withNodeID("node-2"));
    assertRefused(target);
    engine(spec -> spec, status -> status.withMigrationNodeID(""));
    assertRefused(state);
    assertThat(replace(target, "1", "2")).isTrue();
    assertThat(target.load()).isEqualTo(Map.of(TEXT, "2"));
  }

  @Test
  void afterARollBackChangesWaitUntilTheOtherNodeIsFenced() throws Exception {
    state.save(Map.of(TEXT, "1"));
    admits = true;
    engine(spec -> spec, status -> status.withMigrationNodeID("node-2"));
    assertRefused(state);
    engine(spec -> spec, status -> status.withMigrationNodeID(""));
    assertRefused(state);
    admits = false;
    assertThat(replace(state, "1", "2")).isTrue();
  }

  @Test
  void textIsReplacedOnlyByAWriterThatReadIt() throws Exception {
    state.save(Map.of(TEXT, "1", "other", "c"));
    assertThat(replace(state, "0", "2")).isFalse();
    assertThat(state.replace(TEXT, Optional.empty(), Optional.of("2"), true)).isFalse();
    assertThat(replace(state, "1", "2")).isTrue();
    assertThat(state.load()).isEqualTo(Map.of(TEXT, "2", "other", "c"));
    assertThat(state.replace(TEXT, Optional.of("2"), Optional.empty(), true)).isTrue();
    assertThat(state.load()).isEqualTo(Map.of("other", "c"));
  }

  @Test
  void reservationsThatNeedNotLastMoveWithTheVolumeAndEndWithItsExport() throws Exception {
    migratable();
    assertThat(state.load()).isEmpty();
    assertThat(state.keeps(TEXT)).isTrue();
    assertThat(state.keeps("other")).isFalse();
    assertThat(state.replace(TEXT, Optional.empty(), Optional.of("1"), false)).isTrue();
    assertThat(state.load()).isEqualTo(Map.of(TEXT, "1"));
    engine(spec -> spec.withMigrationNodeID("node-2"), status -> status);
    assertThat(published("node-2").load()).isEqualTo(Map.of(TEXT, "1"));
    engine(spec -> spec.withMigrationNodeID(""), status -> status);
    assertThat(published("node-1").load()).isEmpty();
  }

  @Test
  void volumeThatDoesNotMigrateKeepsOnlyDurableTexts() throws Exception {
    assertThat(state.load()).isEmpty();
    assertThat(state.keeps(TEXT)).isFalse();
  }

  @Test
  void textsAreThereForTheNextPublication() throws Exception {
    assertThat(state.load()).isEmpty();
    state.save(Map.of("reservations", "a\nb", "other", "c"));
    assertThat(published("node-1").load()).isEqualTo(Map.of("reservations", "a\nb", "other", "c"));
    state.save(Map.of("other", "d"));
    assertThat(state.load()).isEqualTo(Map.of("other", "d"));
  }

  @Test
  void othersAnnotationsStay() throws Exception {
    state.save(Map.of("other", "d"));
    state.save(Map.of());
    assertThat(
            store.get(Engine.KIND, VolumeResources.ENGINE).orElseThrow().metadata().annotations())
        .isEqualTo(Map.of("example.org/a", "b"));
  }

  @Test
  void deletedEngineKeepsNoTexts() throws Exception {
    Engine stored = store.get(Engine.KIND, VolumeResources.ENGINE).orElseThrow();
    StoreExportState other =
        new StoreExportState(() -> store, stored.metadata().name() + "-x", "node-1", () -> false);
    assertThatThrownBy(() -> other.save(Map.of("a", "b")))
        .isInstanceOfSatisfying(
            StorageException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }
}
