package dev.holdfast.http.internal.connection;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.internal.exchange.ExchangePeer;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.AttributeKey;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;

/** One client's connection. Thread-safe. */
final class HttpConnection implements ExchangePeer {
  private static final AttributeKey<HttpConnection> KEY =
      AttributeKey.valueOf("dev.holdfast.http.connection");

  private final SocketChannel channel;
  private final ConnectionAccounts accounts;
  private final InetAddress address;
  private volatile List<X509Certificate> certificates = List.of();
  private volatile boolean identified;
  private volatile boolean aborted;

  /** Creates the connection of an accepted channel. */
  static HttpConnection of(SocketChannel channel, ConnectionAccounts accounts) {
    HttpConnection connection = new HttpConnection(channel, accounts);
    channel.attr(KEY).set(connection);
    return connection;
  }

  /** Returns the connection of a channel. */
  static HttpConnection of(SocketChannel channel) {
    return channel.attr(KEY).get();
  }

  private HttpConnection(SocketChannel channel, ConnectionAccounts accounts) {
    this.channel = channel;
    this.accounts = accounts;
    this.address = channel.remoteAddress().getAddress();
  }

  @Override
  public InetAddress address() {
    return address;
  }

  @Override
  public void identified() {
    if (!identified) {
      identified = true;
      accounts.identified(this);
    }
  }

  @Override
  public void refused(ConnectionRefusal reason) {
    accounts.count(reason);
  }

  @Override
  public List<X509Certificate> certificates() {
    return certificates;
  }

  /**
   * Records the end of the handshake.
   *
   * @param shown certificates of the client, empty without one
   */
  void secured(List<X509Certificate> shown) {
    certificates = shown;
    accounts.secured(this);
  }

  /** Ends the connection at once, without the TLS close, which would wait. */
  void abort() {
    aborted = true;
    if (channel.isRegistered()) {
      channel.eventLoop().execute(() -> channel.unsafe().close(channel.newPromise()));
    }
  }

  /** Returns whether the connection was ended before an event loop received it. */
  boolean isAborted() {
    return aborted;
  }

  /** Records the end of the connection. */
  void ended() {
    accounts.ended(this);
  }
}
