package dev.holdfast.metrics.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The document as a client sees it. */
class MetricsDocumentTest {
  private static final MetricDefinition READS =
      MetricDefinition.counter("volume", "holdfast_test_reads_total", "Reads.", "volume");
  private static final MetricDefinition SIZE =
      MetricDefinition.gauge("disk", "holdfast_test_size_bytes", "Size.", "disk");
  private static final MetricDefinition SECONDS =
      MetricDefinition.histogram(
          "volume", "holdfast_test_seconds", "Time.", List.of(0.01, 0.05), "volume");
  private static final MetricDefinition NODE =
      MetricDefinition.info("node", "holdfast_test_node_info", "The node.", "version");

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AllSeries series = new AllSeries(threads, Duration.ofSeconds(30));
  private final MetricsDocument document = new MetricsDocument(series);
  private final BundleSeries bundle = series.open("dev.holdfast.test");

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private String text(String query, Map<String, String> headers) throws Exception {
    return DocumentCall.get(document, query, headers).text();
  }

  private String text() throws Exception {
    return text("", Map.of());
  }

  @Test
  void eachTypeIsWrittenWithItsLabels() throws Exception {
    bundle.counter(READS).add(2, "films");
    bundle.counter(READS).add(1, "films");
    bundle.gauge(SIZE).set(4096, "d\"1\\");
    bundle.histogram(SECONDS).observe(0.01, "films");
    bundle.histogram(SECONDS).observe(0.011, "films");
    bundle.histogram(SECONDS).observe(7, "films");
    bundle.info(NODE).add("0.3.0");

    assertThat(text().lines())
        .contains(
            "# TYPE holdfast_test_reads_total counter",
            "holdfast_test_reads_total{volume=\"films\"} 3.0",
            "holdfast_test_size_bytes{disk=\"d\\\"1\\\\\"} 4096.0",
            "holdfast_test_seconds_bucket{volume=\"films\",le=\"0.01\"} 1",
            "holdfast_test_seconds_bucket{volume=\"films\",le=\"0.05\"} 2",
            "holdfast_test_seconds_bucket{volume=\"films\",le=\"+Inf\"} 3",
            "holdfast_test_seconds_count{volume=\"films\"} 3",
            "holdfast_test_node_info{version=\"0.3.0\"} 1");
  }

  @Test
  void clientChoosesFormatCompressionAndGroups() throws Exception {
    bundle.counter(READS).add(1, "films");
    bundle.gauge(SIZE).set(1, "d1");

    DocumentCall open =
        DocumentCall.get(
            document,
            "volume",
            Map.of(
                "Accept",
                "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5",
                "Accept-Encoding",
                "br, gzip;q=0.8"));
    assertThat(open.contentType()).startsWith("application/openmetrics-text; version=1.0.0");
    assertThat(open.headers()).containsEntry("Content-Encoding", "gzip");
    String body =
        new String(
            new GZIPInputStream(new ByteArrayInputStream(open.body().toByteArray())).readAllBytes(),
            StandardCharsets.UTF_8);
    assertThat(body)
        .contains("# TYPE holdfast_test_reads counter")
        .endsWith("# EOF\n")
        .doesNotContain("holdfast_test_size", "jvm_", "process_");

    DocumentCall plain =
        DocumentCall.get(document, "disk,jvm", Map.of("Accept-Encoding", "gzip;q=0"));
    assertThat(plain.contentType()).startsWith("text/plain; version=0.0.4");
    assertThat(plain.headers()).doesNotContainKey("Content-Encoding");
    assertThat(plain.text())
        .contains("holdfast_test_size_bytes", "jvm_memory_used_bytes")
        .doesNotContain("holdfast_test_reads", "process_cpu");
    assertThatThrownBy(() -> text("Disk", Map.of()))
        .hasMessageContaining("group: \"Disk\": expected names of groups");
  }

  @Test
  void clientChoosesOneVolume() throws Exception {
    bundle.counter(READS).add(1, "films");
    bundle.counter(READS).add(2, "books");
    bundle.histogram(SECONDS).observe(1, "books");
    bundle.gauge(SIZE).set(1, "d1");
    String text = DocumentCall.ofVolume(document, "books").text();
    assertThat(text)
        .contains(
            "holdfast_test_reads_total{volume=\"books\"} 2.0",
            "holdfast_test_seconds_count{volume=\"books\"} 1")
        .doesNotContain("films", "holdfast_test_size", "jvm_", "process_");
    assertThat(DocumentCall.ofVolume(document, "absent").text()).doesNotContain("holdfast_test");
  }

