package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.BitSet;
import java.util.regex.Pattern;

/**
 * Fills the file of a base. Holds the lock of the base's folder until it is closed. Thread-safe.
 */
final class BaseFileWriter implements BaseWriter, BaseDevice.Changes {
  /** File with the bit set of complete regions of an unfinished base. */
  static final String WRITTEN = StateFiles.FOLDER + "/written";

  private static final Pattern CHECKSUM = Pattern.compile("[\\x21-\\x7e]{1,256}");

  private final String name;
  private final ReplicaDirectory folder;
  private final ReplicaFile file;
  private final BaseIdentity started;
  private final BaseDevice device;
  // Guarded by this.
  private final CoveredRanges covered;
  private BitSet durable;
  private String sealedWith = "";
  private boolean unsynced;
  // Admits one flush at a time. Taken before this object's lock.
  private final Object flushing = new Object();

  BaseFileWriter(
      String name,
      ReplicaDirectory folder,
      ReplicaFile file,
      BaseIdentity started,
      BitSet written,
      Runnable whenClosed) {
    this.name = name;
    this.folder = folder;
    this.file = file;
    this.started = started;
    this.covered = new CoveredRanges(started.sizeBytes(), written);
    this.durable = (BitSet) written.clone();
    this.device = new BaseDevice(name, file, started.sizeBytes(), this, whenClosed);
  }

  @Override
  public BlockDevice device() {
    return device;
  }

  @Override
  public synchronized BitSet written() {
    return (BitSet) durable.clone();
  }

  @Override
  public synchronized void check() throws StorageException {
    if (!sealedWith.isEmpty()) {
      throw new StorageException(ErrorCode.UNSUPPORTED, name + " is sealed and can only be read");
    }
  }

  @Override
  public synchronized void written(long offset, long length) {
    covered.add(offset, length);
  }

  @Override
  public void flush() throws IOException {
    synchronized (flushing) {
      BitSet complete;
      synchronized (this) {
        complete = covered.complete();
      }
      sync();
      store(complete);
    }
  }

  // After a failed sync the page cache may show data that is not on the disk. The next writer
  // writes every region again that is not recorded as durable.
  private void sync() throws IOException {
    if (unsynced) {
      throw new IOException("an earlier sync failed");
    }
    boolean done = false;
    try {
      file.sync();
      done = true;
    } finally {
      unsynced = !done;
    }
  }

  private void store(BitSet complete) throws IOException {
    if (!complete.equals(written())) {
      StateFiles.store(folder, WRITTEN, complete.toLongArray());
      synchronized (this) {
        durable = complete;
      }
    }
  }

  @Override
  public void seal(String contentChecksum) throws StorageException {
    if (!CHECKSUM.matcher(contentChecksum).matches()) {
      throw new StorageException(
          ErrorCode.INVALID,
          name + ": contentChecksum: must be 1 to 256 printable characters without spaces");
    }
    synchronized (flushing) {
      if (alreadySealed(contentChecksum)) {
        return;
      }
      try {
        // Run alone: a request that was admitted before the sealing may still write.
        device.alone(this::sync);
        folder.protect(BaseIdentity.FILE);
        folder.sync("");
        BaseIdentity identity =
            new BaseIdentity(started.image(), started.uuid(), started.sizeBytes(), contentChecksum);
        new SealedBase(identity, folder.stamp(BaseIdentity.FILE)).store(folder);
        folder.remove(WRITTEN);
      } catch (IOException e) {
        unseal();
        throw StorageException.io(name + " could not be sealed", e);
      }
    }
  }

  // From this point requests cannot change the content, unless the sealing fails.
  private synchronized boolean alreadySealed(String contentChecksum) throws StorageException {
    if (sealedWith.equals(contentChecksum)) {
      return true;
    }
    check();
    int missing = covered.firstMissing();
    if (missing >= 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          name + ": region " + missing + " of 16 MiB was not written: write all of it first");
    }
    sealedWith = contentChecksum;
    return false;
  }

  private synchronized void unseal() {
    sealedWith = "";
  }

  @Override
  public void close() {
    device.close();
  }
}
