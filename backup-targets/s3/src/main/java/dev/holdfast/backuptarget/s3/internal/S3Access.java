package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a server is reached: what a secret with Longhorn's keys says.
 *
 * @param keys the access key, empty for those of the host's environment
 * @param endpoint address of the server, empty for that of Amazon's region
 * @param certificates in PEM, trusted beside those of the JVM; empty for none
 * @param virtualHosted whether the bucket's name is a part of the server's name
 * @param proxies which requests go through a proxy
 */
record S3Access(
    Optional<Keys> keys,
    Optional<URI> endpoint,
    String certificates,
    boolean virtualHosted,
    ProxyRules proxies) {
  private static final String ID = "AWS_ACCESS_KEY_ID";
  private static final String SECRET = "AWS_SECRET_ACCESS_KEY";
  private static final String TOKEN = "AWS_SESSION_TOKEN";
  private static final String ENDPOINTS = "AWS_ENDPOINTS";
  private static final String CERT = "AWS_CERT";
  private static final String VIRTUAL = "VIRTUAL_HOSTED_STYLE";

  static final List<CredentialKey> CREDENTIALS =
      List.of(
          new CredentialKey(
              ID,
              true,
              "Access key; without it the host's environment, profile or instance role is used."),
          new CredentialKey(SECRET, true, "Secret of the access key."),
          new CredentialKey(TOKEN, true, "Session token of a temporary access key."),
          new CredentialKey(
              ENDPOINTS, false, "Address of the server, https://host:port; default: Amazon's."),
          new CredentialKey(
              CERT, false, "Certificates in PEM that are trusted beside those of the JVM."),
          new CredentialKey(
              VIRTUAL,
              false,
              "true for a server that expects the bucket in the host name; default: false."),
          new CredentialKey(
              ProxyRules.HTTP, true, "Proxy for servers without TLS, http://user:password@host:1."),
          new CredentialKey(
              ProxyRules.HTTPS, true, "Proxy for servers with TLS, http://user:password@host:1."),
          new CredentialKey(
              ProxyRules.NONE, false, "Hosts and domains without a proxy, separated by commas."));

  /**
   * An access key. Its text does not show it.
   *
   * @param id public part
   * @param secret secret part
   * @param token of a temporary key, or empty
   */
  record Keys(String id, String secret, String token) {
    @Override
    public String toString() {
      return "access key";
    }
  }

  /** Reads a secret. */
  static S3Access of(Map<String, byte[]> secret) throws StorageException {
    return new S3Access(
        keys(secret),
        endpoint(text(secret, ENDPOINTS)),
        text(secret, CERT),
        flag(text(secret, VIRTUAL)),
        ProxyRules.of(
            text(secret, ProxyRules.HTTP),
            text(secret, ProxyRules.HTTPS),
            text(secret, ProxyRules.NONE)));
  }

  static String text(Map<String, byte[]> secret, String key) {
    byte[] value = secret.get(key);
    return value == null ? "" : new String(value, StandardCharsets.UTF_8).strip();
  }

  private static Optional<Keys> keys(Map<String, byte[]> secret) throws StorageException {
    String id = text(secret, ID);
    String hidden = text(secret, SECRET);
    if (id.isEmpty() != hidden.isEmpty()) {
      throw invalid(
          (id.isEmpty() ? ID : SECRET)
              + ": missing beside "
              + (id.isEmpty() ? SECRET : ID)
              + ": set both, or none for the role of the host");
    }
    return id.isEmpty() ? Optional.empty() : Optional.of(new Keys(id, hidden, text(secret, TOKEN)));
  }

  private static Optional<URI> endpoint(String text) throws StorageException {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    URI endpoint;
    try {
      endpoint = new URI(text.contains("://") ? text : "https://" + text);
    } catch (URISyntaxException e) {
      // The text may hold a password: it is not shown.
      throw invalidEndpoint();
    }
    boolean web = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
    if (!web
        || endpoint.getHost() == null
        || endpoint.getRawUserInfo() != null
        || endpoint.getRawQuery() != null
        || endpoint.getRawFragment() != null) {
      throw invalidEndpoint();
    }
    return Optional.of(endpoint);
  }

  private static StorageException invalidEndpoint() {
    return invalid(ENDPOINTS + ": expected one address such as https://host:9000");
  }

  private static boolean flag(String text) throws StorageException {
    return switch (text) {
      case "true" -> true;
      case "", "false" -> false;
      default -> throw invalid(VIRTUAL + ": expected true or false");
    };
  }

  static StorageException invalid(String reason) {
    return new StorageException(ErrorCode.INVALID, "credentials of the backup target: " + reason);
  }
}
