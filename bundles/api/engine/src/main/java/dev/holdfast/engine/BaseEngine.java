package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine whose replicas can use a base: content that is written once, sealed, and then shared by
 * all replicas on one disk. A replica reads the base wherever it has no content of its own. Writes
 * to a replica never change the base.
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
 * <p>All replicas of a volume use the same base, or none uses a base. An engine refuses (INVALID)
 * to open a volume whose current replicas name different bases, and to rebuild a replica whose base
 * differs from that of the members. A replica must be provisioned on the base before its rebuild,
 * because a rebuild does not copy the base.
 *
 * <p>All calls are idempotent and may block. Calls about one base are serialized; calls about
 * different bases and volumes may be concurrent. The node that {@link DiskLocation#nodeId()} names
 * makes the calls.
 *
 * @since 2.2
 */
@ConsumerType
public interface BaseEngine extends EngineProvider {

  /**
   * Lists the bases on a disk, including unfinished ones, in unspecified order.
   *
   * @param disk the disk, not null
   * @return places with an empty content checksum; never null
   * @throws StorageException IO
   */
  List<BaseLocation> bases(DiskLocation disk) throws StorageException;

  /**
   * Inspects a base without changes. Ignores the content checksum of the location.
   *
   * @param base place of the base, not null
   * @return state of the base, empty if it is absent
   * @throws StorageException INVALID when the place contains other data; IO
   */
  Optional<BaseInfo> inspectBase(BaseLocation base) throws StorageException;

  /**
   * Starts a base, or continues an unfinished base of an earlier call, also after a crash. Discards
   * an unfinished base of another size.
   *
   * @param base place of the new base, not null
   * @param sizeBytes size of the content, a positive multiple of 4096; the caller pads a shorter
   *     image with zeroes
   * @return the only writer of this base, never null; the caller closes it
   * @throws StorageException CONFLICT when it is sealed; BUSY while another writer is open; INVALID
   *     for the size, or when the place contains other data, which stays unchanged; NO_SPACE; IO
   */
  BaseWriter createBase(BaseLocation base, long sizeBytes) throws StorageException;

  /**
   * Opens a sealed base for reading. An altered base can be opened too, so that its content can be
   * hashed again.
   *
   * @param base place of the base, not null
   * @return a device that reports extents and refuses changes with UNSUPPORTED, never null; the
   *     caller closes it
   * @throws StorageException NOT_FOUND when it is absent or not sealed; INVALID when its content
   *     checksum differs from a non-empty checksum of the location; IO
   */
  BlockDevice openBase(BaseLocation base) throws StorageException;

  /**
   * Ends the altered state of a base after the caller has verified its content. Succeeds without
   * effect when it is sealed and not altered.
   *
   * @param base place of the base, with the content checksum that the caller has computed; not null
   * @throws StorageException NOT_FOUND when it is absent or not sealed; INVALID when the base was
   *     sealed with another content checksum; IO
   */
  void confirmBase(BaseLocation base) throws StorageException;

  /**
   * Deletes a base, also an unfinished one. Succeeds when it is absent. The engine reads from the
   * disk whether a replica uses the base, open or not, and does not read the store. A store that
   * was restored to an earlier state must not cause the loss of a base in use.
   *
   * @param base place of the base, not null
   * @throws StorageException BUSY while a replica on this disk uses it, or its writer or a device
   *     of {@link #openBase} is open; INVALID when the place contains other data, which stays
   *     unchanged; IO
   */
  void deleteBase(BaseLocation base) throws StorageException;
}
