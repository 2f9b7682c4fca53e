package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
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
