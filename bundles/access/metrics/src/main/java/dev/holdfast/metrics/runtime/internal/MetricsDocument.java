package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * {@code GET /metrics}: the series of all bundles, and those of the process. {@code group} selects
 * groups of series, {@code volume} those of one volume.
 */
@Component
public final class MetricsDocument implements ApiDocument {
  private static final String PATH = "/metrics";
  private static final String VOLUME = "volume";
  private static final String JVM = "jvm";
  private static final String PROCESS = "process";
  private static final Pattern GROUP = Pattern.compile("[a-z0-9_]+");

  private final AllSeries series;
  private final PrometheusRegistry process = new PrometheusRegistry();

  /** Serves the series of a node. */
  @Activate
  public MetricsDocument(@Reference MetricsComponent component) {
    this(component.series());
  }

  MetricsDocument(AllSeries series) {
    this.series = series;
    JvmMetrics.builder().register(process);
  }

  @Override
  public String path() {
    return PATH;
  }

  @Override
  public void handle(ExtensionRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    Set<String> groups = groups(request.parameters().getOrDefault("group", ""));
    String accept = request.headers().apply("Accept").orElse("");
    boolean gzip = accepts(request.headers().apply("Accept-Encoding").orElse(""), "gzip");
    Exposition format = Exposition.accepted(accept);
    Optional<String> volume = Optional.ofNullable(request.parameters().get(VOLUME));
    SampleMap all = series.scrape(groups);
    SampleMap selected = volume.map(name -> all.withLabel(VOLUME, name)).orElse(all);
    MetricSnapshots process = volume.isPresent() ? new MetricSnapshots() : process(groups);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (OutputStream out = gzip ? new GZIPOutputStream(body) : body) {
      format.write(out, selected, process);
    }
    Map<String, String> headers = new TreeMap<>(Map.of("Vary", "Accept, Accept-Encoding"));
    if (gzip) {
      headers.put("Content-Encoding", "gzip");
    }
    try (OutputStream out = response.begin(200, format.contentType(), body.size(), headers)) {
      body.writeTo(out);
    }
  }

  private MetricSnapshots process(Set<String> groups) {
    return process.scrape(
        name ->
            groups.isEmpty()
                || (groups.contains(JVM) && name.startsWith(JVM + "_"))
                || (groups.contains(PROCESS) && name.startsWith(PROCESS + "_")));
  }

  private static Set<String> groups(String text) throws StorageException {
    List<String> wrong =
        split(text).stream().filter(group -> !GROUP.matcher(group).matches()).toList();
    if (!wrong.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "group: \""
              + wrong.get(0)
              + "\": expected names of groups, separated by commas, for example volume,disk");
    }
    return Set.copyOf(split(text));
  }

  private static List<String> split(String text) {
    return Arrays.stream(text.split(",", -1)).filter(word -> !word.isEmpty()).toList();
  }

  /**
   * Returns whether the client accepts a coding. A weight of 0 rejects it (RFC 9110, section
   * 12.5.3).
   */
  private static boolean accepts(String header, String coding) {
    Map<String, String> weights =
        Arrays.stream(header.split(",", -1))
            .map(String::strip)
            .filter(entry -> !entry.isEmpty())
            .map(entry -> entry.split(";", 2))
            .collect(
                Collectors.toMap(
                    parts -> parts[0].strip(),
                    parts -> parts.length > 1 ? parts[1].replace(" ", "") : "",
                    (first, second) -> first));
    return weights.containsKey(coding) && !weights.get(coding).matches("q=0(\\.0*)?");
  }
}
