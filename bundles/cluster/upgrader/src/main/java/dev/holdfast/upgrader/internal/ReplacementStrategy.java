package dev.holdfast.upgrader.internal;

/** Methods of replacing a bundle. */
enum ReplacementStrategy {
  /**
   * Installs the new bundle beside the old one, moves work in progress, then removes the old one.
   */
  SIDE_BY_SIDE,
  /** OSGi's update of the installed bundle; the old jar is kept. */
  IN_PLACE,
  /** Replaced while the container starts, before volumes are served. */
  AT_RESTART,
  /** New bundle: no bundle of that name is installed. */
  INSTALL,
  /**
   * Removes the bundle: the undone operation had installed it, or the release does not contain it.
   */
  REMOVE,
  /** The installed bundle has the same content. */
  NOTHING
}
