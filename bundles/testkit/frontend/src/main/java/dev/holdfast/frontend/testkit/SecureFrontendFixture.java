package dev.holdfast.frontend.testkit;

import java.io.IOException;
import java.net.URI;
import javax.net.ssl.SSLContext;

/** A fixture whose client can switch to TLS, or start with it. */
public interface SecureFrontendFixture extends FrontendFixture {

  /**
   * Connects a client to an export, and starts TLS before it names the export.
   *
   * @param endpoint endpoint of the export, not null
   * @param trust trusted certificates of the client, if TLS uses certificates, not null
   * @throws IOException when the export or TLS is rejected
   */
  FrontendClient connectSecurely(URI endpoint, SSLContext trust) throws IOException;
}
