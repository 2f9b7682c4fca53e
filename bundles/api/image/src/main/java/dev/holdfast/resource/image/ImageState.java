package dev.holdfast.resource.image;

/** State of an image's file on a disk, or of the transfer that brings the image in. */
public enum ImageState {
  /** Nothing was begun. */
  PENDING("pending"),
  /** Begun; no byte has arrived. */
  STARTING("starting"),
  /** Bytes arrive. */
  IN_PROGRESS("in-progress"),
  /** The transfer is complete; the manager of its disk takes the file. */
  READY_FOR_TRANSFER("ready-for-transfer"),
  /** Complete and verified. */
  READY("ready"),
  /** Failed; the message says why. */
  FAILED("failed"),
  /** Failed, and what was stored is being removed. */
  FAILED_AND_CLEANUP("failed-and-cleanup"),
  /** Not known, because the disk or its node is away, or the file is being verified again. */
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

  /** Returns whether the file may become ready without a new beginning. */
  public boolean isUnderWay() {
    return switch (this) {
      case PENDING, STARTING, IN_PROGRESS, READY_FOR_TRANSFER, UNKNOWN -> true;
      case READY, FAILED, FAILED_AND_CLEANUP -> false;
    };
  }
}
