package dev.holdfast.jsonrpc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonRpcLimitsTest {
  @ParameterizedTest
  @CsvSource({
    "63, 64, 4, 1, requestBytes",
    "64, 63, 4, 1, messageBytes",
    "64, 64, 3, 1, depth",
    "64, 64, 1001, 1, depth",
    "64, 64, 4, 0, calls",
  })
  void limitOutsideItsRangeIsRefusedByName(
      int request, int message, int depth, int calls, String field) {
    assertThatThrownBy(() -> new JsonRpcLimits(request, message, depth, calls))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(field + ": must be from");
  }
}
