package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.error.StorageException;

/**
 * Reports a lost link to its channel, also when the link is lost before the channel has received
 * it.
 */
final class LinkWatch implements ReplicaLinks.Listener {
  private ReplicaChannel channel;
  private ReplicaSessionLink link;
  private StorageException cause;

  @Override
  public void lost(StorageException why) {
    synchronized (this) {
      cause = why;
      if (channel == null) {
        return;
      }
    }
    channel.lost(link, why);
  }

  /** Sets the channel that receives the loss of the link. */
  void adopted(ReplicaChannel by, ReplicaSessionLink watched) {
    StorageException early;
    synchronized (this) {
      channel = by;
      link = watched;
      early = cause;
    }
    if (early != null) {
      by.lost(watched, early);
    }
  }
}
