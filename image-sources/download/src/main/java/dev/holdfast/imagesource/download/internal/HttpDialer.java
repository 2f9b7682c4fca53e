package dev.holdfast.imagesource.download.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.AddressRule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Connects to servers. The address that was checked is the one that is used: a name is resolved
 * once for each connection, and never by the socket.
 */
final class HttpDialer {
  private final String image;
  private final AddressRule rule;
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
      Resolver resolver,
      SSLSocketFactory tls,
      DownloadLimits limits) {
    this.image = image;
    this.rule = rule;
    this.resolver = resolver;
    this.tls = tls;
    this.limits = limits;
  }

  DownloadLimits limits() {
    return limits;
  }

  /** Connects to the first address that is permitted and answers. */
  Socket connect(DownloadUrl url) throws StorageException {
    InetAddress[] addresses;
    try {
      addresses = resolver.resolve(url.host());
    } catch (UnknownHostException e) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "image " + image + ": the host " + url.host() + " is unknown", e);
    }
    StorageException failure = null;
    for (InetAddress address : addresses) {
      try {
        rule.require(address);
        return connect(url, address);
      } catch (StorageException e) {
        failure = e;
      } catch (IOException e) {
        failure =
            new StorageException(
                ErrorCode.UNREACHABLE,
                "image " + image + ": " + url.authority() + ": " + e.getMessage(),
                e);
      }
    }
    throw failure == null
        ? new StorageException(
            ErrorCode.UNREACHABLE, "image " + image + ": " + url.host() + " has no address")
        : failure;
  }

  private Socket connect(DownloadUrl url, InetAddress address) throws IOException {
    Socket socket = new Socket();
    try {
      int limit = (int) limits.connect().toMillis();
      socket.connect(new InetSocketAddress(address, url.port()), limit);
      socket.setSoTimeout((int) limits.head().toMillis());
      if (!url.secure()) {
        return socket;
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
}
