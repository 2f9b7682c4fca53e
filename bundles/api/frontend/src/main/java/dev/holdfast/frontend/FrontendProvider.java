package dev.holdfast.frontend;

import java.net.URI;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A block protocol. Register an implementation as an OSGi service. It owns protocol sessions only:
 * listeners, connections, threads and TLS belong to the portal.
 */
@ConsumerType
public interface FrontendProvider {

  /** Returns what {@code Volume.spec.frontend} says to select it, for example {@code nbd}. */
  String name();

  /**
   * Returns the TCP port to listen on unless the property {@link #portProperty()} says another, for
   * example 10809.
   */
  int defaultPort();

  /** Returns the name of the property that holds the port; 0 there means any free port. */
  default String portProperty() {
    return "holdfast." + name() + ".port";
  }

  /**
   * Returns whether only nodes of the cluster may connect. If so, clients must change to TLS and
   * show a node's certificate. The property {@code holdfast.<name>.tls} = {@code off} lifts this
   * where the listener is bound to loopback.
   */
  default boolean nodesOnly() {
    return false;
  }

  /**
   * Returns whether clients can be encrypted: they change to TLS, or begin with it. A frontend
   * whose protocol has none says false: then it is not shown where the property {@code
   * holdfast.<name>.tls} asks for TLS.
   *
   * @since 1.5
   */
  default boolean hasTls() {
    return true;
  }

  /**
   * Returns whether the portal also listens on the UNIX socket {@code run/NAME.sock} below the data
   * directory, which only the account of the node reaches. Its connections have no TLS.
   *
   * @since 2.2
   */
  default boolean hasLocalSocket() {
    return false;
  }

  /**
   * Returns how initiators name an export.
   *
   * @param host advertised host name or address, not null; an IPv6 address has no brackets
   * @param port advertised port
   * @param export name of the export, not null
   */
  URI endpoint(String host, int port, String export);

  /**
   * Opens the session of a new connection. The session may reply at once (a greeting). Called on
   * the connection's thread.
   *
   * @param connection the way to the client, not null; the session is its only user
   * @return the session, never null
   */
  FrontendSession open(FrontendConnection connection);
}
