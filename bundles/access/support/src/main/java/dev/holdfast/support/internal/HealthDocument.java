package dev.holdfast.support.internal;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.client.HealthJson;
import dev.holdfast.health.HealthReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** {@code GET /apis/holdfast.dev/v1/health}: the findings as JSON. */
@Component
public final class HealthDocument implements ApiDocument {
  private final HealthReport report;

  /** Serves a report. */
  @Activate
  public HealthDocument(@Reference HealthReport report) {
    this.report = report;
  }

  @Override
  public String path() {
    return HealthJson.PATH;
  }

  @Override
  public void handle(ExtensionRequest request, ExtensionResponse response) throws IOException {
    byte[] body =
        HealthJson.document(report.findings()).toString().getBytes(StandardCharsets.UTF_8);
    try (OutputStream out = response.begin(200, "application/json", body.length, Map.of())) {
      out.write(body);
    }
  }
}
