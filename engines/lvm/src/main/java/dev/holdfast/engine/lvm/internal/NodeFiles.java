package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.internal.replica.OpeningState;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files of a replica on its node: the lock that one opening has, and the state of the last opening.
 *
 * @param folder of the replica's group
 * @param key of the replica
 */
record NodeFiles(Path folder, String key) {
  private Path lockFile() {
    return folder.resolve(key + ".lock");
  }

  private Path stateFile() {
    return folder.resolve(key + ".json");
  }

  /**
   * Takes the lock.
   *
   * @param volume for messages
   * @throws StorageException BUSY when this or another process of the node has the volume open; IO
   */
  LockFile lock(String volume) throws StorageException {
    try {
      Files.createDirectories(folder);
      return LockFile.tryLock(lockFile())
          .orElseThrow(
              () ->
                  new StorageException(
                      ErrorCode.BUSY,
                      "volume " + volume + " is open on this node: close it first"));
    } catch (IOException e) {
      throw StorageException.io(lockFile().toString(), e);
    }
  }

  /** Returns whether this process has the volume open. */
  boolean isLockedHere() throws StorageException {
    try {
      return Files.isDirectory(folder) && LockFile.heldHere(lockFile());
    } catch (IOException e) {
      throw StorageException.io(lockFile().toString(), e);
    }
  }

  OpeningState state() throws StorageException {
    return OpeningState.read(stateFile());
  }

  void write(OpeningState state) throws StorageException {
    state.write(stateFile());
  }

  /** Forgets the last opening. The lock file stays, because another process may wait for it. */
  void forget() throws StorageException {
    OpeningState.delete(stateFile());
  }
}
