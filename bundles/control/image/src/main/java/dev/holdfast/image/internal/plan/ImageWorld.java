package dev.holdfast.image.internal.plan;

import dev.holdfast.resource.image.ImageState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * One image and the disks, as the input of {@link ImageCopies}. Disks are named by their UUIDs.
 *
 * @param minimum smallest number of copies to keep
 * @param disks that exist, by UUID
 * @param files of the image, by the disk's UUID
 * @param entries disks that must have the image now, and whether a user evicts it from them
 * @param needed disks that need the image: a replica on it uses the image, or the image is being
 *     delivered there
 * @param lastRefAt time since which a disk no longer needs its copy
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
   * @param eligible whether it can accept a copy now: ready, schedulable, and matching the
   *     selectors
   * @param leaving whether all its content is being evicted
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
    /** Returns whether replicas can use the file and other disks can copy it. */
    public boolean isGood() {
      return state == ImageState.READY && sameImage && verified;
    }

    /** Returns whether the file may become good without a restart. */
    public boolean isUnderWay() {
      return sameImage && state.isUnderWay();
    }
  }
}
