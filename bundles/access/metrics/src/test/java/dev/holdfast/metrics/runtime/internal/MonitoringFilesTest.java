package dev.holdfast.metrics.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import dev.holdfast.metrics.MetricType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules and the dashboard in deploy/monitoring use series that exist. */
class MonitoringFilesTest {
  private static final Path FOLDER = Path.of("../../../deploy/monitoring");
  private static final Path PROMTOOL = Path.of("/usr/bin/promtool");
  private static final Pattern SERIES = Pattern.compile("holdfast_[a-z0-9_]+");

  private static Set<String> defined() {
    return ServiceLoader.load(MetricDefinitions.class).stream()
        .flatMap(provider -> provider.get().definitions().stream())
        .flatMap(MonitoringFilesTest::names)
        .collect(Collectors.toSet());
  }

  private static Stream<String> names(MetricDefinition definition) {
    String name = definition.name();
    return definition.type() == MetricType.HISTOGRAM
        ? Stream.of(name + "_bucket", name + "_count", name + "_sum")
        : Stream.of(name);
  }

  private static Set<String> used(String text) {
    return SERIES.matcher(text).results().map(found -> found.group()).collect(Collectors.toSet());
  }

  private static String run(String... arguments) throws Exception {
    List<String> command = Stream.concat(Stream.of("promtool"), Arrays.stream(arguments)).toList();
    Process process =
        new ProcessBuilder(command).directory(FOLDER.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + " " + output;
  }

  @Test
  void rulesAndDashboardUseDefinedSeriesOnly() throws Exception {
    Set<String> used = new HashSet<>(used(Files.readString(FOLDER.resolve("alerts.yaml"))));
    JsonNode dashboard = new ObjectMapper().readTree(FOLDER.resolve("dashboard.json").toFile());
    used.addAll(used(dashboard.toString()));
    assertThat(used).hasSizeGreaterThan(10).isSubsetOf(defined());
    assertThat(dashboard.path("panels")).isNotEmpty();
  }

  @Test
  void eachAlertIsRaisedByItsFault() throws Exception {
    assumeTrue(Files.isExecutable(PROMTOOL), "promtool of the package prometheus is missing");
    assertThat(run("check", "rules", "alerts.yaml")).startsWith("0 ");
    assertThat(run("test", "rules", "alerts-test.yaml")).startsWith("0 ");
    assertThat(run("check", "config", "--syntax-only", "prometheus.yaml")).startsWith("0 ");
    String rules = Files.readString(FOLDER.resolve("alerts.yaml"));
    String tests = Files.readString(FOLDER.resolve("alerts-test.yaml"));
    Pattern.compile("- alert: (\\w+)")
        .matcher(rules)
        .results()
        .forEach(alert -> assertThat(tests).contains("alertname: " + alert.group(1)));
  }
}
