package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.Executor;

/** One session over a {@link MemoryNetwork}: bytes are copied in transit, as by a socket. */
final class MemoryLink implements ReplicaSessionLink {
  private final MemoryNetwork network;
  private final String node;
  private final ReplicaSession session;
  private final Executor executor;
  private final ReplicaLinks.Listener listener;
  private boolean ended;

  MemoryLink(
      MemoryNetwork network,
      String node,
      ReplicaSession session,
      Executor executor,
      ReplicaLinks.Listener listener) {
    this.network = network;
    this.node = node;
    this.session = session;
    this.executor = executor;
    this.listener = listener;
  }

  String node() {
    return node;
  }

  void lose(StorageException cause) {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
    }
    listener.lost(cause);
  }

  @Override
  public FencedReplica fenced() {
    return session.replica().fenced();
  }

  /** Result of a request at its host, which completes at once. */
  private static final class Captured implements MemberCompletion {
    private StorageException failure;
    private long count;

    @Override
    public void completed(StorageException cause, long done) {
      failure = cause;
      count = done;
    }
  }

  /** Work of the host for a request. */
  private interface Work {
    void at(LocalReplica replica, MemberCompletion answer);
  }

  // The content of the reply is delivered only while the link is open.
  private void request(Work work, Runnable arrival, MemberCompletion done) {
    synchronized (this) {
      if (ended) {
        return;
      }
    }
    executor.execute(
        () -> {
          if (network.killed()) {
            done.completed(killed(), 0);
            return;
          }
          int ticket = session.enter();
          if (ticket < 0) {
            executor.execute(() -> lose(MemoryNetwork.unreachable(node)));
            return;
          }
          Captured captured = new Captured();
          try {
            work.at(session.replica(), captured);
          } finally {
            session.leave(ticket);
          }
          answer(captured.failure, captured.count, arrival, done);
        });
  }

  private StorageException killed() {
    return new StorageException(ErrorCode.IO, node + ": killed");
  }

  private void answer(
      StorageException failure, long count, Runnable arrival, MemberCompletion done) {
    if (!network.answers(node)) {
      return;
    }
    if (network.answerLost(node)) {
      lose(MemoryNetwork.unreachable(node));
      return;
    }
    executor.execute(
        () -> {
          synchronized (this) {
            if (ended) {
              return;
            }
            arrival.run();
            done.completed(network.killed() ? killed() : failure, count);
          }
        });
  }

  @Override
  public void read(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    request(
        (replica, answer) -> replica.read(offset, bytes, 0, length, answer),
        () -> target.put(position, bytes, 0, length),
        done);
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    synchronized (this) {
      if (ended) {
        return;
      }
    }
    ByteBuffer bytes = ByteBuffer.allocate(length).put(0, source, position, length);
    request((replica, answer) -> replica.write(offset, bytes, 0, length, answer), () -> {}, done);
  }

  @Override
  public void zero(long offset, long length, boolean allocated, MemberCompletion done) {
    request((replica, answer) -> replica.zero(offset, length, allocated, answer), () -> {}, done);
  }

  @Override
  public void sync(MemberCompletion done) {
    request(LocalReplica::sync, () -> {}, done);
  }

  private record Extent(long offset, long length, ExtentKind kind) {}

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done) {
    List<Extent> found = new ArrayList<>();
    request(
        (replica, answer) ->
            replica.extents(
                offset,
                length,
                (at, count, kind) -> found.add(new Extent(at, count, kind)),
                answer),
        () -> {
          for (Extent extent : found) {
            if (!visitor.extent(extent.offset(), extent.length(), extent.kind())) {
              return;
            }
          }
        },
        done);
  }

  @Override
  public void endOfBatch() {
    // Every request is already sent.
  }

  private interface Call {
    void at(LocalReplica replica) throws StorageException;
  }

  private void control(Call call) throws StorageException {
    if (network.killed()) {
      throw killed();
    }
    synchronized (this) {
      if (ended || !network.answers(node)) {
        throw MemoryNetwork.unreachable(node);
      }
    }
    int ticket = session.enter();
    if (ticket < 0) {
      throw new StorageException(ErrorCode.FORBIDDEN, node + ": a later session was admitted");
    }
    try {
      call.at(session.replica());
    } finally {
      session.leave(ticket);
    }
    if (network.answerLost(node)) {
      throw MemoryNetwork.unreachable(node);
    }
  }

  @Override
  public void mark(BitSet regions) throws StorageException {
    control(replica -> replica.mark(regions));
  }

  @Override
  public void replaceMarks(BitSet marked) throws StorageException {
    control(replica -> replica.replaceMarks(marked));
  }

  @Override
  public void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet missed)
      throws StorageException {
    control(replica -> replica.recordEpoch(epoch, absent, missed));
  }

  @Override
  public void seal() throws StorageException {
    control(LocalReplica::seal);
  }

  @Override
  public ReplicaChain chain() {
    return session.replica().chain();
  }

  @Override
  public LayerReply layer(LayerRequest request) throws StorageException {
    LayerReply[] reply = new LayerReply[1];
    control(replica -> reply[0] = replica.layer(request));
    return reply[0];
  }

  @Override
  public void close() {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
    }
    session.close();
  }
}
