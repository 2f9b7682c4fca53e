package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Blobs in volume groups. Each call records its intent in the store before it runs a command, and
 * is idempotent: after a failure or a crash the caller repeats it, or {@link #recover} completes
 * it. Calls block; the time of one command is limited.
 *
 * <p>Every call throws NOT_FOUND when the group is absent, UNSUPPORTED when a program or a part of
 * the kernel is missing, UNREACHABLE or TIMEOUT when the store or the host does not answer, and IO
 * when a command fails. Thread-safe.
 */
@ProviderType
public interface BlobManager {
  /**
   * Looks at a volume group without changing it.
   *
   * @param group its name
   * @return what LVM reports
   * @throws StorageException NOT_FOUND; UNSUPPORTED naming the missing package or module; INVALID
   *     when disks of the group are missing or it is exported
   */
  GroupInfo group(String group) throws StorageException;

  /**
   * Looks at a volume group before it is used, without changing it.
   *
   * @param group its name
   * @return its state; empty when it was not taken and holds nothing
   * @throws StorageException as {@link #group}; UNSUPPORTED for a group that several nodes share;
   *     INVALID when it was not taken and holds logical volumes of other programs, naming them
   */
  Optional<GroupInfo> inspect(String group) throws StorageException;

  /**
   * Takes a volume group into use: gives it the tag {@code holdfast}. Succeeds without effect when
   * it has that tag. Logical volumes of other programs that are added later are never touched.
   *
   * @param group its name
   * @return its state
   * @throws StorageException as {@link #inspect}
   */
  GroupInfo take(String group) throws StorageException;

  /**
   * Completes the calls about a group that a crash has interrupted, and gives every attached blob
   * of this node its device again. To be called when the node starts, before other calls about the
   * group.
   *
   * @param group its name
   * @throws StorageException of the first call that cannot be completed, after all were tried
   */
  void recover(String group) throws StorageException;

  /**
   * Creates a blob that reads as zeroes, unless its options say otherwise. Succeeds without effect
   * when it exists with these values.
   *
   * @param blob its name
   * @param options how it is kept
   * @param sizeBytes a multiple of the group's extent
   * @throws StorageException ALREADY_EXISTS when it exists with other values; INVALID for a wrong
   *     size, and when a logical volume of another program has its name; NO_SPACE
   */
  void createEmpty(Blob blob, BlobOptions options, long sizeBytes) throws StorageException;

  /**
   * Creates a copy of a thin blob as it is at this moment, in the source's pool: both share what
   * neither writes. Contains every write that completed before the call. Succeeds without effect
   * when the copy exists.
   *
   * @param blob name of the copy
   * @param source in the same group
   * @throws StorageException NOT_FOUND when the source is absent; UNSUPPORTED when it is linear or
   *     in another group; ALREADY_EXISTS when a blob of this name is something else
   */
  void createCopy(Blob blob, Blob source) throws StorageException;

  /**
   * Deletes a blob. Its pool is deleted with its last blob. Succeeds when it is absent.
   *
   * @param blob its name
   * @throws StorageException BUSY while it is attached, naming the cookies
   */
  void delete(Blob blob) throws StorageException;

  /**
   * Makes a blob a device of this node. It stays one until {@link #detach} was called for each
   * cookie.
   *
   * @param blob its name
   * @param cookie of the user of the device, not empty; a repeated call with it changes nothing
   * @return the device, which is the same for all cookies. {@link HostDevices} makes another one
   *     above it, for programs of the host
   * @throws StorageException NOT_FOUND when the blob is absent or not complete
   */
  AttachedBlob attach(Blob blob, String cookie) throws StorageException;

  /**
   * Withdraws a cookie. With the last one the device is removed. Succeeds when the blob or the
   * cookie is absent, because an earlier call may have withdrawn it.
   *
   * @param blob its name
   * @param cookie of {@link #attach}
   * @throws StorageException BUSY while a program has the device, or that of {@link HostDevices},
   *     open; the cookie stays
   */
  void detach(Blob blob, String cookie) throws StorageException;

  /**
   * Makes a blob larger, also while it is attached: then its device grows.
   *
   * @param blob its name
   * @param sizeBytes a multiple of the group's extent, at least the present size
   * @throws StorageException NOT_FOUND; INVALID when it is smaller; NO_SPACE
   */
  void extend(Blob blob, long sizeBytes) throws StorageException;

  /**
   * Tells where the contents of two thin blobs of one pool may differ: data extents are those that
   * differ, holes are equal. The grain is a block of the pool. A blob that is written during the
   * call is compared as it is at some moment of the call.
   *
   * @param older the older blob, empty to compare with zeroes
   * @param newer the newer blob
   * @param visitor called in ascending order without gaps up to the size of the newer blob; may
   *     stop early
   * @throws StorageException NOT_FOUND; UNSUPPORTED when one is linear; INVALID when they are in
   *     different pools
   */
  void changes(Optional<Blob> older, Blob newer, ExtentVisitor visitor) throws StorageException;

  /**
   * Extends the active thin pools of a group that are filled to 80 %. To be called every few
   * seconds while blobs are attached: writers to a full pool wait until this extends it. May run
   * beside every other call.
   *
   * @param group its name
   * @return the use of the pools as it was before; empty when none is active
   * @throws StorageException of the first pool that cannot be extended for another reason than a
   *     full group, after all were tried
   */
  List<PoolSpace> keepSpace(String group) throws StorageException;

  /**
   * Tells what requests to attached blobs of this node wait for. Changes nothing and takes no lock,
   * so it answers while other calls block. Full pools are those that {@link #keepSpace} saw.
   *
   * @param group its name
   * @return empty while all requests pass
   * @throws StorageException when it cannot be known
   */
  List<PoolWait> waits(String group) throws StorageException;

  /**
   * Connects devices of this node again that have lost their connection to another node, and makes
   * the steps that are this node's own about pools. To be called every few seconds while blobs are
   * attached, because the requests of such a device wait until then. Blocks while another node ends
   * its requests, so not from the thread of {@link #keepSpace}. Has no effect in a group of one
   * node.
   *
   * @param group its name
   * @throws StorageException of the first pool that cannot be connected now, after all were tried:
   *     BUSY naming the node that is waited for or the holder of the lock; UNREACHABLE; TIMEOUT;
   *     IO. A repeated call tries again
   */
  void keepLinks(String group) throws StorageException;

  /**
   * Returns the state of a blob, empty when it is absent.
   *
   * @param blob its name
   */
  Optional<BlobInfo> find(Blob blob) throws StorageException;

  /**
   * Returns the size of a blob in bytes.
   *
   * @param blob its name
   * @throws StorageException NOT_FOUND
   */
  long size(Blob blob) throws StorageException;
}
