package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ManifestClauseTest {
  @Test
  void quotedSeparatorsAreNotSeparators() {
    assertThat(
            ManifestClause.parse(
                "a.b;version=\"[1.0,2)\",c;d;resolution:=optional;uses:=\"a.b,e;f\""))
        .containsExactly(
            new ManifestClause(List.of("a.b"), Map.of("version", "[1.0,2)")),
            new ManifestClause(
                List.of("c", "d"), Map.of("resolution:", "optional", "uses:", "a.b,e;f")));
  }

  @Test
  void aMissingHeaderHasNoClauses() {
    assertThat(ManifestClause.parse(null)).isEmpty();
  }
}
