package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** The largest size of an image's file and of its disk. */
public final class ImageLimit {
  private ImageLimit() {}

  /** Returns the limit that is set in the store. */
  public static long of(ResourceStore store) throws StorageException {
    return of(store.get(Setting.KIND, PlatformSettings.IMAGE_SIZE.name()));
  }

  /** Returns the limit of a setting; the default if the value is wrong. */
  public static long of(Optional<Setting> setting) {
    return PlatformSettings.IMAGE_SIZE.bytes(setting);
  }
}
