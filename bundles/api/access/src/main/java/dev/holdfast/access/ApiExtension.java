package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A subresource whose bodies are streams, such as the upload of an image. Register an
 * implementation as an OSGi service; the API server of the node serves it below the resources of
 * its kind. The server authenticates and authorizes the caller before it calls the extension.
 * Implementations are thread-safe.
 */
@ConsumerType
public interface ApiExtension {
  /** Returns the plural of the kind, for example {@code backingimages}; never null. */
  String plural();

  /** Returns the last segment of the path, for example {@code upload}; never null. */
  String subresource();

  /** Returns the HTTP methods of the extension in upper case, never null. */
  Set<String> methods();

  /**
   * Answers a request on a thread that may block. The server closes the connection of a client that
   * sends or reads nothing for the server's time limit.
   *
   * @param request with its body, not null
   * @param response to be begun at most once, not null
   * @throws StorageException the error that the client receives, if no answer was begun
   * @throws IOException when the client closed the connection
   */
  void handle(ExtensionRequest request, ExtensionResponse response)
      throws StorageException, IOException;
}
