package dev.holdfast.apiserver.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ColumnsTest {
  @ParameterizedTest
  @CsvSource({
    "PT-5S,<invalid>",
    "PT-0.5S,0s",
    "PT0S,0s",
    "PT119S,119s",
    "PT120S,2m",
    "PT3M5S,3m5s",
    "PT10M30S,10m",
    "PT179M,179m",
    "PT3H,3h",
    "PT3H20M,3h20m",
    "PT9H20M,9h",
    "PT48H,2d",
    "PT50H,2d2h",
    "P10D,10d",
    "P800D,2y70d",
    "P3000D,8y"
  })
  void agesAreRoundedAsKubectlDoes(Duration age, String text) {
    assertThat(Durations.human(age)).isEqualTo(text);
  }

  @Test
  void pathsFindFieldsElementsAndConditions() throws Exception {
    JsonNode document =
        new ObjectMapper()
            .readTree(
                """
                {"a": {"b.c": [10, 20]},
                 "conditions": [{"type": "Ready", "status": "True"}, {"type": "X", "status": "-"}]}
                """);
    assertThat(JsonPath.parse(".a['b.c'][1]").of(document).asInt()).isEqualTo(20);
    assertThat(JsonPath.parse(".conditions[?(@.type==\"X\")].status").of(document).asText())
        .isEqualTo("-");
    assertThat(JsonPath.parse(".conditions[?(@.type=='No')].status").of(document).isMissingNode())
        .isTrue();
    assertThat(JsonPath.parse(".a.nope.more").of(document).isMissingNode()).isTrue();
    assertThatThrownBy(() -> JsonPath.parse(".a[*]")).hasMessageContaining(".a[*]");
  }

  @Test
  void columnsOfAllKindsCanBeRead() {
    for (ResourceKind<?> kind : KindCatalogue.load().kinds()) {
      for (ResourceKind.Column column : kind.columns()) {
        assertThat(TableColumn.of(column).name()).isEqualTo(column.name());
      }
    }
  }
}
