package dev.holdfast.frontend.testkit;

import java.io.IOException;
import java.net.URI;
import javax.net.ssl.SSLContext;

/** A fixture whose client can change to TLS, or begin with it. */
public interface SecureFrontendFixture extends FrontendFixture {

  /**
   * Connects a client to an export, with TLS before it names the export.
   *
   * @param endpoint as published, not null
   * @param trust what the client trusts, where TLS is by certificates, not null
   * @throws IOException when the export or TLS is refused
   */
  FrontendClient connectSecurely(URI endpoint, SSLContext trust) throws IOException;
}
