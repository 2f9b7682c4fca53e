package dev.holdfast.engine.lvm.blobs.internal.lvm;

import java.util.Set;

/** Names that blobs have in LVM and in the device mapper. */
public final class BlobNames {
  /** Logical volumes of ours have it; others are never touched. */
  public static final String TAG = "holdfast";

  private static final String WIPED = "holdfast.wiped=";
  private static final String VOLUME = "hf-";
  private static final String POOL = "hfp-";

  private BlobNames() {}

  /** Returns the logical volume of a blob. */
  public static String volume(String blob) {
    return VOLUME + blob;
  }

  /** Returns the logical volume of a pool. */
  public static String pool(String id) {
    return POOL + id;
  }

  /** Returns whether a logical volume is a pool of ours. */
  public static boolean isPool(String volume) {
    return volume.startsWith(POOL);
  }

  /** Returns the blob of a logical volume of ours. */
  public static String blob(String volume) {
    return volume.substring(VOLUME.length());
  }

  /** Returns the identifier of a pool by the name of its logical volume. */
  public static String poolId(String volume) {
    return volume.startsWith(POOL) ? volume.substring(POOL.length()) : volume;
  }

  /** Returns the device that hosts use. Hyphens are doubled, so that no two blobs share it. */
  public static String upper(String group, String blob) {
    return VOLUME + group.replace("-", "--") + "-" + blob.replace("-", "--");
  }

  /** Returns the device below it. */
  public static String lower(String group, String blob) {
    return upper(group, blob) + "-l";
  }

  /** Returns the device between both, in a shared group. */
  public static String middle(String group, String blob) {
    return upper(group, blob) + "-m";
  }

  /** Returns the tag that says up to which byte a linear volume was wiped. */
  public static String wiped(long bytes) {
    return WIPED + bytes;
  }

  /** Returns up to which byte a volume was wiped; 0 when no tag says it. */
  public static long wiped(Set<String> tags) {
    return tags.stream()
        .filter(tag -> tag.startsWith(WIPED))
        .mapToLong(tag -> Long.parseLong(tag.substring(WIPED.length())))
        .max()
        .orElse(0);
  }
}
