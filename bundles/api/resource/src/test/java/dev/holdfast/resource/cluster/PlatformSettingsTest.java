package dev.holdfast.resource.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlatformSettingsTest {
  /** A setting in a table of the documents, by its name and its default in code. */
  private static final Pattern ROW =
      Pattern.compile("\\| (`[a-z]+(-[a-z]+)+`(, )?)+ \\| `[^`]*` \\|.*");

  private static final Pattern NAME = Pattern.compile("`([a-z-]+)`");

  private static String errors(String name, String value) {
    return Setting.of(name, new SettingSpec(value)).validate().stream()
        .map(error -> error.field() + ": " + error.message())
        .collect(Collectors.joining("; "));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "replica-auto-balanec, replica-auto-balance",
    "auto-balance, replica-auto-balance",
    "replica-soft-antiaffinity, replica-soft-anti-affinity",
    "snapshot-scrub-intervall, snapshot-scrub-interval",
  })
  void unknownNameIsRefusedWithTheNearestKnownOne(String name, String nearest) {
    assertThat(errors(name, "x")).startsWith("metadata.name: Invalid value: \"" + name);
    assertThat(errors(name, "x")).contains(nearest);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "acme.replica-limit", "counter"})
  void nameOfAPluginIsTaken(String name) {
    assertThat(errors(name, "anything")).isEmpty();
  }

  @ParameterizedTest(name = "{0} = {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "replica-soft-anti-affinity | no | must be true or false",
        "snapshot-scrub-interval | -5 weeks | must be a whole number from 0 to 99999 (hours)",
        "storage-minimal-available-percentage | 101 | must be a whole number from 0 to 100",
        "replica-rebuild-bytes-per-second | fast | must be an amount of bytes such as 100Mi",
        "replica-auto-balance | ignored | must be disabled, least-effort or best-effort",
        "image-download-proxy | https://proxy:3128 | must be the address of an HTTP proxy",
        "image-download-proxy | http://user:word@proxy:3128 | must be the address of an HTTP",
        "node-down-pod-deletion-policy | delete-all | must be do-nothing, delete-statefulset-pod",
      })
  void wrongValueIsRefusedWithTheAllowedOnes(String name, String value, String expected) {
    assertThat(errors(name, value))
        .startsWith("spec.value: Invalid value: \"" + value + "\": " + expected);
  }

  @ParameterizedTest
  @CsvSource({
    "replica-soft-anti-affinity, false",
    "snapshot-scrub-interval, 0",
    "replica-rebuild-bytes-per-second, 1.5Gi",
    "replica-auto-balance, best-effort",
    "replica-auto-balance, ''",
  })
  void rightValueIsTaken(String name, String value) {
    assertThat(errors(name, value)).isEmpty();
  }

  @Test
  void namesRiseAndDoNotRepeat() {
    assertThat(PlatformSettings.all())
        .extracting(SettingDefinition::name)
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void everyDefaultIsValid() {
    assertThat(PlatformSettings.all())
        .allSatisfy(d -> assertThat(d.fault(d.defaultValue())).as(d.name()).isEmpty());
  }

  private static List<Path> documents() throws IOException {
    Path docs = Path.of("../../../docs");
    try (Stream<Path> operations = Files.list(docs.resolve("operations"))) {
      return Stream.concat(operations, Stream.of(docs.resolve("SETTINGS.md"))).toList();
    }
  }

  @Test
  void everyDocumentedSettingIsKnown() throws IOException {
    List<String> documented = new ArrayList<>();
    for (Path document : documents()) {
      Files.readAllLines(document).stream()
          .filter(line -> ROW.matcher(line).matches())
          .map(line -> NAME.matcher(line.substring(0, line.indexOf('|', 1))))
          .flatMap(Matcher::results)
          .forEach(name -> documented.add(name.group(1)));
    }
    assertThat(documented)
        .hasSizeGreaterThan(10)
        .allMatch(name -> Setting.of(name, SettingSpec.EMPTY).isKnown());
  }
}
