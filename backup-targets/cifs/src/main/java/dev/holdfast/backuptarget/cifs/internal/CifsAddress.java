package dev.holdfast.backuptarget.cifs.internal;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A folder of a share: {@code cifs://SERVER[:PORT]/SHARE/PATH}, as Longhorn writes it.
 *
 * @param server name or address, not null
 * @param port of the server
 * @param share name of the share, not null
 * @param root folder in the share, with slashes between names and none at its ends; empty for the
 *     whole share; not null
 */
record CifsAddress(String server, int port, String share, String root) {
  private static final Pattern AUTHORITY =
      Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]*|\\[[0-9A-Fa-f:.]+\\])(?::([0-9]{1,5}))?");
  private static final Pattern SHARE = Pattern.compile("[^/\\\\:*?\"<>|]{1,80}");

  /** Characters that servers refuse in names, and ends of names that they change silently. */
  private static final Pattern REFUSED = Pattern.compile("[\\\\:*?\"<>|]|[. ](/|$)");

  private static final int DEFAULT_PORT = 445;
  private static final int HIGHEST_PORT = 65_535;

  static CifsAddress of(TargetUrl url) throws StorageException {
    url.requireParameters(Set.of(), "options of mounts have no effect here");
    Matcher authority = AUTHORITY.matcher(url.authority());
    if (!authority.matches()) {
      throw invalid("server \"" + url.authority() + "\": expected cifs://SERVER/SHARE/PATH");
    }
    int port = authority.group(2) == null ? DEFAULT_PORT : Integer.parseInt(authority.group(2));
    if (port < 1 || port > HIGHEST_PORT) {
      throw invalid("port " + port + ": expected a number from 1 to " + HIGHEST_PORT);
    }
    String path = url.path().replaceFirst("^/", "").replaceFirst("/$", "");
    String share = path.replaceFirst("/.*", "");
    String root = path.length() > share.length() ? path.substring(share.length() + 1) : "";
    if (!SHARE.matcher(share).matches()) {
      throw invalid("share \"" + share + "\": expected cifs://SERVER/SHARE/PATH");
    }
    if (!root.isEmpty() && (!ObjectKeys.isValid(root) || REFUSED.matcher(root).find())) {
      throw invalid("path \"" + root + "\": expected names separated by single slashes");
    }
    return new CifsAddress(authority.group(1), port, share, root);
  }

  private static StorageException invalid(String reason) {
    return new StorageException(ErrorCode.INVALID, "backup target: " + reason);
  }

  /**
   * Returns the path in the share of the object of a key, with slashes.
   *
   * @throws StorageException INVALID for a key that is not valid, or that such servers do not
   *     accept
   */
  String path(String key) throws StorageException {
    ObjectKeys.check(key);
    if (REFUSED.matcher(key).find()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "object key \""
              + key
              + "\": a CIFS server accepts none of \\ : * ? \" < > | and no name that ends in a dot"
              + " or a space");
    }
    return below(key);
  }

  /** Returns the path in the share of a name below the root. */
  String below(String name) {
    return root.isEmpty() || name.isEmpty() ? root + name : root + "/" + name;
  }

  /** Returns what messages call the target. */
  @Override
  public String toString() {
    return "backup target cifs://" + server + "/" + share + "/" + root;
  }
}
