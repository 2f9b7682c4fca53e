package dev.holdfast.metrics.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The document of all series is what the bundles define: a changed name or label fails here. */
class MetricsReferenceTest {
  private static final Path DOCUMENT = Path.of("../../../docs/METRICS.md");

  private static List<MetricDefinition> all() {
    return ServiceLoader.load(MetricDefinitions.class).stream()
        .flatMap(provider -> provider.get().definitions().stream())
        .sorted(Comparator.comparing(MetricDefinition::name))
        .toList();
  }

  private static String document() {
    StringBuilder text = new StringBuilder(INTRODUCTION);
    Map<String, List<MetricDefinition>> groups =
        all().stream()
            .collect(
                Collectors.groupingBy(MetricDefinition::group, TreeMap::new, Collectors.toList()));
    groups.forEach(
        (group, definitions) -> {
          text.append("\n## ").append(group).append("\n| series | type | labels | meaning |\n");
          text.append("|---|---|---|---|\n");
          definitions.forEach(definition -> text.append(row(definition)));
        });
    return text.append(CONCLUSION).toString();
  }

  private static String row(MetricDefinition definition) {
    return "| `"
        + definition.name()
        + "` | "
        + definition.type().name().toLowerCase(Locale.ROOT)
        + " | "
        + String.join(", ", definition.labels())
        + " | "
        + definition.help()
        + " |\n";
  }

  private static final String INTRODUCTION =
      """
      # Metrics

      `GET /metrics` of each node serves these series as OpenMetrics text 1.0 or Prometheus text 0.0.4, as the header `Accept`
      asks. `?group=volume,disk` selects groups, the headings of this page, and `?volume=NAME` the series of one volume. Every
      request needs a credential, as every other request of the API:

      ```
      $ curl --cacert DATA/tls/ca.crt -H "Authorization: Bearer $(cat DATA/token)" https://127.0.0.1:7443/metrics
      ```

      A node reports what it runs. The node that holds a lease reports what concerns the whole cluster. The series of an object
      end with the object; a counter begins again when its volume is opened again. The series of a kind of request begins with
      the first such request. The code generates this page.
      """;

  private static final String CONCLUSION =
      """

      ## jvm, process
      `jvm_…` and `process_…` have the usual names of Prometheus' client library for Java.

      ## Plugins
      The series of a plugin have the prefix `holdfast_plugin_` and the symbolic name of its bundle.
      [PLUGINS.md](PLUGINS.md) describes plugins, `bundles/api/metrics` the service.
      """;

  @Test
  void documentMatchesTheCode() throws Exception {
    if (Boolean.getBoolean("metrics.write")) {
      Files.writeString(DOCUMENT, document());
    }
    assertThat(Files.readString(DOCUMENT))
        .as("write docs/METRICS.md by -Dmetrics.write=true")
        .isEqualTo(document());
  }

  @Test
  void namesDifferAndHaveThePrefix() {
    assertThat(all()).extracting(MetricDefinition::name).doesNotHaveDuplicates();
    assertThat(all()).allSatisfy(d -> NameRule.check("dev.holdfast.any", d));
  }
}
