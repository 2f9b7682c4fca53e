package dev.holdfast.page.internal;

import dev.holdfast.access.ExtensionResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@code /page/plugins/NAME/REVISION/…}, the files of contributions. Thread-safe. */
final class ContributionFiles {
  static final int LARGEST = 4 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(ContributionFiles.class);
  private static final int BEFORE_PATH = 2;

  private final Contributions contributions;

  ContributionFiles(Contributions contributions) {
    this.contributions = contributions;
  }

  /**
   * Answers a request.
   *
   * @param segments of the path after {@code plugins}
   */
  void answer(List<String> segments, ExtensionResponse response) throws IOException {
    String path =
        segments.size() > BEFORE_PATH
            ? String.join("/", segments.subList(BEFORE_PATH, segments.size()))
            : "";
    Optional<String> type = PageFiles.typeOf(path);
    Optional<Contribution> found =
        type.isPresent() && Contribution.isPath(path)
            ? contributions.find(segments.get(0), segments.get(1))
            : Optional.empty();
    if (found.isEmpty()) {
      notFound(response);
      return;
    }
    byte[] content;
    try {
      Optional<URL> address = found.get().service().resource(path);
      if (address.isEmpty()) {
        notFound(response);
        return;
      }
      content = read(address.get());
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.warn("page: contribution {}: could not read {}: {}", segments.get(0), path, e.toString());
      PageResponses.refusal(
          response,
          500,
          "InternalError",
          "contribution " + segments.get(0) + ": " + path + " cannot be read: see the node's log");
      return;
    }
    PageResponses.contributed(response, type.get(), content);
  }

  private static byte[] read(URL address) throws IOException {
    try (InputStream in = address.openStream()) {
      byte[] content = in.readNBytes(LARGEST + 1);
      if (content.length > LARGEST) {
        throw new IOException("larger than " + LARGEST + " bytes");
      }
      return content;
    }
  }

  private static void notFound(ExtensionResponse response) throws IOException {
    PageResponses.refusal(
        response,
        404,
        "NotFound",
        "no contribution of this node has this file: its bundle was replaced or removed");
  }
}
