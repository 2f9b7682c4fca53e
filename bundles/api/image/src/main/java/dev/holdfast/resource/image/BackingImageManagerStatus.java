package dev.holdfast.resource.image;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;

/**
 * The observed state of the image files of one disk.
 *
 * @param currentState {@code running} while the disk can be used, otherwise {@code unknown}
 * @param backingImageFileMap files of the disk, by image name
 * @param message cause why the disk cannot be used; may be empty
 */
@RecordBuilder
public record BackingImageManagerStatus(
    String currentState, Map<String, ImageFile> backingImageFileMap, String message)
    implements BackingImageManagerStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackingImageManagerStatus EMPTY =
      BackingImageManagerStatusBuilder.builder().build();

  /** State of a manager whose disk can be used. */
  public static final String RUNNING = "running";

  /** State of a manager whose disk cannot be used now. */
  public static final String UNKNOWN = "unknown";

  /** Replaces null components by their defaults and copies the collections. */
  public BackingImageManagerStatus {
    currentState = Defaults.or(currentState, UNKNOWN);
    backingImageFileMap = Defaults.map(backingImageFileMap);
    message = Defaults.text(message);
  }
}
