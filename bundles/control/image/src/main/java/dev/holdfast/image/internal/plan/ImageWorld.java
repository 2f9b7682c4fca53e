package dev.holdfast.image.internal.plan;

import dev.holdfast.resource.image.ImageState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * One image and the disks, as {@link ImageCopies} sees them. Disks are named by their UUIDs.
 *
 * @param minimum number of copies that are kept at least
 * @param disks that exist, by UUID
 * @param files of the image, by the disk's UUID
 * @param entries disks that shall have the image now, and whether a user evicts it from there
 * @param needed disks that need the image: a replica on it uses the image, or the image is being
 *     delivered there
 * @param lastRefAt time since which a disk does not need its copy
 * @param cleanup disks from which a user wants the image removed
 * @param keepFor how long an unneeded copy is kept
 * @param now the time
 */
public record ImageWorld(
    int minimum,
    Map<String, PlannedDisk> disks,
    Map<String, PlannedFile> files,
    Map<String, Boolean> entries,
    Set<String> needed,
    Map<String, Instant> lastRefAt,
    Set<String> cleanup,
    Duration keepFor,
    Instant now) {
  /** Copies the collections. */
  public ImageWorld {
    disks = Map.copyOf(disks);
    files = Map.copyOf(files);
    entries = Map.copyOf(entries);
    needed = Set.copyOf(needed);
    lastRefAt = Map.copyOf(lastRefAt);
    cleanup = Set.copyOf(cleanup);
  }

  /**
   * A disk.
   *
   * @param node that has it
   * @param eligible whether it can take a copy now: ready, schedulable, and as the selectors say
   * @param leaving whether all that it holds is to leave it
   */
  public record PlannedDisk(String node, boolean eligible, boolean leaving) {}

  /**
   * The file on a disk.
   *
   * @param state that the disk's manager reports
   * @param sameImage whether the file is of this image, and not of an earlier one of its name
   * @param verified whether its content has the image's checksum
   */
  public record PlannedFile(ImageState state, boolean sameImage, boolean verified) {
    /** Returns whether a replica can stand on it and other disks can copy it. */
    public boolean isGood() {
      return state == ImageState.READY && sameImage && verified;
    }

    /** Returns whether it may become good without a new beginning. */
    public boolean isUnderWay() {
      return sameImage && state.isUnderWay();
    }
  }
}
