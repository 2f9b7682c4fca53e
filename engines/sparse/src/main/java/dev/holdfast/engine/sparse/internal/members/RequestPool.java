package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.Completion;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Ended requests for reuse. Grows to the largest number of requests that were in flight at once.
 */
final class RequestPool {
  private final ReplicaFanout members;
  private final Deque<MemberRequest> idle = new ArrayDeque<>();

  RequestPool(ReplicaFanout members) {
    this.members = members;
  }

  MemberRequest take(int ticket, Completion completion, int flags) {
    MemberRequest request;
    synchronized (this) {
      request = idle.pollFirst();
    }
    if (request == null) {
      request = new MemberRequest(members);
    }
    request.begin(ticket, completion, flags);
    return request;
  }

  synchronized void give(MemberRequest request) {
    idle.addFirst(request);
  }
}
