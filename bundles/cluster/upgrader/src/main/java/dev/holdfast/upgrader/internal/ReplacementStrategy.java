package dev.holdfast.upgrader.internal;

/** How a bundle is replaced. */
enum ReplacementStrategy {
  /** The new one is installed beside the old; what is in use moves; then the old goes. */
  SIDE_BY_SIDE,
  /** OSGi's update of the installed bundle; the old jar is kept. */
  IN_PLACE,
  /** While the container starts, before anything is served. */
  AT_RESTART,
  /** Nothing of that name is there yet. */
  INSTALL,
  /** It goes: the operation that is undone had brought it, or a release does not have it. */
  REMOVE,
  /** The installed bundle has the same content. */
  NOTHING
}
