package dev.holdfast.apiserver.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlDocumentsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a: 1|{\"a\":1}",
        "a: -12345678901|{\"a\":-12345678901}",
        "a: 1.5e3|{\"a\":1500.0}",
        "a: 010|{\"a\":\"010\"}",
        "a: 10:30|{\"a\":\"10:30\"}",
        "a: 2026-11-21|{\"a\":\"2026-11-21\"}",
        "a: '1'|{\"a\":\"1\"}",
        "a: 1Gi|{\"a\":\"1Gi\"}",
        "a: true|{\"a\":true}",
        "a: off|{\"a\":false}",
        "a: ~|{\"a\":null}",
        "a:|{\"a\":null}",
        "1: [x, {y: z}]|{\"1\":[\"x\",{\"y\":\"z\"}]}",
        "[&b {c: d}, *b, {<<: *b, e: f}]|[{\"c\":\"d\"},{\"c\":\"d\"},{\"c\":\"d\",\"e\":\"f\"}]",
        "{\"a\": [1, \"x\"]}|{\"a\":[1,\"x\"]}",
      })
  void yamlEqualsTheSameDocumentInJson(String yaml, String json) throws Exception {
    assertThat(YamlDocuments.parse(yaml).toString())
        .isEqualTo(new ObjectMapper().readTree(json).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# nothing",
        "a: 1\na: 2",
        "a: 1\n---\na: 2",
        "a: [",
        "\tb",
        "a: .inf\nb: !!float .inf",
        "a: !!binary aGk=",
        "a: !!timestamp 2026-11-21",
        "a: !!java.io.File /x",
        "? [a]\n: b",
        "a: &a [*a]",
        "a: *nowhere",
        "!!int x",
      })
  void rejectsValuesThatJsonCannotExpress(String yaml) {
    assertThatThrownBy(() -> YamlDocuments.parse(yaml))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }

  @Test
  void refusesAliasesThatStandForAHugeTree() {
    StringBuilder text = new StringBuilder("a0: &a0 [x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
      String before = "*a" + (i - 1);
      text.append(
          "a%d: &a%d [%s, %s, %s, %s, %s]%n"
              .formatted(i, i, before, before, before, before, before));
    }
    assertThatThrownBy(() -> YamlDocuments.parse(text.toString()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("aliases followed");
  }

  @Property(tries = 500)
  void anyTextIsReadOrRefused(@ForAll @StringLength(max = 60) String text) {
    try {
      assertThat(YamlDocuments.parse(text)).isNotNull();
    } catch (StorageException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
    }
  }
}
