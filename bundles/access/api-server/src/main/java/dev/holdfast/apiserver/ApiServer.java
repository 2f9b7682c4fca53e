package dev.holdfast.apiserver;

import dev.holdfast.apiserver.internal.RunningServer;
import dev.holdfast.authorization.Authorization;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.net.InetSocketAddress;
import java.time.Clock;
import javax.net.ssl.SSLContext;

/**
 * An API server outside of the container, for tests and for tools that serve a store to kubectl. In
 * the container a component starts the server.
 */
public final class ApiServer implements AutoCloseable {
  private final RunningServer server;
  private final Authorization authorization;

  private ApiServer(RunningServer server, Authorization authorization) {
    this.server = server;
    this.authorization = authorization;
  }

  /**
   * Starts a server.
   *
   * @param address to listen at; port 0 selects a free port
   * @param tls with the server's certificate
   * @param token of the administrator; users have the access tokens of the store
   * @param version version of Holdfast that clients see
   * @param store to serve
   * @return the server, never null; close it when done
   * @throws StorageException BUSY when the port is in use; IO
   */
  public static ApiServer start(
      InetSocketAddress address, SSLContext tls, String token, String version, ResourceStore store)
      throws StorageException {
    Authorization authorization = Authorization.over(store, Clock.systemUTC());
    try {
      return new ApiServer(
          RunningServer.start(address, tls, token, version, store, authorization.control()),
          authorization);
    } catch (StorageException e) {
      authorization.close();
      throw e;
    }
  }

  /** Returns the port that it listens at. */
  public int port() {
    return server.port();
  }

  /** Ends all watches and stops. */
  @Override
  public void close() {
    server.close();
    authorization.close();
  }
}
