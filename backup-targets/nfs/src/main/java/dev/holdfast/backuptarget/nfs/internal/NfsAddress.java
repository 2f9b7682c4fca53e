package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.NfsExport;
import dev.holdfast.host.NfsMountOptions;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An export, as Longhorn writes it: {@code nfs://SERVER:/PATH?nfsOptions=OPTIONS}. A port may stand
 * behind the colon.
 *
 * @param export that is mounted, not null
 * @param options of the mount, not null
 */
record NfsAddress(NfsExport export, List<String> options) {
  static final String OPTIONS = "nfsOptions";

  /**
   * A soft mount gives requests of a silent server up. Attributes are kept for a second only,
   * because another cluster may write to the same target.
   */
  static final List<String> DEFAULT = List.of("soft", "timeo=300", "retrans=5", "actimeo=1");

  private static final Pattern AUTHORITY =
      Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]*|\\[[0-9A-Fa-f:.]+\\])(?::([0-9]{0,5}))?");
  private static final int DEFAULT_PORT = 2049;
  private static final int HIGHEST_PORT = 65_535;

  NfsAddress {
    options = List.copyOf(options);
  }

  static NfsAddress of(TargetUrl url) throws StorageException {
    url.requireParameters(Set.of(OPTIONS), "an NFS export has " + OPTIONS + " only");
    Matcher authority = AUTHORITY.matcher(url.authority());
    if (!authority.matches()) {
      throw invalid("server \"" + url.authority() + "\": expected nfs://SERVER:/PATH");
    }
    String given = authority.group(2);
    int port = given == null || given.isEmpty() ? DEFAULT_PORT : Integer.parseInt(given);
    if (port < 1 || port > HIGHEST_PORT) {
      throw invalid("port " + port + ": expected a number from 1 to " + HIGHEST_PORT);
    }
    String path = "/" + url.keyPrefix().replaceFirst("/$", "");
    return new NfsAddress(
        new NfsExport(authority.group(1), port, path), options(url.parameter(OPTIONS)));
  }

  private static List<String> options(String text) throws StorageException {
    if (text.isBlank()) {
      return DEFAULT;
    }
    try {
      return NfsMountOptions.parse(text);
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          "backup target: " + OPTIONS + " \"" + text + "\": " + e.getMessage(),
          e);
    }
  }

  private static StorageException invalid(String reason) {
    return new StorageException(ErrorCode.INVALID, "backup target: " + reason);
  }

  /** Returns what messages call the target. */
  @Override
  public String toString() {
    return "backup target " + export;
  }
}
