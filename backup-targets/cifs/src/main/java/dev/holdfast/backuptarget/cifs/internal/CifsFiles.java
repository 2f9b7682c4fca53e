package dev.holdfast.backuptarget.cifs.internal;

import com.hierynomus.msdtyp.AccessMask;
import com.hierynomus.msdtyp.FileTime;
import com.hierynomus.mserref.NtStatus;
import com.hierynomus.msfscc.FileAttributes;
import com.hierynomus.msfscc.fileinformation.FileAllInformation;
import com.hierynomus.msfscc.fileinformation.FileIdBothDirectoryInformation;
import com.hierynomus.mssmb2.SMB2CreateDisposition;
import com.hierynomus.mssmb2.SMB2CreateOptions;
import com.hierynomus.mssmb2.SMB2ShareAccess;
import com.hierynomus.mssmb2.SMBApiException;
import com.hierynomus.smbj.share.DiskShare;
import com.hierynomus.smbj.share.File;
import dev.holdfast.backuptarget.StoredObject;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/** Files of a share seen as objects, and folders. Paths have slashes. */
final class CifsFiles {
  private static final int TICKS_PER_SECOND = 10_000_000;
  private static final long SECONDS_FROM_1601_TO_1970 = 11_644_473_600L;

  private CifsFiles() {}

  /** Returns a path as the server writes it. */
  static String serverPath(String path) {
    return path.replace('/', '\\');
  }

  /** Opens a file; several programs may have it open, replace it and delete it in the same time. */
  static File open(
      DiskShare share, String path, Set<AccessMask> rights, SMB2CreateDisposition disposition) {
    return share.openFile(
        serverPath(path),
        rights,
        EnumSet.of(FileAttributes.FILE_ATTRIBUTE_NORMAL),
        SMB2ShareAccess.ALL,
        disposition,
        EnumSet.of(SMB2CreateOptions.FILE_NON_DIRECTORY_FILE));
  }

  static StoredObject describe(String key, FileAllInformation file) {
    return described(
        key,
        file.getStandardInformation().getEndOfFile(),
        file.getInternalInformation().getIndexNumber(),
        file.getBasicInformation().getLastWriteTime());
  }

  static StoredObject describe(String key, FileIdBothDirectoryInformation file) {
    return described(key, file.getEndOfFile(), file.getFileId(), file.getLastWriteTime());
  }

  /** The number of a file tells it from the one that it replaced. */
  private static StoredObject described(String key, long size, long number, FileTime modified) {
    long ticks = modified.getWindowsTimeStamp();
    Instant time =
        Instant.ofEpochSecond(
            ticks / TICKS_PER_SECOND - SECONDS_FROM_1601_TO_1970,
            ticks % TICKS_PER_SECOND * (1_000_000_000 / TICKS_PER_SECOND));
    return new StoredObject(
        key, Math.max(0, size), Long.toUnsignedString(number) + "-" + size + "-" + ticks, time);
  }

  /** Creates what is missing of the folders of a path below a root that exists. */
  static void createFolders(DiskShare share, String root, String path) {
    int end = path.indexOf('/', root.isEmpty() ? 0 : root.length() + 1);
    for (; end > 0; end = path.indexOf('/', end + 1)) {
      createFolder(share, path.substring(0, end));
    }
  }

  /**
   * Creates a folder, unless its name or its parent prevents that: its use then shows the cause.
   */
  static void createFolder(DiskShare share, String path) {
    try {
      share.mkdir(serverPath(path));
    } catch (SMBApiException e) {
      boolean exists = e.getStatus() == NtStatus.STATUS_OBJECT_NAME_COLLISION;
      if (!exists && !CifsFailures.isAbsent(e)) {
        throw e;
      }
    }
  }

  /** Removes the folders of a path below a root as far as they are empty. */
  static void removeEmptyFolders(DiskShare share, String root, String path) {
    int least = root.isEmpty() ? 0 : root.length() + 1;
    for (int end = path.lastIndexOf('/'); end > least; end = path.lastIndexOf('/', end - 1)) {
      try {
        share.rmdir(serverPath(path.substring(0, end)), false);
      } catch (SMBApiException e) {
        // Not empty, or removed by another client.
        return;
      }
    }
  }
}
