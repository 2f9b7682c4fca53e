package dev.holdfast.backuptarget.cifs.internal;

import com.hierynomus.msdtyp.AccessMask;
import com.hierynomus.msfscc.fileinformation.FileAllInformation;
import com.hierynomus.mssmb2.SMB2CreateDisposition;
import com.hierynomus.mssmb2.SMBApiException;
import com.hierynomus.smbj.share.DiskShare;
import com.hierynomus.smbj.share.File;
import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Lock;

/**
 * Objects as files below a folder of a share. Thread-safe. Several processes, also on several
 * nodes, may use one folder.
 *
 * <p>A put writes a file in the staging folder, flushes it, and renames it to its place; the server
 * makes the change of the name one step. With a condition it makes a hard link instead, which fails
 * when the name exists.
 */
final class CifsObjectStore implements ObjectStore {
  private static final String STAGING = ObjectKeys.RESERVED + "put";
  private static final int CHUNK = 1 << 20;

  private final CifsAddress address;
  private final CifsSession session;
  private final KeyLocks locks = new KeyLocks();

  CifsObjectStore(CifsAddress address, CifsSession session) {
    this.address = address;
    this.session = session;
  }

  @Override
  public Set<StoreCapability> capabilities() {
    return Set.of(StoreCapability.CREATE_IF_ABSENT);
  }

  private static String named(String key) {
    return "object " + key;
  }

  @Override
  public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    String path = address.path(key);
    if (options.ifTag().isPresent() || options.retainUntil().isPresent()) {
      throw session
          .failures()
          .of(
              ErrorCode.UNSUPPORTED,
              named(key),
              "a share has neither conditional replacement nor retention");
    }
    String staged = address.below(STAGING) + "/" + UUID.randomUUID();
    session.call(
        named(key),
        true,
        share -> {
          write(share, staged, content);
          return true;
        });
    Lock lock = locks.replacing(path);
    lock.lock();
    try {
      return session.call(
          named(key),
          false,
          share -> new Placing(share, key, staged).run(path, options.ifAbsent()));
    } finally {
      lock.unlock();
    }
  }

  private void write(DiskShare share, String staged, List<ByteBuffer> content)
      throws StorageException {
    try (File file = created(share, staged)) {
      long position = 0;
      byte[] chunk = new byte[CHUNK];
      for (ByteBuffer part : content) {
        ByteBuffer left = part.duplicate();
        while (left.hasRemaining()) {
          int count = Math.min(CHUNK, left.remaining());
          left.get(chunk, 0, count);
          file.write(chunk, position, 0, count);
          position += count;
        }
      }
      file.flush();
    }
  }

  private File created(DiskShare share, String staged) throws StorageException {
    Set<AccessMask> rights = EnumSet.of(AccessMask.GENERIC_WRITE);
    SMB2CreateDisposition disposition = SMB2CreateDisposition.FILE_OVERWRITE_IF;
    try {
      return CifsFiles.open(share, staged, rights, disposition);
    } catch (SMBApiException e) {
      if (!CifsFailures.isAbsent(e)) {
        throw e;
      }
      CifsFiles.createFolder(share, address.below(STAGING));
    }
    try {
      return CifsFiles.open(share, staged, rights, disposition);
    } catch (SMBApiException e) {
      if (CifsFailures.isAbsent(e)) {
        throw session.failures().noFolder();
      }
      throw e;
    }
  }

  /** Gives a staged file its name. */
  private final class Placing {
    private final DiskShare share;
    private final String key;
    private final String staged;

    Placing(DiskShare share, String key, String staged) {
      this.share = share;
      this.key = key;
      this.staged = staged;
    }

    StoredObject run(String path, boolean ifAbsent) throws StorageException {
      Attempts attempts = new Attempts(session.limit());
      try (File file =
          CifsFiles.open(
              share,
              staged,
              EnumSet.of(AccessMask.DELETE, AccessMask.FILE_READ_ATTRIBUTES),
              SMB2CreateDisposition.FILE_OPEN)) {
        while (true) {
          try {
            place(file, CifsFiles.serverPath(path), ifAbsent);
            return CifsFiles.describe(key, file.getFileInformation());
          } catch (SMBApiException e) {
            boolean passing = CifsFailures.isAbsent(e) || CifsFailures.isInUse(e);
            if (!passing || !attempts.another()) {
              file.deleteOnClose();
              throw blocked(e, path);
            }
            if (CifsFailures.isAbsent(e)) {
              CifsFiles.createFolders(share, address.root(), path);
            }
          }
        }
      }
    }

    private void place(File file, String path, boolean ifAbsent) {
      if (ifAbsent) {
        file.createHardlink(path, false);
        file.deleteOnClose();
      } else {
        file.rename(path, true);
      }
    }

    private StorageException blocked(SMBApiException failure, String path) {
      boolean isFolder = CifsFailures.isInUse(failure) && share.folderExists(path);
      return isFolder || CifsFailures.isAbsent(failure)
          ? session
              .failures()
              .of(
                  ErrorCode.CONFLICT,
                  named(key),
                  "another object stands in place of one of its folders")
          : session.failures().of(named(key), failure);
    }
  }

  @Override
  public void get(String key, long offset, ByteBuffer target) throws StorageException {
    String path = address.path(key);
    int start = target.position();
    reading(
        key,
        path,
        share -> {
          target.position(start);
          read(share, key, path, offset, target);
          return true;
        });
  }

  private <T> T reading(String key, String path, CifsSession.Call<T> work) throws StorageException {
    Lock lock = locks.reading(path);
    lock.lock();
    try {
      return session.call(named(key), true, work);
    } finally {
      lock.unlock();
    }
  }

  private void read(DiskShare share, String key, String path, long offset, ByteBuffer target)
      throws StorageException {
    try (File file =
        CifsFiles.open(
            share, path, EnumSet.of(AccessMask.GENERIC_READ), SMB2CreateDisposition.FILE_OPEN)) {
      byte[] chunk = new byte[Math.min(CHUNK, target.remaining())];
      long position = offset;
      while (target.hasRemaining()) {
        int count = file.read(chunk, position, 0, Math.min(chunk.length, target.remaining()));
        if (count <= 0) {
          throw session
              .failures()
              .of(ErrorCode.IO, named(key), "ends before byte " + (position + 1));
        }
        target.put(chunk, 0, count);
        position += count;
      }
    }
  }

  @Override
  public Optional<StoredObject> stat(String key) throws StorageException {
    String path = address.path(key);
    return reading(
        key,
        path,
        share -> {
          try {
            FileAllInformation file = share.getFileInformation(CifsFiles.serverPath(path));
            return file.getStandardInformation().isDirectory()
                ? Optional.empty()
                : Optional.of(CifsFiles.describe(key, file));
          } catch (SMBApiException e) {
            if (CifsFailures.isAbsent(e)) {
              return Optional.empty();
            }
            throw e;
          }
        });
  }

  @Override
  public void delete(Collection<String> keys) throws StorageException {
    for (String key : keys) {
      String unused = address.path(key);
    }
    for (String key : keys) {
      String path = address.path(key);
      session.call(
          named(key),
          true,
          share -> {
            remove(share, path);
            return true;
          });
    }
  }

  private void remove(DiskShare share, String path) {
    try {
      share.rm(CifsFiles.serverPath(path));
    } catch (SMBApiException e) {
      if (!CifsFailures.isAbsent(e)) {
        throw e;
      }
      return;
    }
    CifsFiles.removeEmptyFolders(share, address.root(), path);
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    new CifsListing(address, session, prefix, after, visitor).run();
  }

  @Override
  public void close() {
    session.close();
  }
}
