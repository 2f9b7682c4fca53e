package dev.holdfast.backuptarget.azure.internal;

import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** An account and how its server is reached: what a secret with Longhorn's keys says. */
final class AzureAccount {
  private static final String NAME = "AZBLOB_ACCOUNT_NAME";
  private static final String KEY = "AZBLOB_ACCOUNT_KEY";
  private static final String ENDPOINT = "AZBLOB_ENDPOINT";
  private static final String ALGORITHM = "HmacSHA256";
  private static final Pattern ACCOUNT = Pattern.compile("[a-z0-9]{3,24}");

  static final List<CredentialKey> CREDENTIALS =
      List.of(
          new CredentialKey(NAME, false, "Name of the storage account."),
          new CredentialKey(KEY, true, "Key of the storage account, in base64."),
          new CredentialKey(
              ENDPOINT, false, "Address of the server, https://host:port; default: Azure's."));

  private final String name;
  private final byte[] key;
  private final URI endpoint;

  private AzureAccount(String name, byte[] key, URI endpoint) {
    this.name = name;
    this.key = key;
    this.endpoint = endpoint;
  }

  /** Reads a secret. */
  static AzureAccount of(Map<String, byte[]> secret, AzureAddress address) throws StorageException {
    String name = text(secret, NAME);
    if (!ACCOUNT.matcher(name).matches()) {
      throw invalid(NAME + ": expected 3 to 24 lower-case letters and digits");
    }
    byte[] key;
    try {
      key = Base64.getDecoder().decode(text(secret, KEY));
    } catch (IllegalArgumentException e) {
      // The message of the exception may show a part of the key.
      throw invalid(KEY + ": expected base64");
    }
    if (key.length == 0) {
      throw invalid(KEY + ": required");
    }
    String endpoint = text(secret, ENDPOINT);
    return new AzureAccount(
        name,
        key,
        endpoint(endpoint.isEmpty() ? "https://" + name + ".blob." + address.suffix() : endpoint));
  }

  private static String text(Map<String, byte[]> secret, String key) {
    byte[] value = secret.get(key);
    return value == null ? "" : new String(value, StandardCharsets.UTF_8).strip();
  }

  private static URI endpoint(String text) throws StorageException {
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
    return endpoint;
  }

  private static StorageException invalidEndpoint() {
    return invalid(ENDPOINT + ": expected one address such as https://host:10000/account");
  }

  private static StorageException invalid(String reason) {
    return new StorageException(ErrorCode.INVALID, "credentials of the backup target: " + reason);
  }

  /** Returns the address of the server, without a slash at its end. */
  String endpoint() {
    return endpoint.toString().replaceFirst("/+$", "");
  }

  /**
   * Returns the value of the header Authorization (scheme SharedKey).
   *
   * @param method of the request
   * @param uri with the parameters of the request
   * @param length of the body
   * @param headers all others that are signed, by names in lower case
   * @param parameters of the URI, decoded
   */
  String authorization(
      String method,
      URI uri,
      long length,
      Map<String, String> headers,
      Map<String, String> parameters) {
    StringBuilder text = new StringBuilder(method);
    for (String header :
        List.of(
            "content-encoding",
            "content-language",
            "content-length",
            "content-md5",
            "content-type",
            "date",
            "if-modified-since",
            "if-match",
            "if-none-match",
            "if-unmodified-since",
            "range")) {
      boolean isLength = header.equals("content-length");
      text.append('\n')
          .append(
              isLength
                  ? length == 0 ? "" : Long.toString(length)
                  : headers.getOrDefault(header, ""));
    }
    new TreeMap<>(headers)
        .forEach(
            (header, value) -> {
              if (header.startsWith("x-ms-")) {
                text.append('\n').append(header).append(':').append(value);
              }
            });
    text.append("\n/").append(name).append(uri.getRawPath());
    new TreeMap<>(parameters)
        .forEach(
            (parameter, value) -> text.append('\n').append(parameter).append(':').append(value));
    return "SharedKey " + name + ":" + signature(text.toString());
  }

  private String signature(String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("each JVM has " + ALGORITHM, e);
    }
  }

  /** Shows no credential. */
  @Override
  public String toString() {
    return "storage account " + name;
  }
}
