package dev.holdfast.upgrader.internal;

/** How a bundle is replaced. */
enum ReplacementStrategy {
  /**
   * Installs the new bundle beside the old one, moves work in progress, then removes the old one.
   */
  SIDE_BY_SIDE,
  /** OSGi's update of the installed bundle; the old jar is kept. */
  IN_PLACE,
  /** While the container starts, before anything is served. */
  AT_RESTART,
  /** Nothing of that name is there yet. */
  INSTALL,
  /**
   * Removes the bundle: the operation that is undone had installed it, or the release does not
   * contain it.
   */
  REMOVE,
  /** The installed bundle has the same content. */
  NOTHING
}
