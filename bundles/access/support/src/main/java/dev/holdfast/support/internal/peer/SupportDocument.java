package dev.holdfast.support.internal.peer;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.client.SupportPaths;
import dev.holdfast.error.StorageException;
import dev.holdfast.support.internal.pack.SupportRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** {@code GET /support/bundle}: a support bundle as a tar archive, compressed by zstd. */
@Component
public final class SupportDocument implements ApiDocument {
  private static final Duration STANDARD = Duration.ofHours(24);

  private final SupportComponent component;

  /** Serves the bundles of a node. */
  @Activate
  public SupportDocument(@Reference SupportComponent component) {
    this.component = component;
  }

  @Override
  public String path() {
    return SupportPaths.BUNDLE;
  }

  @Override
  public void handle(ExtensionRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    SupportRequest wanted = SupportRequest.of(request.parameters(), Instant.now().minus(STANDARD));
    List<String> nodes = component.nodes().nodes(wanted.nodes());
    component.nodes().archive(wanted, nodes, response.begin(200, "application/zstd", -1, Map.of()));
  }
}
