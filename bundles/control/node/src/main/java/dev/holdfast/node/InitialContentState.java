package dev.holdfast.node;

import dev.holdfast.resource.volume.ReplicaLink;

/** State of a replica of a volume that awaits its first content. */
public sealed interface InitialContentState {

  /** The node provisions the replica empty if necessary; its content follows later. */
  record Later() implements InitialContentState {}

  /**
   * The replica must not be provisioned yet.
   *
   * @param reason shown in the replica's status
   * @param link report about sharing a snapshot's content
   */
  record Awaited(String reason, ReplicaLink link) implements InitialContentState {}

  /**
   * The replica must not be provisioned yet, because its disk does not have the backing image.
   *
   * @param reason shown in the replica's status
   */
  record AwaitsImage(String reason) implements InitialContentState {}

  /**
   * The replica was provisioned with its content.
   *
   * @param usedBytes size on its disk
   * @param link report about sharing a snapshot's content
   */
  record Present(long usedBytes, ReplicaLink link) implements InitialContentState {}
}
