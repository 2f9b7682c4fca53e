package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** The largest size of an image's file and of its disk. */
public final class ImageLimit {
  private static final long DEFAULT = 16L << 40;

  private ImageLimit() {}

  /** Returns the limit that the store has. */
  public static long of(ResourceStore store) throws StorageException {
    return of(store.get(Setting.KIND, ImageTransfers.LARGEST_SETTING));
  }

  /** Returns the limit of a setting; one that makes no sense has the default. */
  public static long of(Optional<Setting> setting) {
    try {
      long set = Quantity.parse(setting.map(s -> s.spec().value().strip()).orElse("")).bytes();
      return set > 0 ? set : DEFAULT;
    } catch (IllegalArgumentException e) {
      return DEFAULT;
    }
  }
}
