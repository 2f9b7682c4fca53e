package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.internal.figures.VolumeMetrics;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.FakeRegister;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.metrics.Metrics;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The series of an attached volume, from a host's request to the scrape. */
class VolumeMetricsTest {
  private static final String VOLUME = "films";
  private static final long SIZE = 1 << 20;

  private final FakeEngine engine = new FakeEngine("fake", new FakeEngine.Disks());
  private final InstalledPlugins plugins = new InstalledPlugins();
  private final FakePortal portal = new FakePortal();
  private final LocalAttachedVolumes volumes =
      new LocalAttachedVolumes(
          plugins,
          Runnable::run,
          VolumeActivity.notKept(),
          InstantSource.fixed(Instant.EPOCH),
          "node-1");

  /** Values of one scrape, by name and labels. */
  private static final class Scrape implements MetricSink {
    private final Map<String, Double> values = new TreeMap<>();

    private static String key(MetricDefinition definition, String... labels) {
      assertThat(labels).hasSameSizeAs(definition.labels());
      return definition.name() + List.of(labels);
    }

    @Override
    public void value(MetricDefinition definition, double value, String... labels) {
      values.put(key(definition, labels), value);
    }

    @Override
    public void histogram(MetricDefinition definition, BucketCounts counts, String... labels) {
      assertThat(counts.counts()).hasSize(definition.bounds().size() + 1);
      values.put(key(definition, labels), (double) counts.count());
    }

    @Override
    public void info(MetricDefinition definition, String... labels) {
      values.put(key(definition, labels), 1.0);
    }
  }

  /** Keeps the source. */
  private static final class OneSource implements Metrics {
    private MetricSource source;

    @Override
    public Counter counter(MetricDefinition definition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Gauge gauge(MetricDefinition definition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Histogram histogram(MetricDefinition definition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Info info(MetricDefinition definition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Collection collect(MetricSource added) {
      source = added;
      return () -> source = null;
    }
  }

  private final OneSource metrics = new OneSource();
  private final VolumeMetrics series = new VolumeMetrics(metrics, volumes);

  private Map<String, Double> scrape() throws Exception {
    Scrape scrape = new Scrape();
    metrics.source.collect(scrape);
    return scrape.values;
  }

  private BlockDevice attach() {
    volumes.addPortal(portal);
    plugins.addEngine(engine);
    ReplicaLocation replica =
        new ReplicaLocation(VOLUME, "films-r-1", "node-1", Path.of("/disk"), "films-1");
    engine.provisionReplica(replica, SIZE);
    LocalAttachedVolume attached = volumes.obtain("films-e-0", VOLUME).orElseThrow();
    attached.open(
        new OpenParameters(
            "fake",
            listener ->
                new OpenRequest(
                    VOLUME, SIZE, "node-1", List.of(replica), new FakeRegister(), listener),
            "nbd"));
    attached.publish("nbd");
    return portal.device(VOLUME).orElseThrow();
  }

  @Test
  void seriesOfAVolumeAreThoseOfItsRequestsUntilItCloses() throws Exception {
    assertThat(scrape()).isEmpty();
    BlockDevice device = attach();
    assertThat(scrape())
        .containsOnlyKeys(
            "holdfast_volume_requests_in_flight[films]",
            "holdfast_volume_throttled_seconds_total[films]");

    device.write(0, ByteBuffer.allocateDirect(8192), IoFlags.NONE, failure -> {});
    device.read(0, ByteBuffer.allocateDirect(4096), failure -> {});
    device.read(2 * SIZE, ByteBuffer.allocateDirect(4096), failure -> {});
    volumes.get("films-e-0").orElseThrow().hold(Duration.ofSeconds(30)).close();

    assertThat(scrape())
        .containsEntry("holdfast_volume_requests_total[films, write]", 1.0)
        .containsEntry("holdfast_volume_bytes_total[films, write]", 8192.0)
        .containsEntry("holdfast_volume_requests_total[films, read]", 2.0)
        .containsEntry("holdfast_volume_bytes_total[films, read]", 4096.0)
        .containsEntry("holdfast_volume_errors_total[films, read, invalid]", 1.0)
        .containsEntry("holdfast_volume_request_seconds[films, read]", 2.0)
        .containsEntry("holdfast_volume_gate_closed_seconds[films, snapshot]", 1.0)
        .containsEntry("holdfast_volume_requests_in_flight[films]", 0.0)
        .doesNotContainKey("holdfast_volume_requests_total[films, flush]");

    plugins.removeEngine(engine);
    plugins.addEngine(engine);
    assertThat(scrape()).containsKey("holdfast_volume_gate_closed_seconds[films, replacement]");

    assertThat(volumes.find("films-e-0").orElseThrow().close()).isDone();
    assertThat(scrape()).isEmpty();
    series.close();
    assertThat(metrics.source).isNull();
  }
}
