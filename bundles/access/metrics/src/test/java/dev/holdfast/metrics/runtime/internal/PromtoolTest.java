package dev.holdfast.metrics.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus' own tool accepts the text with a value of every series. */
class PromtoolTest {
  private static final Path PROMTOOL = Path.of("/usr/bin/promtool");

  @TempDir private Path directory;

  /** Reports one value of every series that the bundles define. */
  private record OfEverything(List<MetricDefinition> definitions) implements MetricSource {
    @Override
    public void collect(MetricSink sink) {
      for (MetricDefinition definition : definitions) {
        String[] labels =
            definition.labels().stream().map(l -> l + " \"\\\n\u00e4").toArray(String[]::new);
        switch (definition.type()) {
          case COUNTER, GAUGE -> sink.value(definition, 1.5, labels);
          case INFO -> sink.info(definition, labels);
          case HISTOGRAM ->
              sink.histogram(
                  definition,
                  new BucketCounts(Collections.nCopies(definition.bounds().size() + 1, 2L), 3.5),
                  labels);
        }
      }
    }
  }

  private String text() throws Exception {
    AllSeries series = new AllSeries(Runnable::run, Duration.ofSeconds(30));
    List<MetricDefinition> all =
        ServiceLoader.load(MetricDefinitions.class).stream()
            .flatMap(provider -> provider.get().definitions().stream())
            .toList();
    var unused = series.open("dev.holdfast.test").collect(new OfEverything(all));
    return DocumentCall.get(new MetricsDocument(series), "", Map.of()).text();
  }

  private String check(String text) throws IOException, InterruptedException {
    Path input = Files.writeString(directory.resolve("metrics.txt"), text, StandardCharsets.UTF_8);
    Path output = directory.resolve("output.txt");
    int code =
        new ProcessBuilder(PROMTOOL.toString(), "check", "metrics")
            .redirectInput(input.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();
    return code + " " + Files.readString(output);
  }

  @Test
  void textOfAllSeriesIsAccepted() throws Exception {
    assumeTrue(Files.isExecutable(PROMTOOL), "promtool of the package prometheus is missing");
    String text = text();
    assertThat(text).contains("holdfast_volume_requests_total{", "jvm_threads_current");
    assertThat(check(text)).isEqualTo("0 ");
    assertThat(check(text + "# TYPE broken counter\nbroken{ 1\n")).startsWith("1 ");
  }
}
