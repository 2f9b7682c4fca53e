package dev.holdfast.support.internal.peer;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.client.SupportPaths;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** {@code GET /support/audit}: the audit logs of all nodes, merged by time. */
@Component
public final class AuditDocument implements ApiDocument {
  private final SupportComponent component;

  /** Serves the audit logs of the cluster. */
  @Activate
  public AuditDocument(@Reference SupportComponent component) {
    this.component = component;
  }

  @Override
  public String path() {
    return SupportPaths.AUDIT;
  }

  @Override
  public void handle(ExtensionRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    byte[] body =
        component
            .nodes()
            .auditReport(AuditQuery.of(request.parameters()))
            .toString()
            .getBytes(StandardCharsets.UTF_8);
    try (OutputStream out = response.begin(200, "application/json", body.length, Map.of())) {
      out.write(body);
    }
  }
}
