package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.DesireState;
import dev.holdfast.resource.Engine;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreExportStateTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final StoreExportState state = new StoreExportState(() -> store, Resources.ENGINE);

  @BeforeEach
  void create() throws Exception {
    Engine engine = Resources.engine("node-1", DesireState.RUNNING);
    store.create(
        engine.withMetadata(engine.metadata().withAnnotations(Map.of("example.org/a", "b"))));
  }

  @Test
  void textsAreThereForTheNextPublication() throws Exception {
    assertThat(state.load()).isEmpty();
    state.save(Map.of("reservations", "a\nb", "other", "c"));
    assertThat(new StoreExportState(() -> store, Resources.ENGINE).load())
        .isEqualTo(Map.of("reservations", "a\nb", "other", "c"));
    state.save(Map.of("other", "d"));
    assertThat(state.load()).isEqualTo(Map.of("other", "d"));
  }

  @Test
  void othersAnnotationsStay() throws Exception {
    state.save(Map.of("other", "d"));
    state.save(Map.of());
    assertThat(store.get(Engine.KIND, Resources.ENGINE).orElseThrow().metadata().annotations())
        .isEqualTo(Map.of("example.org/a", "b"));
  }

  @Test
  void anEngineThatIsGoneKeepsNothing() throws Exception {
    Engine stored = store.get(Engine.KIND, Resources.ENGINE).orElseThrow();
    StoreExportState other = new StoreExportState(() -> store, stored.metadata().name() + "-x");
    assertThatThrownBy(() -> other.save(Map.of("a", "b")))
        .isInstanceOfSatisfying(
            StorageException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }
}
