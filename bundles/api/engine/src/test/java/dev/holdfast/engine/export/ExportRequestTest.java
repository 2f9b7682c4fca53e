package dev.holdfast.engine.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExportRequestTest {
  private static final String SECRET = "DHHC-1:00:c2VjcmV0";

  @Test
  void keysAppearInNoText() {
    Optional<ExportKey> key = Optional.of(new ExportKey(SECRET));
    ExportHost host = new ExportHost("nqn.2026-01.example:host", key, key, key);
    ExportRequest request = ExportRequest.of("nvme", "vol", List.of(host));
    assertThat(request.toString()).contains("nqn.2026-01.example:host").doesNotContain(SECRET);
    assertThat(key.orElseThrow().secret()).isEqualTo(SECRET);
  }

  @Test
  void keysAreEqualByTheirSecret() {
    assertThat(new ExportKey(SECRET)).isEqualTo(new ExportKey(SECRET));
    assertThat(new ExportKey(SECRET)).isNotEqualTo(new ExportKey(SECRET + "x"));
    assertThat(new ExportKey(SECRET)).hasSameHashCodeAs(new ExportKey(SECRET));
  }

  @Test
  void changedRequestKeepsTheRest() {
    ExportRequest request = ExportRequest.of("nbd", "vol", List.of());
    ExportLimits limits = new ExportLimits(1, 2, 3, 4, 5, 6, 7);
    ExportRequest changed =
        request
            .withHosts(List.of(ExportHost.LOCAL))
            .withLimits(limits)
            .withAccess(PathAccess.STANDBY);
    assertThat(changed)
        .isEqualTo(
            new ExportRequest(
                "nbd",
                "vol",
                List.of(ExportHost.LOCAL),
                ExportSecurity.NONE,
                limits,
                PathAccess.STANDBY,
                0));
  }

  @Test
  void wrongValuesAreNamed() {
    assertThatThrownBy(() -> ExportRequest.of("nbd", "", List.of())).hasMessageContaining("export");
    assertThatThrownBy(() -> new ExportLimits(0, 0, 0, 0, -1, 0, 1)).hasMessageContaining("writes");
    assertThatThrownBy(() -> new ExportLimits(0, 0, 0, 0, 0, 0, 0))
        .hasMessageContaining("burstSeconds");
    assertThatThrownBy(() -> new ExportKey("")).hasMessageContaining("secret");
    assertThatThrownBy(() -> pathOf(65_536)).hasMessageContaining("pathId");
    assertThatThrownBy(() -> pathOf(-1)).hasMessageContaining("pathId");
  }

  private static ExportRequest pathOf(int id) {
    return new ExportRequest(
        "nvme", "vol", List.of(), ExportSecurity.NONE, ExportLimits.NONE, PathAccess.OPTIMIZED, id);
  }

  @Test
  void everyLimitCounts() {
    assertThat(ExportLimits.NONE.isAny()).isFalse();
    assertThat(new ExportLimits(1, 0, 0, 0, 0, 0, 1).isAny()).isTrue();
    assertThat(new ExportLimits(0, 1, 0, 0, 0, 0, 1).isAny()).isTrue();
    assertThat(new ExportLimits(0, 0, 1, 0, 0, 0, 1).isAny()).isTrue();
    assertThat(new ExportLimits(0, 0, 0, 1, 0, 0, 1).isAny()).isTrue();
    assertThat(new ExportLimits(0, 0, 0, 0, 1, 0, 1).isAny()).isTrue();
    assertThat(new ExportLimits(0, 0, 0, 0, 0, 1, 1).isAny()).isTrue();
  }
}
