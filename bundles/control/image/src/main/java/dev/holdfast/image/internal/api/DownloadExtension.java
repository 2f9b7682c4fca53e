package dev.holdfast.image.internal.api;

import dev.holdfast.access.ApiExtension;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ImageContent;
import dev.holdfast.image.internal.exchange.ImageContents;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Sends the content of an image: {@code GET backingimages/NAME/download?format=raw|qcow2}, whole or
 * one range. The content comes from a verified copy on any node.
 */
@Component(service = ApiExtension.class)
public final class DownloadExtension implements ApiExtension {
  private static final int OK = 200;
  private static final int PARTIAL = 206;
  private static final int UNSATISFIABLE = 416;

  private final ResourceStore store;
  private final ImageContents contents;

  /** Creates the extension. */
  @Activate
  public DownloadExtension(
      @Reference ResourceStore store,
      @Reference InstalledPlugins plugins,
      @Reference PeerNodes nodes,
      @Reference NodeChannels channels) {
    this.store = store;
    this.contents = new ImageContents(store, plugins, nodes, channels);
  }

  @Override
  public String plural() {
    return BackingImage.KIND.plural();
  }

  @Override
  public String subresource() {
    return "download";
  }

  @Override
  public Set<String> methods() {
    return Set.of("GET");
  }

  @Override
  public void handle(ExtensionRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    BackingImage image =
        store
            .get(BackingImage.KIND, request.name())
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, "image " + request.name() + " does not exist"));
    String format = request.parameters().getOrDefault("format", "raw");
    ImageContent content = contents.of(image);
    ImageDownload download =
        switch (format) {
          case "raw" -> ImageDownload.raw(image, content);
          case "qcow2" -> ImageDownload.qcow2(image, content);
          default ->
              throw new StorageException(
                  ErrorCode.INVALID,
                  "image "
                      + request.name()
                      + ": parameter format: \""
                      + format
                      + "\": expected raw or qcow2");
        };
    answer(request, response, download, image.name() + "." + format);
  }

  private static void answer(
      ExtensionRequest request, ExtensionResponse response, ImageDownload download, String file)
      throws StorageException, IOException {
    Map<String, String> headers = new TreeMap<>();
    headers.put("Accept-Ranges", "bytes");
    headers.put("ETag", download.tag());
    headers.put("Content-Disposition", "attachment; filename=\"" + file + "\"");
    boolean same =
        request.headers().apply("If-Range").filter(tag -> !tag.equals(download.tag())).isEmpty();
    Optional<String> range = same ? request.headers().apply("Range") : Optional.empty();
    ByteRange.Wanted wanted = ByteRange.of(range, download.size());
    if (!wanted.satisfiable()) {
      headers.put("Content-Range", "bytes */" + download.size());
      response.begin(UNSATISFIABLE, "application/octet-stream", 0, headers).close();
      return;
    }
    ByteRange part = wanted.range().orElse(new ByteRange(0, download.size()));
    if (wanted.range().isPresent()) {
      headers.put(
          "Content-Range",
          "bytes "
              + part.offset()
              + "-"
              + (part.offset() + part.length() - 1)
              + "/"
              + download.size());
    }
    BodySink sink =
        new BodySink(
            () ->
                response.begin(
                    wanted.range().isPresent() ? PARTIAL : OK,
                    "application/octet-stream",
                    part.length(),
                    headers));
    download.write(part, sink);
    sink.finish();
  }
}
