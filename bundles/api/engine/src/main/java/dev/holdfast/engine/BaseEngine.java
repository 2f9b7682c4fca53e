package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine whose replicas can stand on a base: content that is written once, sealed, and then
 * shared by all replicas on one disk. A replica reads the base wherever it has no content of its
 * own; what is written to it never changes the base.
 *
 * <pre>
 *   absent ──createBase──► unfinished ──seal──► sealed ──changed by another program──► altered
 *                              ▲  │                ▲                                     │
 *                  createBase ─┘  │                └──────────── confirmBase ────────────┘
 *                 (same writer    ▼
 *                  continues)  deleteBase, from each state
 * </pre>
 *
 * <p>A replica is put on a base by {@link EngineProvider#provisionReplica(ReplicaRequest)} with a
 * {@link BaseContent}. The replica remembers its base and finds it on its own disk when it is
 * opened, so {@link OpenRequest} does not name it. The base is not a snapshot: {@link
 * SnapshotVolume#snapshots} does not list it, it cannot be reverted to, and no operation of a
 * volume changes it.
 *
 * <p>All replicas of a volume stand on the same base, or none does. An engine refuses (INVALID) to
 * open a volume whose current replicas name different bases, and to rebuild a replica whose base is
 * another one than that of the members. A replica to be rebuilt is provisioned on the base first,
 * because a rebuild copies nothing of it.
 *
 * <p>All calls are idempotent and may block. Calls about one base come one at a time, calls about
 * different bases and volumes may come at the same time. They come from the node that {@link
 * DiskLocation#nodeId()} names.
 *
 * @since 2.2
 */
@ConsumerType
public interface BaseEngine extends EngineProvider {

  /**
   * Lists what lies on a disk as bases, unfinished ones included, in no particular order.
   *
   * @param disk where to look, not null
   * @return places with an empty content checksum; never null
   * @throws StorageException IO
   */
  List<BaseLocation> bases(DiskLocation disk) throws StorageException;

  /**
   * Looks at a base without changing it. The content checksum of the location is not compared.
   *
   * @param base where it is, not null
   * @return what is there, empty when nothing is
   * @throws StorageException INVALID when something else lies there; IO
   */
  Optional<BaseInfo> inspectBase(BaseLocation base) throws StorageException;

  /**
   * Starts a base, or continues the unfinished one that an earlier call left, also after a crash.
   * An unfinished one of another size is discarded and started again.
   *
   * @param base place of the new base, not null
   * @param sizeBytes of its content, a positive multiple of 4096; the caller fills a shorter image
   *     up with zeroes
   * @return the only writer of this base, never null; the caller closes it
   * @throws StorageException CONFLICT when it is sealed; BUSY while another writer is open; INVALID
   *     when something else lies there, which is left untouched, or for the size; NO_SPACE; IO
   */
  BaseWriter createBase(BaseLocation base, long sizeBytes) throws StorageException;

  /**
   * Opens a sealed base for reading. One that was altered can be opened too, so that its content
   * can be hashed again.
   *
   * @param base where it is, not null
   * @return a device that reports extents and refuses changes with UNSUPPORTED, never null; the
   *     caller closes it
   * @throws StorageException NOT_FOUND when it is absent or not sealed; INVALID when its content
   *     checksum is another one than a non-empty one of the location; IO
   */
  BlockDevice openBase(BaseLocation base) throws StorageException;

  /**
   * Ends the altered state of a base whose content the caller has read and found right. Succeeds
   * without effect when it is sealed and not altered.
   *
   * @param base where it is; its content checksum is what the caller has computed; not null
   * @throws StorageException NOT_FOUND when it is absent or not sealed; INVALID when it was sealed
   *     with another content checksum; IO
   */
  void confirmBase(BaseLocation base) throws StorageException;

  /**
   * Deletes a base, also an unfinished one. Succeeds when it is gone. The engine finds out on the
   * disk whether a replica stands on it, open or not, and does not ask the store: a store that was
   * restored to an earlier state must not take the base from a replica.
   *
   * @param base where it is, not null
   * @throws StorageException BUSY while a replica on this disk stands on it, or its writer or a
   *     device of {@link #openBase} is open; INVALID when something else lies there, which is left
   *     untouched; IO
   */
  void deleteBase(BaseLocation base) throws StorageException;
}
