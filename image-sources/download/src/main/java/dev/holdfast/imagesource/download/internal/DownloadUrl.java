package dev.holdfast.imagesource.download.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * An address from which an image is downloaded.
 *
 * @param secure whether it is HTTPS
 * @param host name or address, without brackets
 * @param port of the server
 * @param path with the query, encoded
 */
record DownloadUrl(boolean secure, String host, int port, String path) {
  private static final int LONGEST = 4096;

  static DownloadUrl parse(String image, String text) throws StorageException {
    try {
      if (text.length() > LONGEST) {
        throw wrong(image, text.substring(0, 64) + "…", "is longer than " + LONGEST);
      }
      return of(image, new URI(text));
    } catch (URISyntaxException e) {
      throw wrong(image, text, "is not an address: " + e.getReason());
    }
  }

  /** Returns the address to which a redirect leads. */
  DownloadUrl redirected(String image, String location) throws StorageException {
    try {
      DownloadUrl next = of(image, new URI(toString()).resolve(new URI(location)));
      if (secure && !next.secure()) {
        throw wrong(image, location, "leads from https to http");
      }
      return next;
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw wrong(image, location, "is not an address: " + e.getMessage());
    }
  }

  private static DownloadUrl of(String image, URI uri) throws StorageException {
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    boolean secure = scheme.equals("https");
    if (!secure && !scheme.equals("http")) {
      throw wrong(image, uri.toString(), "must begin with http:// or https://");
    } else if (uri.getHost() == null) {
      throw wrong(image, uri.toString(), "names no host");
    } else if (uri.getRawUserInfo() != null) {
      throw wrong(image, "http://…@" + uri.getHost(), "must not have a user or password");
    }
    int port = uri.getPort() < 0 ? (secure ? 443 : 80) : uri.getPort();
    if (port < 1 || port > 65535) {
      throw wrong(image, uri.toString(), "has the port " + port + ": expected 1 to 65535");
    }
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    URI ascii = URI.create(uri.toASCIIString());
    return new DownloadUrl(
        secure,
        ascii.getHost().replaceAll("[\\[\\]]", ""),
        port,
        URI.create(path + query).toASCIIString());
  }

  private static StorageException wrong(String image, String text, String why) {
    return new StorageException(
        ErrorCode.INVALID, "image " + image + ": the download address " + text + " " + why);
  }

  /** Returns the value of the Host header. */
  String authority() {
    String name = host.contains(":") ? "[" + host + "]" : host;
    return port == (secure ? 443 : 80) ? name : name + ":" + port;
  }

  /** Returns host and port, the port also where it is the usual one. */
  String place() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  @Override
  public String toString() {
    return (secure ? "https://" : "http://") + authority() + path;
  }
}
