package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.VolumeState;

/**
 * The state transitions of a volume as a table over the wanted node (S), the node to which it is
 * fully attached (C), the second serving node during a live migration (M) and its state. Every
 * combination has a row:
 *
 * <pre>
 *   S    C     state                          goal    becomes
 *   any  any   creating                       make    creating; when made detaching
 *   ""   ""    attached, attaching            close   detaching
 *   ""   ""    detaching                      close   when closed detached
 *   ""   ""    detached                       close   (tidies up again)
 *   ""   n     attached, attaching, detached  close   detaching
 *   ""   n     detaching                      close   when closed detached, C := ""
 *   n    ""    attached                       close   detaching
 *   n    ""    detaching                      close   when closed detached
 *   n    ""    detached                       open    attaching
 *   n    ""    attaching                      open    when opened attached, C := n
 *   n    n     attaching, detached            close   detaching
 *   n    n     detaching                      close   when closed detached, C := ""
 *   n    n     attached                       open    (keeps it so)
 *   n    m     attached, and M = n            open    when opened C := n
 *   n    m     attached, attaching, detached  close   detaching
 *   n    m     detaching                      close   when closed detached, C := ""
 *   any  any   deleting                       close   deleting
 * </pre>
 */
final class VolumeStateTable {
  private VolumeStateTable() {}

  /** Goals for the parts. */
  enum Goal {
    /** Create the parts. */
    MAKE,
    /** Run the parts on the wanted node. */
    OPEN,
    /** Stop the parts, the engine first. */
    CLOSE
  }

  /**
   * A row.
   *
   * @param goal goal for the parts now
   * @param state of the volume after this step
   * @param currentNodeID of the volume after this step
   */
  record Row(Goal goal, VolumeState state, String currentNodeID) {}

  /**
   * Observation of the parts.
   *
   * @param made whether all parts exist
   * @param opened whether all parts run on the wanted node
   * @param closed whether all parts have stopped
   */
  record Parts(boolean made, boolean opened, boolean closed) {}

  /**
   * Returns the matching row.
   *
   * @param joined the second serving node, empty for none
   */
  static Row next(String wanted, String current, String joined, VolumeState state, Parts parts) {
    return switch (state) {
      case CREATING ->
          parts.made()
              ? new Row(Goal.CLOSE, VolumeState.DETACHING, current)
              : new Row(Goal.MAKE, VolumeState.CREATING, current);
      case DETACHING ->
          parts.closed()
              ? new Row(Goal.CLOSE, VolumeState.DETACHED, "")
              : new Row(Goal.CLOSE, VolumeState.DETACHING, current);
      case DETACHED -> detached(wanted, current);
      case ATTACHING -> attaching(wanted, current, parts);
      case ATTACHED -> attached(wanted, current, joined, parts);
      case DELETING -> new Row(Goal.CLOSE, VolumeState.DELETING, current);
    };
  }

  private static Row attached(String wanted, String current, String joined, Parts parts) {
    boolean moves = !current.isEmpty() && wanted.equals(joined);
    if (wanted.isEmpty() || !(wanted.equals(current) || moves)) {
      return new Row(Goal.CLOSE, VolumeState.DETACHING, current);
    }
    return new Row(Goal.OPEN, VolumeState.ATTACHED, moves && parts.opened() ? wanted : current);
  }

  private static Row detached(String wanted, String current) {
    if (!current.isEmpty()) {
      return new Row(Goal.CLOSE, VolumeState.DETACHING, current);
    }
    return wanted.isEmpty()
        ? new Row(Goal.CLOSE, VolumeState.DETACHED, "")
        : new Row(Goal.OPEN, VolumeState.ATTACHING, "");
  }

  private static Row attaching(String wanted, String current, Parts parts) {
    if (wanted.isEmpty() || !current.isEmpty()) {
      return new Row(Goal.CLOSE, VolumeState.DETACHING, current);
    }
    return parts.opened()
        ? new Row(Goal.OPEN, VolumeState.ATTACHED, wanted)
        : new Row(Goal.OPEN, VolumeState.ATTACHING, "");
  }
}
