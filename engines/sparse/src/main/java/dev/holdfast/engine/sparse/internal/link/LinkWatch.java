package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.error.StorageException;

/**
 * Passes the news of a lost link to its member, also when it comes before the member has the link.
 */
final class LinkWatch implements ReplicaLinks.Listener {
  private RemoteMember member;
  private ReplicaLink link;
  private StorageException cause;

  @Override
  public void lost(StorageException why) {
    synchronized (this) {
      cause = why;
      if (member == null) {
        return;
      }
    }
    member.lost(link, why);
  }

  /** The member has the link from now on. */
  void adopted(RemoteMember by, ReplicaLink watched) {
    StorageException early;
    synchronized (this) {
      member = by;
      link = watched;
      early = cause;
    }
    if (early != null) {
      by.lost(watched, early);
    }
  }
}
