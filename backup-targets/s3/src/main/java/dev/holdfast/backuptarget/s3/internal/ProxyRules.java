package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which requests go through a proxy. Its text shows no address, because one may hold a password.
 *
 * @param http proxy for servers without TLS
 * @param https proxy for servers with TLS
 * @param none hosts, and domains with their hosts, without a proxy; {@code *} for all
 */
record ProxyRules(Optional<URI> http, Optional<URI> https, List<String> none) {
  static final String HTTP = "HTTP_PROXY";
  static final String HTTPS = "HTTPS_PROXY";
  static final String NONE = "NO_PROXY";

  static ProxyRules of(String http, String https, String none) throws StorageException {
    return new ProxyRules(
        proxy(HTTP, http),
        proxy(HTTPS, https),
        Stream.of(none.split(",", -1))
            .map(host -> host.strip().toLowerCase(Locale.ROOT))
            .map(host -> host.replaceFirst("^\\*?\\.", ""))
            .filter(host -> !host.isEmpty())
            .toList());
  }

  private static Optional<URI> proxy(String key, String text) throws StorageException {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    URI proxy;
    try {
      proxy = new URI(text.contains("://") ? text : "http://" + text);
    } catch (URISyntaxException e) {
      throw invalid(key);
    }
    boolean web = "http".equals(proxy.getScheme()) || "https".equals(proxy.getScheme());
    if (!web || proxy.getHost() == null) {
      throw invalid(key);
    }
    return Optional.of(proxy);
  }

  private static StorageException invalid(String key) {
    return S3Access.invalid(key + ": expected an address such as http://proxy:3128");
  }

  /** Returns the proxy for a server. */
  Optional<URI> forServer(boolean tls, String host) {
    String name = host.toLowerCase(Locale.ROOT);
    boolean direct =
        none.stream()
            .anyMatch(rule -> "*".equals(rule) || name.equals(rule) || name.endsWith("." + rule));
    return direct ? Optional.empty() : tls ? https : http;
  }

  @Override
  public String toString() {
    return "proxies";
  }
}
