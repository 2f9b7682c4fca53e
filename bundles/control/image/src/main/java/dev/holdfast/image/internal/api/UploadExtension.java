package dev.holdfast.image.internal.api;

import dev.holdfast.access.ApiExtension;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.exchange.RemoteUpload;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.image.internal.transfer.Uploads;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Receives the file of an image: {@code POST backingimages/NAME/upload?size=BYTES}, the file as the
 * body or as the only part of a form. The file is forwarded to the node that has the disk of the
 * transfer.
 */
@Component(service = ApiExtension.class)
public final class UploadExtension implements ApiExtension {
  private final Uploads uploads;
  private final RemoteUpload remote;
  private final PeerNodes nodes;

  /** Creates the extension. */
  @Activate
  public UploadExtension(
      @Reference ResourceStore store,
      @Reference ImageTransfers transfers,
      @Reference PeerNodes nodes,
      @Reference NodeChannels channels) {
    this.uploads = new Uploads(store, transfers);
    this.remote = new RemoteUpload(channels);
    this.nodes = nodes;
  }

  @Override
  public String plural() {
    return BackingImage.KIND.plural();
  }

  @Override
  public String subresource() {
    return "upload";
  }

  @Override
  public Set<String> methods() {
    return Set.of("POST");
  }

  @Override
  public void handle(ExtensionRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    BackingImageDataSource source = uploads.awaited(request.name());
    long size = size(request);
    InputStream body = body(request, size);
    if (source.spec().nodeID().equals(nodes.self())) {
      uploads.receive(source, size, body);
    } else {
      remote.send(source, size, body);
    }
    byte[] answer =
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\"}"
            .getBytes(StandardCharsets.UTF_8);
    try (OutputStream out = response.begin(200, "application/json", answer.length, Map.of())) {
      out.write(answer);
    }
  }

  private static long size(ExtensionRequest request) throws StorageException {
    String text = request.parameters().getOrDefault("size", "");
    if (!text.matches("[1-9]\\d{0,17}")) {
      throw new StorageException(
          ErrorCode.INVALID,
          "image "
              + request.name()
              + ": parameter size: \""
              + text
              + "\": expected the number of bytes of the file");
    }
    return Long.parseLong(text);
  }

  private static InputStream body(ExtensionRequest request, long size) throws IOException {
    Optional<String> boundary =
        request.headers().apply("Content-Type").flatMap(MultipartBody::boundary);
    return boundary.isPresent()
        ? MultipartBody.open(request.body(), boundary.get(), size)
        : request.body();
  }
}
