package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.cluster.LogLevelRule;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Settings settings = new Settings(store);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void valueIsSetAndUnset() throws Exception {
    assertThat(settings.set("replica-auto-balance", "best-effort").spec().value())
        .isEqualTo("best-effort");
    assertThat(settings.set("replica-auto-balance", "least-effort").spec().value())
        .isEqualTo("least-effort");
    assertThat(settings.get("replica-auto-balance").spec().value()).isEqualTo("least-effort");

    assertThat(settings.set("replica-auto-balance", "").spec().value()).isEmpty();
    assertThat(settings.list().items()).hasSize(1);
  }

  /** Creates each resource in the name of another writer just before the caller creates it. */
  private static final class RacingStore extends ForwardingResourceStore {
    private final ResourceStore raced;

    RacingStore(ResourceStore raced) {
      super(raced);
      this.raced = raced;
    }

    @Override
    public <R extends Resource<R>> R create(R resource) throws StorageException {
      if (resource instanceof Setting setting) {
        var unused = raced.create(Setting.of(setting.name(), SettingSpec.EMPTY));
      }
      return raced.create(resource);
    }
  }

  @Test
  void valueIsSetAlthoughANodeCreatesTheSettingAtTheSameTime() throws Exception {
    Settings racing = new Settings(new RacingStore(store));

    assertThat(racing.set("replica-auto-balance", "best-effort").spec().value())
        .isEqualTo("best-effort");
    assertThat(settings.get("replica-auto-balance").spec().value()).isEqualTo("best-effort");
  }

  /** Changes a setting in the name of another writer just before the caller's first update. */
  private final class ChangingStore extends ForwardingResourceStore {
    private boolean changed;

    ChangingStore() {
      super(store);
    }

    @Override
    public <R extends Resource<R>> R update(R resource) throws StorageException {
      if (!changed) {
        changed = true;
        var unused = levels(store).set(rule("", "dev.holdfast.other"));
      }
      return super.update(resource);
    }
  }

  private static LogLevels levels(ResourceStore store) {
    return new LogLevels(store, InstantSource.fixed(Instant.EPOCH));
  }

  private static LogLevelRule rule(String node, String logger) {
    return new LogLevelRule(node, logger, "DEBUG", Optional.empty());
  }

  @Test
  void ruleOfAConcurrentWriterStays() throws Exception {
    var unused = levels(store).set(rule("", "dev.holdfast.first"));

    assertThat(levels(new ChangingStore()).set(rule("", "dev.holdfast.own")))
        .extracting(LogLevelRule::logger)
        .containsExactlyInAnyOrder("dev.holdfast.first", "dev.holdfast.other", "dev.holdfast.own");
  }

  @Test
  void wrongValueIsRefusedWithTheAllowedOnes() throws Exception {
    assertThatThrownBy(() -> settings.set("replica-auto-balance", "always"))
        .hasMessage(
            "setting replica-auto-balance: \"always\" must be disabled, least-effort or"
                + " best-effort");
    assertThat(settings.list().items()).isEmpty();
  }

  @Test
  void unknownNameIsRefusedWithTheNearestOne() throws Exception {
    store.create(Setting.of("acme.bricks", SettingSpec.EMPTY));

    assertThatThrownBy(() -> settings.set("replica-autobalance", "disabled"))
        .hasMessageContaining("did you mean replica-auto-balance?");
    assertThatThrownBy(() -> settings.set("acme.brick", "1"))
        .hasMessageContaining("did you mean acme.bricks?");
    assertThat(settings.set("acme.bricks", "1").spec().value()).isEqualTo("1");
  }
}
