package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.link.ReplicaLinks;
import dev.holdfast.engine.sparse.internal.link.ReplicaSessionLink;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;

/**
 * One session over the {@link SimulatedNetwork}. Sent requests may still take effect after the link
 * is lost.
 */
final class SimulatedLink implements ReplicaSessionLink {
  private final SimulatedNetwork network;
  private final String from;
  private final String to;
  private final Scheduler.Incarnation server;
  private final Scheduler.Incarnation client;
  private final ReplicaSession session;
  private final Duration timeout;
  private final ReplicaLinks.Listener listener;
  private final Deque<Runnable> requests = new ArrayDeque<>();
  private final Deque<Runnable> answers = new ArrayDeque<>();
  private final Set<Payload> underWay = new LinkedHashSet<>();
  private boolean ended;

  SimulatedLink(
      SimulatedNetwork network,
      String from,
      String to,
      Scheduler.Incarnation server,
      ReplicaSession session,
      Duration timeout,
      ReplicaLinks.Listener listener) {
    this.network = network;
    this.from = from;
    this.to = to;
    this.server = server;
    this.client = Scheduler.process();
    this.session = session;
    this.timeout = timeout;
    this.listener = listener;
  }

  String from() {
    return from;
  }

  String to() {
    return to;
  }

  /** Ends the connection. A witness has no connection, only calls. */
  void lose(StorageException cause) {
    if (!ended && !session.replica().witness()) {
      end();
      network.forget(this);
      network.scheduler().start(client, () -> listener.lost(cause));
    }
  }

  // Ends sending. Sent requests have the content that their buffers have now.
  private void end() {
    ended = true;
    underWay.forEach(Payload::bytes);
    underWay.clear();
  }

  /** Data of a write: sent from the client's buffer, which belongs to the request until its end. */
  private final class Payload {
    private final ByteBuffer source;
    private final int position;
    private final int length;
    private ByteBuffer sent;

    Payload(ByteBuffer source, int position, int length) {
      this.source = source;
      this.position = position;
      this.length = length;
      underWay.add(this);
    }

    ByteBuffer bytes() {
      if (sent == null) {
        sent = ByteBuffer.allocate(length).put(0, source, position, length);
      }
      return sent;
    }

    ByteBuffer arrived() {
      underWay.remove(this);
      return bytes();
    }
  }

  // Delivers messages in order, each when it arrives. While the nodes are partitioned, all wait.
  private void queue(Deque<Runnable> way, Scheduler.Incarnation end, Runnable message) {
    way.add(message);
    if (way.size() == 1) {
      network.scheduler().later(Scheduler.WORLD, network.delay(), () -> arrive(way, end));
    }
  }

  private void arrive(Deque<Runnable> way, Scheduler.Incarnation end) {
    if (network.parted(from, to)) {
      network.scheduler().later(Scheduler.WORLD, network.delay(), () -> arrive(way, end));
      return;
    }
    network.scheduler().start(end, way.remove());
    if (!way.isEmpty()) {
      network.scheduler().later(Scheduler.WORLD, network.delay() / 4, () -> arrive(way, end));
    }
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
    if (!ended) {
      queue(requests, server, () -> serve(work, arrival, done));
    }
  }

  private void serve(Work work, Runnable arrival, MemberCompletion done) {
    int ticket = session.enter();
    if (ticket < 0 && !network.isAdmitted(session.token(), to)) {
      queue(answers, client, () -> lose(SimulatedNetwork.unreachable(to)));
      return;
    }
    Captured captured = new Captured();
    try {
      work.at(session.replica(), captured);
    } finally {
      if (ticket >= 0) {
        session.leave(ticket);
      }
    }
    queue(
        answers,
        client,
        () -> {
          if (!ended) {
            // A failed read leaves the buffer unchanged.
            if (captured.failure == null) {
              arrival.run();
            }
            done.completed(captured.failure, captured.count);
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
    if (ended) {
      return;
    }
    Payload payload = new Payload(source, position, length);
    request(
        (replica, answer) -> replica.write(offset, payload.arrived(), 0, length, answer),
        () -> {},
        done);
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

  /** Work of the host for a control call. */
  interface Call<T> {
    T at(LocalReplica replica) throws StorageException;
  }

  <T> T control(Call<T> call) throws StorageException {
    if (ended) {
      throw SimulatedNetwork.unreachable(to);
    }
    T answer = network.ask(from, to, timeout, engine -> serve(call));
    if (ended) {
      throw SimulatedNetwork.unreachable(to);
    }
    return answer;
  }

  private <T> T serve(Call<T> call) throws StorageException {
    // The process that runs there now does not have this session.
    int ticket = server.dead() ? -1 : session.enter();
    if (ticket < 0) {
      throw new StorageException(ErrorCode.FORBIDDEN, to + ": there is no such session");
    }
    try {
      return call.at(session.replica());
    } finally {
      session.leave(ticket);
    }
  }

  @Override
  public void mark(BitSet regions) throws StorageException {
    BitSet sent = (BitSet) regions.clone();
    control(
        replica -> {
          replica.mark(sent);
          return sent;
        });
  }

  @Override
  public void replaceMarks(BitSet marked) throws StorageException {
    BitSet sent = (BitSet) marked.clone();
    control(
        replica -> {
          replica.replaceMarks(sent);
          return sent;
        });
  }

  @Override
  public void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet missed)
      throws StorageException {
    BitSet sent = (BitSet) missed.clone();
    control(
        replica -> {
          replica.recordEpoch(epoch, absent, sent);
          return epoch;
        });
  }

  @Override
  public void seal() throws StorageException {
    control(
        replica -> {
          replica.seal();
          return replica;
        });
  }

  @Override
  public ReplicaChain chain() {
    return new SimulatedChain(this);
  }

  @Override
  public LayerReply layer(LayerRequest request) throws StorageException {
    return control(replica -> replica.layer(request));
  }

  @Override
  public void close() {
    if (!ended) {
      end();
      network.forget(this);
      queue(requests, server, session::close);
    }
  }
}
