package dev.holdfast.resource.json.fields;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class FieldSetTest {
  private static final String TEXT =
      "{\"f:metadata\":{\"f:finalizers\":{\"v:\\\"a\\\"\":{}},"
          + "\"f:ownerReferences\":{\"k:{\\\"uid\\\":\\\"7\\\"}\":{\".\":{},\"f:name\":{}}}},"
          + "\"f:spec\":{\"f:size\":{}}}";

  private static FieldSet set(String json) throws Exception {
    return FieldSet.read(new ObjectMapper().readTree(json));
  }

  @Test
  void isWrittenAsItWasRead() throws Exception {
    assertThat(set(TEXT).tree()).hasToString(TEXT);
    assertThat(set(TEXT).paths())
        .containsExactly(
            ".metadata.finalizers[=\"a\"]",
            ".metadata.ownerReferences[uid=7]",
            ".metadata.ownerReferences[uid=7].name",
            ".spec.size");
  }

  @Test
  void operationsWorkFieldByField() throws Exception {
    FieldSet one = set("{\"f:a\":{},\"f:b\":{\".\":{},\"f:c\":{}}}");
    FieldSet other = set("{\"f:b\":{\"f:c\":{},\"f:d\":{}}}");
    assertThat(one.union(other).paths()).containsExactly(".a", ".b", ".b.c", ".b.d");
    assertThat(one.minus(other).paths()).containsExactly(".a", ".b");
    assertThat(one.intersection(other).paths()).containsExactly(".b.c");
    assertThat(one.minus(one).isEmpty()).isTrue();
    assertThat(one.minus(one)).isEqualTo(FieldSet.EMPTY);
  }

  @Test
  void impossibleSetDoesNoHarm() throws Exception {
    assertThat(set("{\"\":{},\"x\":{\"f:\":3}}").paths()).hasSize(2);
    assertThat(set("[1]").isEmpty()).isTrue();
  }
}
