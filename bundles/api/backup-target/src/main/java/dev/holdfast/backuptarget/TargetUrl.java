package dev.holdfast.backuptarget;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Address of a backup target, or of a volume or a backup there: {@code
 * scheme://authority/path?parameters}. Longhorn writes its addresses in the same form.
 *
 * @param scheme lower case, for example {@code s3}, not null
 * @param authority host, bucket or empty; never decoded; not null
 * @param path begins with a slash, decoded, not null
 * @param parameters of the query by name, decoded, not null
 */
public record TargetUrl(
    String scheme, String authority, String path, Map<String, String> parameters) {
  /** Name of the parameter that names a backup. */
  public static final String BACKUP = "backup";

  /** Name of the parameter that names a volume. */
  public static final String VOLUME = "volume";

  /** Checks and copies the components. */
  public TargetUrl {
    Objects.requireNonNull(scheme, "scheme");
    Objects.requireNonNull(authority, "authority");
    Objects.requireNonNull(path, "path");
    parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
  }

  /**
   * Parses an address.
   *
   * @param text the address, not null
   * @return the parts, never null
   * @throws StorageException INVALID for any other text
   */
  public static TargetUrl parse(String text) throws StorageException {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw invalid(text, e.getReason());
    }
    if (uri.getScheme() == null || uri.isOpaque() || uri.getRawFragment() != null) {
      throw invalid(text, "expected scheme://authority/path, for example file:///backups");
    }
    String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
    String path = uri.getPath().isEmpty() ? "/" : uri.getPath();
    return new TargetUrl(
        uri.getScheme().toLowerCase(Locale.ROOT), authority, path, parameters(text, uri));
  }

  private static Map<String, String> parameters(String text, URI uri) throws StorageException {
    Map<String, String> found = new TreeMap<>();
    if (uri.getRawQuery() == null || uri.getRawQuery().isEmpty()) {
      return found;
    }
    for (String pair : uri.getRawQuery().split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw invalid(text, "parameter \"" + pair + "\": expected NAME=VALUE");
      }
      String name = decoded(text, pair.substring(0, equals));
      if (found.put(name, decoded(text, pair.substring(equals + 1))) != null) {
        throw invalid(text, "parameter " + name + " stands there twice");
      }
    }
    return found;
  }

  private static String decoded(String text, String encoded) throws StorageException {
    try {
      return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw invalid(text, "\"" + encoded + "\": wrong percent encoding");
    }
  }

  private static StorageException invalid(String text, String reason) {
    return new StorageException(ErrorCode.INVALID, "address \"" + text + "\": " + reason);
  }

  /**
   * Rejects parameters that the kind of target does not have. Parameters that name a volume or a
   * backup are always accepted.
   *
   * @param own names of the kind's parameters, not null
   * @param reason why the kind has no other parameters, for example {@code a bucket has none}; not
   *     null
   * @throws StorageException INVALID, with the name of the first rejected parameter
   */
  public void requireParameters(Set<String> own, String reason) throws StorageException {
    for (String name : parameters.keySet()) {
      if (!own.contains(name) && !name.equals(VOLUME) && !name.equals(BACKUP)) {
        throw new StorageException(
            ErrorCode.INVALID,
            "backup target: parameter \"" + name + "\": " + reason + ": remove it");
      }
    }
  }

  /**
   * Returns the path as a prefix of keys, for targets that keep several sets of objects.
   *
   * @return the path without its leading slash and with a trailing one; empty for the path {@code
   *     /}; never null
   * @throws StorageException INVALID for a path that is not valid as a key
   */
  public String keyPrefix() throws StorageException {
    String prefix = path.replaceFirst("^/", "").replaceFirst("/$", "");
    if (prefix.isEmpty()) {
      return "";
    }
    if (!ObjectKeys.isValid(prefix)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "backup target: path \"" + path + "\": expected names separated by single slashes");
    }
    return prefix + "/";
  }

  /**
   * Returns a parameter.
   *
   * @param name of the parameter, not null
   * @return its value, or empty text when it is absent
   */
  public String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }
}
