package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A document of the API that is not a resource, such as {@code /metrics}. Register an
 * implementation as an OSGi service; the API server of the node serves it for GET. The server
 * authenticates and authorizes the caller before it calls the document. Implementations are
 * thread-safe.
 */
@ConsumerType
public interface ApiDocument {
  /**
   * Returns the absolute path, for example {@code /metrics}; a constant, never null. A path below a
   * kind of resources hides that kind.
   */
  String path();

  /**
   * Answers a request on a thread that may block. The server closes the connection of a client that
   * reads nothing for the server's time limit.
   *
   * @param request whose resource name is empty, not null
   * @param response to be begun at most once, not null
   * @throws StorageException the error that the client receives, if no answer was begun
   * @throws IOException when the client closed the connection
   */
  void handle(ExtensionRequest request, ExtensionResponse response)
      throws StorageException, IOException;
}
