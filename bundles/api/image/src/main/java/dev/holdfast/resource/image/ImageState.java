package dev.holdfast.resource.image;

/** State of an image's file on a disk, or of the transfer that brings the image in. */
public enum ImageState {
  /** The transfer has not started. */
  PENDING("pending"),
  /** The transfer has started; data has not arrived yet. */
  STARTING("starting"),
  /** Data arrives. */
  IN_PROGRESS("in-progress"),
  /** The transfer is complete; the manager of its disk accepts the file. */
  READY_FOR_TRANSFER("ready-for-transfer"),
  /** The file is complete and verified. */
  READY("ready"),
  /** The transfer failed; the message has the cause. */
  FAILED("failed"),
  /** The transfer failed, and its stored data is being removed. */
  FAILED_AND_CLEANUP("failed-and-cleanup"),
  /**
   * The state is unknown, because the disk or its node is unreachable, or the file is being
   * verified again.
   */
  UNKNOWN("unknown");

  private final String wireName;

  ImageState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }

  /** Returns whether the file may become ready without a restart of the transfer. */
  public boolean isUnderWay() {
    return switch (this) {
      case PENDING, STARTING, IN_PROGRESS, READY_FOR_TRANSFER, UNKNOWN -> true;
      case READY, FAILED, FAILED_AND_CLEANUP -> false;
    };
  }
}
