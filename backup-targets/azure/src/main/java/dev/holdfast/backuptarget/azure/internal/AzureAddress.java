package dev.holdfast.backuptarget.azure.internal;

import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A place in a container: {@code azblob://CONTAINER@SUFFIX/PATH/}, as Longhorn writes it.
 *
 * @param container name of the container, not null
 * @param suffix end of the server's name behind the account and {@code .blob.}, not null
 * @param root begins the names of all objects, without a leading slash and with a trailing one;
 *     empty for the whole container; not null
 */
record AzureAddress(String container, String suffix, String root) {
  private static final String DEFAULT_SUFFIX = "core.windows.net";
  private static final Pattern CONTAINER =
      Pattern.compile("[a-z0-9](?!.*--)[a-z0-9-]{1,61}[a-z0-9]");
  private static final Pattern SUFFIX = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

  static AzureAddress of(TargetUrl url) throws StorageException {
    url.requireParameters(Set.of(), "a container has none");
    int at = url.authority().indexOf('@');
    String container = at < 0 ? url.authority() : url.authority().substring(0, at);
    String suffix = at < 0 ? DEFAULT_SUFFIX : url.authority().substring(at + 1);
    if (!CONTAINER.matcher(container).matches()) {
      throw invalid(
          "container \""
              + container
              + "\": expected 3 to 63 lower-case letters, digits and single dashes");
    }
    if (!SUFFIX.matcher(suffix).matches()) {
      throw invalid("\"" + suffix + "\": expected the end of a server's name, core.windows.net");
    }
    return new AzureAddress(container, suffix, url.keyPrefix());
  }

  private static StorageException invalid(String reason) {
    return new StorageException(ErrorCode.INVALID, "backup target: " + reason);
  }

  /** Returns the name in the container of the object of a key. */
  String name(String key) {
    return root + key;
  }

  /** Returns what messages call the target. */
  @Override
  public String toString() {
    return "backup target azblob://" + container + "@" + suffix + "/" + root;
  }
}
