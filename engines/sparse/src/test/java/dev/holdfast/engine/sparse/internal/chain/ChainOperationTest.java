package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The text of an operation is data: the register keeps it, and engines of other versions read it.
 */
class ChainOperationTest {
  private static ChainOperation operation(ChainOperation.Kind kind) {
    return new ChainOperation("1", kind, "snap", true, "2026-11-24T00:00:00Z", Map.of("a", "b"), 4);
  }

  @ParameterizedTest
  @EnumSource(ChainOperation.Kind.class)
  void encodedOperationIsReadAgain(ChainOperation.Kind kind) throws Exception {
    assertThat(ChainOperation.parse(operation(kind).encoded())).contains(operation(kind));
  }

  @Test
  void encodedFormIsThatOfEarlierVersions() {
    assertThat(operation(ChainOperation.Kind.REMOVE).encoded())
        .isEqualTo(
            "{\"id\":\"1\",\"kind\":\"REMOVE\",\"snapshot\":\"snap\",\"userCreated\":true,"
                + "\"created\":\"2026-11-24T00:00:00Z\",\"labels\":{\"a\":\"b\"},\"sizeBytes\":4}");
  }
}
