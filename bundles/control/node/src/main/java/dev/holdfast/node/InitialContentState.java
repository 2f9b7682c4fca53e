package dev.holdfast.node;

import dev.holdfast.resource.volume.ReplicaLink;

/** State of a replica of a volume that awaits its first content. */
public sealed interface InitialContentState {

  /** The node makes the replica empty, if it was not made yet; its content comes later. */
  record Later() implements InitialContentState {}

  /**
   * The replica may not be made yet.
   *
   * @param reason shown in the replica's status
   * @param link knowledge of sharing a snapshot's content
   */
  record Awaited(String reason, ReplicaLink link) implements InitialContentState {}

  /**
   * The replica may not be made yet, because its disk does not have the backing image.
   *
   * @param reason shown in the replica's status
   */
  record AwaitsImage(String reason) implements InitialContentState {}

  /**
   * The replica was made with its content.
   *
   * @param usedBytes size on its disk
   * @param link knowledge of sharing a snapshot's content
   */
  record Present(long usedBytes, ReplicaLink link) implements InitialContentState {}
}
