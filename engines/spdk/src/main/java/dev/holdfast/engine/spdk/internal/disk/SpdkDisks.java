package dev.holdfast.engine.spdk.internal.disk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Whole devices as disks. A disk in use is an AIO device of the target with a store on it, whose
 * UUID is the identity of the disk. Only a blank device is taken into use; a store that another
 * program made is refused. Calls about one disk do not come at the same time.
 *
 * <p>SPDK does not zero a cluster that it allocates to a volume without a parent: what the disk
 * held there would be seen. So the store is made with zeroed clusters, and a deleted volume leaves
 * zeroes: the device punches holes, which read as zeroes by the rule of the kernel, or refuses.
 */
public final class SpdkDisks {
  /** Begins the names of stores and devices that this engine makes. */
  static final String PREFIX = "hf-";

  private static final int BLOCK = 4_096;
  private static final int CLUSTER = 1 << 20;
  private static final long SMALLEST = 16L << 20;
  private static final int NAME_BYTES = 8;

  private final SpdkTarget target;
  private final WriteCache cache;

  /**
   * Creates the disks of a target.
   *
   * @param target of this node, not null
   * @param blockClasses {@code /sys/class/block}, not null
   */
  public SpdkDisks(SpdkTarget target, Path blockClasses) {
    this.target = target;
    this.cache = new WriteCache(blockClasses);
  }

  /** Returns the name of a disk's device and store in the target, the same for the same path. */
  public static String deviceName(Path path) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(path.toString().getBytes(StandardCharsets.UTF_8));
      return PREFIX + HexFormat.of().formatHex(hash, 0, NAME_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As {@link dev.holdfast.engine.DiskEngine#inspectDisk}. */
  public Optional<DiskInfo> inspect(DiskLocation disk) throws StorageException {
    Optional<DiskInfo> used = find(disk);
    if (used.isPresent()) {
      return used;
    }
    RawContent content = RawContent.of(disk.path());
    if (content.isBlank()) {
      return Optional.empty();
    }
    if (!content.isStore()) {
      throw foreign(disk, content.found());
    }
    open(disk);
    Optional<DiskInfo> known = find(disk);
    if (known.isEmpty()) {
      close(disk);
      throw foreign(disk, RawContent.STORE + " that cannot be read");
    }
    return known;
  }

  /**
   * Returns the name of the store on a disk. Gives the disk to the target if it does not have it,
   * as after a restart of the target.
   *
   * @param disk where it is, not null
   * @return the name, never null
   * @throws StorageException INVALID when the disk was never prepared, or holds something else; as
   *     {@link dev.holdfast.engine.DiskEngine#inspectDisk}
   */
  public String require(DiskLocation disk) throws StorageException {
    if (inspect(disk).isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "disk " + disk.path() + ": is not in use by this engine: add it to its node first");
    }
    return store(disk)
        .map(store -> store.path("name").asText())
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.BUSY, "disk " + disk.path() + ": was released: try again"));
  }

  /** As {@link dev.holdfast.engine.DiskEngine#prepareDisk}. */
  public DiskInfo prepare(DiskLocation disk) throws StorageException {
    Optional<DiskInfo> used = inspect(disk);
    if (used.isPresent()) {
      return used.get();
    }
    long size = RawContent.of(disk.path()).size();
    if (size < SMALLEST) {
      throw new StorageException(
          ErrorCode.NO_SPACE,
          "disk " + disk.path() + ": has " + size + " bytes, at least 16 MiB are required");
    }
    open(disk);
    String name = deviceName(disk.path());
    try {
      JsonNode unused =
          target.call(
              "bdev_lvol_create_lvstore",
              SpdkTarget.params()
                  .put("bdev_name", name)
                  .put("lvs_name", name)
                  .put("cluster_sz", CLUSTER)
                  .put("clear_method", "unmap"));
    } catch (StorageException e) {
      undo(disk, e);
      throw new StorageException(e.code(), "disk " + disk.path() + ": " + e.getMessage(), e);
    }
    return find(disk)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.IO, "disk " + disk.path() + ": its new store is not listed"));
  }

  private void undo(DiskLocation disk, StorageException failure) {
    try {
      close(disk);
    } catch (StorageException e) {
      failure.addSuppressed(e);
    }
  }

  /** As {@link dev.holdfast.engine.DiskEngine#releaseDisk}. */
  public void release(DiskLocation disk) throws StorageException {
    Optional<JsonNode> store = store(disk);
    if (store.isPresent()) {
      requireUnused(disk, store.get().path("uuid").textValue());
    }
    close(disk);
  }

  private void requireUnused(DiskLocation disk, String store) throws StorageException {
    for (JsonNode device : target.call("bdev_get_bdevs", SpdkTarget.params())) {
      JsonNode lvol = device.path("driver_specific").path("lvol");
      if (lvol.path("lvol_store_uuid").asText().equals(store)
          && device.path("claim_type").asText().equals("exclusive_write")) {
        throw new StorageException(
            ErrorCode.BUSY,
            "disk "
                + disk.path()
                + ": "
                + device.path("aliases").path(0).asText()
                + " is in use: detach its volume first");
      }
    }
  }

  /** Gives the target the device. Succeeds when it has it. */
  private void open(DiskLocation disk) throws StorageException {
    try {
      JsonNode unused =
          target.call(
              "bdev_aio_create",
              SpdkTarget.params()
                  .put("name", deviceName(disk.path()))
                  .put("filename", disk.path().toString())
                  .put("block_size", BLOCK)
                  .put("fallocate", true));
      unused = target.call("bdev_wait_for_examine", SpdkTarget.params());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw new StorageException(e.code(), "disk " + disk.path() + ": " + e.getMessage(), e);
      }
    }
  }

  /** Takes the device from the target. Its content stays. */
  private void close(DiskLocation disk) throws StorageException {
    try {
      JsonNode unused =
          target.call("bdev_aio_delete", SpdkTarget.params().put("name", deviceName(disk.path())));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw new StorageException(e.code(), "disk " + disk.path() + ": " + e.getMessage(), e);
      }
    }
  }

  private Optional<JsonNode> store(DiskLocation disk) throws StorageException {
    String name = deviceName(disk.path());
    for (JsonNode store : target.call("bdev_lvol_get_lvstores", SpdkTarget.params())) {
      if (store.path("base_bdev").asText().equals(name)) {
        return Optional.of(store);
      }
    }
    return Optional.empty();
  }

  private Optional<DiskInfo> find(DiskLocation disk) throws StorageException {
    Optional<JsonNode> store = store(disk);
    if (store.isEmpty()) {
      return Optional.empty();
    }
    String name = store.get().path("name").asText();
    if (!name.startsWith(PREFIX)) {
      close(disk);
      throw foreign(disk, RawContent.STORE + " named " + name);
    }
    return Optional.of(describe(disk, store.get()));
  }

  /** Without overcommitment: replicas may be promised what the store has. */
  private DiskInfo describe(DiskLocation disk, JsonNode store) {
    long cluster = store.path("cluster_size").longValue();
    long size = store.path("total_data_clusters").longValue() * cluster;
    return new DiskInfo(
        store.path("uuid").textValue(),
        size,
        store.path("free_clusters").longValue() * cluster,
        size,
        false,
        cache.isAbsent(disk.path()));
  }

  private static StorageException foreign(DiskLocation disk, String found) {
    return new StorageException(
        ErrorCode.INVALID,
        "disk "
            + disk.path()
            + ": holds "
            + found
            + ": choose a blank device, or erase it: blkdiscard -z "
            + disk.path());
  }
}
