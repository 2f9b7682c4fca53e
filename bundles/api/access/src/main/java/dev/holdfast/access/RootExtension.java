package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Paths of a node's API server that are not resources, such as the web page below {@code /page}.
 * Register an implementation as an OSGi service. The server does not authenticate the caller: the
 * extension decides what a caller without a credential may see. Implementations are thread-safe.
 */
@ConsumerType
public interface RootExtension {
  /**
   * Returns the first segment of its paths, for example {@code page}; never null, not empty. The
   * server redirects requests for {@code /} to it.
   */
  String root();

  /**
   * Answers a request on a thread that may block. The server closes the connection of a client that
   * sends or reads nothing for the server's time limit.
   *
   * @param request with its body, not null
   * @param response to be begun at most once, not null
   * @throws StorageException the error that the client receives, if no answer was begun
   * @throws IOException when the client closed the connection
   */
  void handle(RootRequest request, ExtensionResponse response) throws StorageException, IOException;
}
