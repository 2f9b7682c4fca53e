package dev.holdfast.imagesource.download.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.AddressRule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Connects to servers. The address that was checked is the one that is used: a name is resolved
 * once for each connection, and never by the socket.
 *
 * <p>With a proxy, the proxy resolves the name. All addresses that this node finds for it are
 * checked before; a name that only the proxy can resolve is left to the rules of the proxy. The
 * proxy's own address is not checked, because an administrator set it.
 */
final class HttpDialer {
  private final String image;
  private final AddressRule rule;
  private final Optional<InetSocketAddress> proxy;
  private final Resolver resolver;
  private final SSLSocketFactory tls;
  private final DownloadLimits limits;

  /** Finds the addresses of a name. */
  @FunctionalInterface
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  HttpDialer(
      String image,
      AddressRule rule,
      Optional<InetSocketAddress> proxy,
      Resolver resolver,
      SSLSocketFactory tls,
      DownloadLimits limits) {
    this.image = image;
    this.rule = rule;
    this.proxy = proxy;
    this.resolver = resolver;
    this.tls = tls;
    this.limits = limits;
  }

  DownloadLimits limits() {
    return limits;
  }

  /** Returns the target of a request (RFC 9112, section 3.2). */
  String target(DownloadUrl url) {
    return proxy.isPresent() && !url.secure() ? url.toString() : url.path();
  }

  /** Connects to the first address that is permitted and answers. */
  Socket connect(DownloadUrl url) throws StorageException {
    if (proxy.isPresent()) {
      requireKnown(url);
      String host = proxy.get().getHostString();
      return connect(url, host, proxy.get().getPort(), false);
    }
    return connect(url, url.host(), url.port(), true);
  }

  /** Checks what this node knows of a server to which the proxy connects. */
  private void requireKnown(DownloadUrl url) throws StorageException {
    InetAddress[] known;
    try {
      known = resolver.resolve(url.host());
    } catch (UnknownHostException e) {
      return; // the proxy may know it
    }
    for (InetAddress address : known) {
      rule.require(address);
    }
  }

  private Socket connect(DownloadUrl url, String host, int port, boolean checked)
      throws StorageException {
    InetAddress[] addresses;
    try {
      addresses = resolver.resolve(host);
    } catch (UnknownHostException e) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "image " + image + ": the " + (checked ? "host " : "proxy ") + host + " is unknown",
          e);
    }
    StorageException failure = null;
    for (InetAddress address : addresses) {
      try {
        if (checked) {
          rule.require(address);
        }
        return connect(url, new InetSocketAddress(address, port));
      } catch (StorageException e) {
        failure = e;
      } catch (IOException e) {
        failure =
            new StorageException(
                ErrorCode.UNREACHABLE,
                "image " + image + ": " + url.authority() + through() + ": " + e.getMessage(),
                e);
      }
    }
    throw failure == null
        ? new StorageException(
            ErrorCode.UNREACHABLE, "image " + image + ": " + host + " has no address")
        : failure;
  }

  private String through() {
    return proxy
        .map(at -> " through the proxy " + at.getHostString() + ":" + at.getPort())
        .orElse("");
  }

  private Socket connect(DownloadUrl url, InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    try {
      int limit = (int) limits.connect().toMillis();
      socket.connect(address, limit);
      socket.setSoTimeout((int) limits.head().toMillis());
      if (!url.secure()) {
        return socket;
      }
      if (proxy.isPresent()) {
        tunnel(socket, url);
      }
      SSLSocket secured = (SSLSocket) tls.createSocket(socket, url.host(), url.port(), true);
      SSLParameters parameters = secured.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secured.setSSLParameters(parameters);
      secured.startHandshake();
      return secured;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Has the proxy connect; the bytes that follow are those of the server. */
  private void tunnel(Socket socket, DownloadUrl url) throws IOException {
    String request =
        "CONNECT "
            + url.place()
            + " HTTP/1.1\r\nHost: "
            + url.place()
            + "\r\nUser-Agent: holdfast\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    // Byte by byte: what follows the head belongs to the server.
    ResponseHead head =
        ResponseHead.read(socket.getInputStream(), ResponseHead.within(limits.head()));
    if (head.status() != 200) {
      throw new IOException("the proxy answers with status " + head.status());
    }
  }
}
