package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.error.StorageException;

/**
 * Passes the news of a lost link to its channel, also when it comes before the channel has the
 * link.
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

  /** Hands the link to the channel. */
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
