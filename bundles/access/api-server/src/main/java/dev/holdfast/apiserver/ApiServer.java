package dev.holdfast.apiserver;

import dev.holdfast.apiserver.internal.RunningServer;
import dev.holdfast.authorization.Authorization;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.net.InetSocketAddress;
import java.time.Clock;
import javax.net.ssl.SSLContext;

/**
 * An API server outside of the container: for tests, and for tools that show a store to kubectl. In
 * the container a component starts it.
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
   * @param address to listen at; port 0 takes a free one
   * @param tls with the server's certificate
   * @param token of the administrator; users have the access tokens of the store
   * @param version of Holdfast, for clients to see
   * @param store to serve
   * @return the server, never null; close it when done
   * @throws StorageException BUSY when the port is taken; IO
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
