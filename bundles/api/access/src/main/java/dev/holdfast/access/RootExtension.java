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
   * Returns the first segment of its paths, for example {@code page}; never null, not empty. A
   * browser that asks for {@code /} is sent there.
   */
  String root();

  /**
   * Answers a request, on a thread that may block. A client that sends nothing, or takes nothing,
   * for the server's time limit loses its connection.
   *
   * @param request with its body, not null
   * @param response to be begun at most once, not null
   * @throws StorageException the answer, when none was begun
   * @throws IOException when the client is gone
   */
  void handle(RootRequest request, ExtensionResponse response) throws StorageException, IOException;
}
