package dev.holdfast.backuptarget.cifs.internal;

import com.hierynomus.msfscc.fileinformation.FileIdBothDirectoryInformation;
import com.hierynomus.mssmb2.SMBApiException;
import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One walk over the files below a root in the order of their keys. It holds the entries of one
 * folder for each level, and enters only folders that can have keys of the prefix behind the given
 * one. Links of the server are not followed.
 */
final class CifsListing {
  private static final long DIRECTORY = 0x10;
  private static final long REPARSE_POINT = 0x400;

  private final CifsAddress address;
  private final CifsSession session;
  private final String prefix;
  private final String after;
  private final ObjectVisitor visitor;

  CifsListing(
      CifsAddress address,
      CifsSession session,
      String prefix,
      String after,
      ObjectVisitor visitor) {
    this.address = address;
    this.session = session;
    this.prefix = prefix;
    this.after = after;
    this.visitor = visitor;
  }

  void run() throws StorageException {
    walk("");
  }

  /** The base is empty, or the key of a folder with a slash at its end. */
  private void walk(String base) throws StorageException {
    for (Map.Entry<String, FileIdBothDirectoryInformation> entry : entries(base).entrySet()) {
      String key = base + entry.getKey();
      if (key.endsWith("/")) {
        if (mayContain(key)) {
          walk(key);
        }
      } else if (key.startsWith(prefix) && compare(key, after) > 0 && ObjectKeys.isValid(key)) {
        visitor.object(CifsFiles.describe(key, entry.getValue()));
      }
    }
  }

  /** Whether a folder, whose key ends in a slash, can have wanted keys. */
  private boolean mayContain(String folder) {
    boolean matches = folder.startsWith(prefix) || prefix.startsWith(folder);
    return matches && (after.startsWith(folder) || compare(folder, after) > 0);
  }

  /** The entries of a folder in the order of keys; names of folders end in a slash. */
  private Map<String, FileIdBothDirectoryInformation> entries(String base) throws StorageException {
    Map<String, FileIdBothDirectoryInformation> entries = new TreeMap<>(CifsListing::compare);
    for (FileIdBothDirectoryInformation entry : files(base)) {
      String name = entry.getFileName();
      long attributes = entry.getFileAttributes();
      if (ObjectKeys.isValid(name) && !name.contains("/") && (attributes & REPARSE_POINT) == 0) {
        entries.put((attributes & DIRECTORY) == 0 ? name : name + "/", entry);
      }
    }
    return entries;
  }

  private List<FileIdBothDirectoryInformation> files(String base) throws StorageException {
    String folder = address.below(base.isEmpty() ? "" : base.substring(0, base.length() - 1));
    return session.call(
        "list of \"" + prefix + "\"",
        true,
        share -> {
          try {
            return share.list(CifsFiles.serverPath(folder));
          } catch (SMBApiException e) {
            if (!CifsFailures.isAbsent(e)) {
              throw e;
            }
            if (base.isEmpty()) {
              throw session.failures().noFolder();
            }
            return List.of();
          }
        });
  }

  private static int compare(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
