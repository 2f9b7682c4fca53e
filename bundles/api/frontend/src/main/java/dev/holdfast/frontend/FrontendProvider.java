package dev.holdfast.frontend;

import java.net.URI;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A block protocol. Register an implementation as an OSGi service. It owns protocol sessions only:
 * listeners, connections, threads and TLS belong to the portal.
 */
@ConsumerType
public interface FrontendProvider {

  /**
   * Returns the value of {@code Volume.spec.frontend} that selects this frontend, for example
   * {@code nbd}.
   */
  String name();

  /**
   * Returns the default TCP port, for example 10809. The property {@link #portProperty()} overrides
   * it.
   */
  int defaultPort();

  /** Returns the name of the property that holds the port; the value 0 selects any free port. */
  default String portProperty() {
    return "holdfast." + name() + ".port";
  }

  /**
   * Returns whether only nodes of the cluster may connect. If so, clients must switch to TLS and
   * present a node's certificate. The property {@code holdfast.<name>.tls} = {@code off} removes
   * this requirement if the listener is bound to loopback.
   */
  default boolean nodesOnly() {
    return false;
  }

  /**
   * Returns whether the protocol supports TLS, by a switch or from the start. If false, exports of
   * this frontend cannot be published where the property {@code holdfast.<name>.tls} requires TLS.
   *
   * @since 1.5
   */
  default boolean hasTls() {
    return true;
  }

  /**
   * Returns whether the portal also listens on the UNIX socket {@code run/NAME.sock} below the data
   * directory, which only the account of the node can access. Its connections have no TLS.
   *
   * @since 2.2
   */
  default boolean hasLocalSocket() {
    return false;
  }

  /**
   * Returns the address by which initiators reach an export.
   *
   * @param host advertised host name or address, not null; an IPv6 address has no brackets
   * @param port advertised port
   * @param export name of the export, not null
   */
  URI endpoint(String host, int port, String export);

  /**
   * Opens the session of a new connection. The session may send a greeting at once. Called on the
   * connection's thread.
   *
   * @param connection the connection to the client, not null; used by the session only
   * @return the session, never null
   */
  FrontendSession open(FrontendConnection connection);
}
