package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * An export of an NFS server.
 *
 * @param host name or address of the server; an IPv6 address stands in brackets
 * @param port of the server
 * @param path of the export, which begins with a slash
 */
public record NfsExport(String host, int port, String path) {
  private static final int PORT = 2049;

  /**
   * Reads an endpoint such as {@code nfs://10.0.0.5:2050/demo}. Port 2049 can be left out.
   *
   * @throws StorageException INVALID
   */
  public static NfsExport of(String endpoint) throws StorageException {
    try {
      URI uri = new URI(endpoint);
      boolean complete =
          "nfs".equals(uri.getScheme())
              && uri.getHost() != null
              && uri.getPath() != null
              && uri.getPath().length() > 1;
      if (complete) {
        int port = uri.getPort() < 0 ? PORT : uri.getPort();
        return new NfsExport(uri.getHost(), port, uri.getPath());
      }
    } catch (URISyntaxException e) {
      // Continue below: every wrong endpoint has the same message.
    }
    throw new StorageException(
        ErrorCode.INVALID, "endpoint \"" + endpoint + "\": expected nfs://HOST[:PORT]/NAME");
  }

  /** Returns the export as mount(8) and the mount table name it, without the port. */
  public String source() {
    return host + ":" + path;
  }

  /** Returns the endpoint, with its port. */
  @Override
  public String toString() {
    return "nfs://" + host + ":" + port + path;
  }
}