  @Test
  void seriesOfABundleEndWithItsServiceAndItsNamesBecomeFree() throws Exception {
    bundle.counter(READS).add(1, "films");
    bundle.gauge(SIZE).set(1, "d1");
    bundle.gauge(SIZE).remove("d1");
    BundleSeries other = series.open("dev.holdfast.other");
    assertThatThrownBy(() -> other.counter(READS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "series holdfast_test_reads_total: bundle dev.holdfast.test uses this name: bundle"
                + " dev.holdfast.other needs another one");
    assertThat(text()).contains("reads_total{").doesNotContain("holdfast_test_size_bytes{");

    series.close(bundle);
    assertThat(text()).doesNotContain("holdfast_test");
    other.counter(READS).add(1, "films");
    assertThat(text()).contains("holdfast_test_reads_total{volume=\"films\"} 1.0");
  }

  @Test
  void pluginUsesOnlyItsPrefix() {
    BundleSeries plugin = series.open("com.example.Raid-Engine");
    assertThatThrownBy(() -> plugin.counter(READS))
        .hasMessageContaining("begin it with holdfast_plugin_com_example_raid_engine_");
    MetricDefinition own =
        MetricDefinition.counter(
            "raid", "holdfast_plugin_com_example_raid_engine_resyncs_total", "Resyncs.");
    plugin.counter(own).add(1);
    assertThatThrownBy(() -> bundle.counter(own)).hasMessageContaining("begin it with holdfast_");
  }

  @Test
  void twoVersionsOfABundleAddTheirCountsWhileOneReplacesTheOther() throws Exception {
    bundle.counter(READS).add(2, "films");
    BundleSeries next = series.open("dev.holdfast.test");
    next.counter(READS).add(3, "films");
    assertThat(text()).contains("holdfast_test_reads_total{volume=\"films\"} 5.0");

    MetricDefinition changed =
        MetricDefinition.counter("volume", "holdfast_test_reads_total", "Reads.", "name");
    series.open("dev.holdfast.test").counter(changed).add(1, "films");
    assertThat(text())
        .contains("holdfast_test_reads_total{name=\"films\"} 1.0")
        .doesNotContain("holdfast_test_reads_total{volume");
  }

  private static MetricSource source(MetricDefinition definition, Report report) {
    return new MetricSource() {
      @Override
      public List<MetricDefinition> definitions() {
        return List.of(definition);
      }

      @Override
      public void collect(MetricSink sink) throws Exception {
        report.to(sink);
      }
    };
  }

  private interface Report {
    void to(MetricSink sink) throws Exception;
  }

  @Test
  void sourceThatFailsIsLeftOutAndCounted() throws Exception {
    try (var good =
            bundle.collect(
                source(
                    SECONDS,
                    sink ->
                        sink.histogram(
                            SECONDS, new BucketCounts(List.of(1L, 0L, 2L), 9.5), "films")));
        var thrower = bundle.collect(source(SIZE, sink -> sink.value(READS, 1, "not listed")))) {
      assertThat(good).isNotNull();
      assertThat(thrower).isNotNull();
      assertThat(text())
          .contains("holdfast_test_seconds_sum{volume=\"films\"} 9.5")
          .doesNotContain("not listed");
      assertThat(series.failures().get("dev.holdfast.test").sum()).isEqualTo(1);
    }
    assertThat(text()).doesNotContain("holdfast_test_seconds");
  }

  @Test
  void hangingSourceDelaysNoOtherAndIsNotCalledTwice() throws Exception {
    AllSeries hasty = new AllSeries(threads, Duration.ofMillis(1));
    CountDownLatch asked = new CountDownLatch(2);
    CountDownLatch never = new CountDownLatch(1);
    BundleSeries hanging = hasty.open("dev.holdfast.test");
    hanging.counter(READS).add(1, "films");
    var unused =
        hanging.collect(
            source(
                SIZE,
                sink -> {
                  asked.countDown();
                  never.await();
                }));
    MetricsDocument shown = new MetricsDocument(hasty);
    for (int i = 0; i < 3; i++) {
      assertThat(DocumentCall.get(shown, "", Map.of()).text())
          .contains("holdfast_test_reads_total");
    }
    assertThat(asked.getCount()).isGreaterThanOrEqualTo(1);
    assertThat(hasty.failures().get("dev.holdfast.test").sum()).isEqualTo(3);
  }
}
