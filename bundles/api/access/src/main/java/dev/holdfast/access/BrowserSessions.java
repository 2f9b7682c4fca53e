package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.function.Function;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Sessions of signed-in browsers, which send a cookie instead of a token. Register the
 * implementation as an OSGi service. The API server calls the service for each request without an
 * {@code Authorization} header, and gives the caller the rights of the session's credential while
 * that credential is valid. Implementations are thread-safe and do not block.
 */
@ConsumerType
public interface BrowserSessions {
  /**
   * Finds the session of a request.
   *
   * @param method of the request in upper case, not null
   * @param changes whether the request can change something; false for every GET, and for a POST
   *     that only reads, such as a watch of several kinds
   * @param headers gives the value of a header by its name, not null
   * @return identifier of the credential that signed in, as {@link TokenCheck} gave it; empty when
   *     the request has no valid session
   * @throws StorageException FORBIDDEN when the session may not send this request, for example a
   *     write that another site caused, or any write of a read-only session
   */
  Optional<String> credentialOf(
      String method, boolean changes, Function<String, Optional<String>> headers)
      throws StorageException;
}
