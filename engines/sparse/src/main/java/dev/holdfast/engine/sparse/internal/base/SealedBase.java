package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.Optional;

/**
 * A complete base in its folder on a disk.
 *
 * <pre>
 *   &lt;disk&gt;/backing-images/&lt;image&gt;-&lt;uuid&gt;/
 *     backing            the content, raw and sparse
 *     holdfast/started   its size, from the first moment
 *     holdfast/written   complete regions, until it is sealed
 *     holdfast/sealed    its identity, and the stamp of the file
 *     holdfast/lock      locked by a writer, a deletion, and while a replica is put on it
 * </pre>
 *
 * @param identity of the content
 * @param stamp stamp of the file when its content was last verified
 */
public record SealedBase(BaseIdentity identity, String stamp) {
  static final String SEALED = StateFiles.FOLDER + "/sealed";

  /** Reads the record of a folder, empty when the base is absent or not sealed. */
  public static Optional<SealedBase> load(ReplicaDirectory folder) throws IOException {
    return StateFiles.load(folder, SEALED, SealedBase.class);
  }

  void store(ReplicaDirectory folder) throws IOException {
    StateFiles.store(folder, SEALED, this);
  }

  /** Returns whether another program may have changed the file since. */
  boolean altered(ReplicaDirectory folder) throws IOException {
    return !stamp.equals(folder.stamp(BaseIdentity.FILE));
  }

  /**
   * Checks that a replica's base is present in its folder.
   *
   * @param what names the replica in messages
   * @throws StorageException INVALID when the base is absent, not sealed, a different one, or
   *     altered
   */
  public static void require(String what, ReplicaDirectory folder, BaseIdentity wanted)
      throws IOException, StorageException {
    Optional<SealedBase> found = load(folder);
    if (found.isEmpty()) {
      throw invalid(what, wanted, "is not complete on this disk: copy it to " + folder.path());
    }
    if (!found.get().identity().equals(wanted)) {
      throw invalid(
          what,
          wanted,
          "is required at "
              + folder.path()
              + ": found "
              + found.get().identity().text()
              + ", required is "
              + wanted.text());
    }
    if (found.get().altered(folder)) {
      throw invalid(
          what,
          wanted,
          "was changed at " + folder.path() + " since it was sealed: verify its content first");
    }
  }

  private static StorageException invalid(String what, BaseIdentity wanted, String problem) {
    return new StorageException(
        ErrorCode.INVALID, what + ": its backing image " + wanted.image() + " " + problem);
  }

  /** Opens the content. */
  public static ReplicaFile open(ReplicaDirectory folder) throws IOException {
    return folder.openSealed(BaseIdentity.FILE);
  }

  /** Returns the path of the content, for other programs. */
  public static String path(ReplicaDirectory folder) {
    return folder.path() + "/" + BaseIdentity.FILE;
  }
}
