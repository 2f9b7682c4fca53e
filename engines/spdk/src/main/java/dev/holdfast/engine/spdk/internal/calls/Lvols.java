package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Logical volumes of the target. A volume is named {@code store/name}. What a call makes is durable
 * when it returns. Thread-safe.
 */
public final class Lvols {
  private static final long MIB = 1 << 20;

  private final TargetCalls target;

  /** Creates the calls of a target. */
  public Lvols(TargetCalls target) {
    this.target = target;
  }

  /** Returns a volume, empty when there is none of this name. */
  public Optional<LvolInfo> find(String alias) throws StorageException {
    try {
      JsonNode device =
          target.call("bdev_get_bdevs", SpdkTarget.params().put("name", alias)).path(0);
      JsonNode lvol = device.path("driver_specific").path("lvol");
      List<String> clones = new ArrayList<>();
      lvol.path("clones").forEach(clone -> clones.add(clone.asText()));
      return Optional.of(
          new LvolInfo(
              device.path("uuid").asText(),
              device.path("num_blocks").longValue() * device.path("block_size").longValue(),
              lvol.path("num_allocated_clusters").longValue() * MIB,
              lvol.path("snapshot").booleanValue(),
              clones));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Returns the snapshots of its store on which a volume stands, the nearest first. */
  public List<String> ancestors(String alias) throws StorageException {
    String store = alias.substring(0, alias.indexOf('/') + 1);
    List<String> found = new ArrayList<>();
    String at = parent(alias);
    while (!at.isEmpty()) {
      found.add(store + at);
      at = parent(store + at);
    }
    return found;
  }

  private String parent(String alias) throws StorageException {
    return target
        .call("bdev_get_bdevs", SpdkTarget.params().put("name", alias))
        .path(0)
        .path("driver_specific")
        .path("lvol")
        .path("base_snapshot")
        .asText();
  }

  /**
   * Starts a copy of the clusters that a snapshot itself has allocated.
   *
   * @param device of the same target, at least as large as the snapshot
   */
  public ShallowCopy shallowCopy(String snapshotAlias, String device) throws StorageException {
    return ShallowCopy.start(target, snapshotAlias, device);
  }

  /**
   * Limits the writes to a device of the target.
   *
   * @param mebibytes per second, 0 for no limit
   */
  public void limitWrites(String device, long mebibytes) throws StorageException {
    target.run(
        "bdev_set_qos_limit",
        SpdkTarget.params().put("name", device).put("w_mbytes_per_sec", mebibytes));
  }

  /** Returns the names of all volumes and snapshots of a store. */
  public List<String> names(String store) throws StorageException {
    List<String> names = new ArrayList<>();
    for (JsonNode lvol :
        target.call("bdev_lvol_get_lvols", SpdkTarget.params().put("lvs_name", store))) {
      names.add(lvol.path("name").asText());
    }
    return names;
  }

  /** Returns a size rounded up to whole MiB, which the target counts in. */
  public static long mebibytes(long sizeBytes) {
    return (sizeBytes + MIB - 1) / MIB;
  }

  /** Makes a thin volume that reads as zeroes. */
  public void create(String store, String name, long sizeBytes) throws StorageException {
    target.run(
        "bdev_lvol_create",
        SpdkTarget.params()
            .put("lvs_name", store)
            .put("lvol_name", name)
            .put("size_in_mib", mebibytes(sizeBytes))
            .put("thin_provision", true)
            .put("clear_method", "unmap"));
  }

  /** Makes a snapshot of a volume, which stands on it afterwards. */
  public void snapshot(String alias, String name) throws StorageException {
    target.run(
        "bdev_lvol_snapshot",
        SpdkTarget.params().put("lvol_name", alias).put("snapshot_name", name));
  }

  /** Makes a thin volume that stands on a snapshot. */
  public void copy(String snapshotAlias, String name) throws StorageException {
    target.run(
        "bdev_lvol_clone",
        SpdkTarget.params().put("snapshot_name", snapshotAlias).put("clone_name", name));
  }

  /** Makes a thin volume that stands on a device outside of its store. */
  public void copyOf(String device, String store, String name) throws StorageException {
    target.run(
        "bdev_lvol_clone_bdev",
        SpdkTarget.params().put("bdev", device).put("lvs_name", store).put("clone_name", name));
  }

  /** Lets a volume stand on a snapshot of its store that has the same content as its parent. */
  public void setParent(String alias, String snapshotAlias) throws StorageException {
    target.run(
        "bdev_lvol_set_parent",
        SpdkTarget.params().put("lvol_name", alias).put("parent_name", snapshotAlias));
  }

  /** Changes the size of a volume. */
  public void resize(String alias, long sizeBytes) throws StorageException {
    target.run(
        "bdev_lvol_resize",
        SpdkTarget.params().put("name", alias).put("size_in_mib", mebibytes(sizeBytes)));
  }

  /**
   * Removes a volume or snapshot. A snapshot with one clone leaves its data to the clone; one with
   * several cannot be removed. Succeeds when it is gone already.
   */
  public void delete(String alias) throws StorageException {
    try {
      target.run("bdev_lvol_delete", SpdkTarget.params().put("name", alias));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }
}
