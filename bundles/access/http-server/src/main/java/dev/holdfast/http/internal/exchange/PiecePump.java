package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.PieceSource;
import dev.holdfast.http.internal.work.WorkLane;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes pieces from a source as the client reads. It uses a thread only while it works; the source,
 * the client and a timer trigger it.
 */
final class PiecePump implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PiecePump.class);

  private final PieceSource source;
  private final ResponseSender sender;
  private final EventExecutor loop;
  private final WorkLane threads;
  private final Runnable cut;
  private final LoopDeadline timer;
  private final AtomicInteger signals = new AtomicInteger();
  private volatile boolean aborted;
  private volatile boolean waitsForRoom;
  private boolean opened;
  private boolean over;

  /**
   * Creates the pump of a body.
   *
   * @param source produces the body
   * @param sender writes the body
   * @param loop event loop of the client
   * @param threads threads for calls of the source
   * @param cut ends the answer early, on the loop
   */
  PiecePump(
      PieceSource source,
      ResponseSender sender,
      EventExecutor loop,
      WorkLane threads,
      Runnable cut) {
    this.source = source;
    this.sender = sender;
    this.loop = loop;
    this.threads = threads;
    this.cut = cut;
    this.timer = new LoopDeadline(loop, this::wake);
  }

  /** Starts after the head of the answer was written. */
  void start() {
    sender.whenRoom(this::room);
    wake();
  }

  /** Ends because the client has disconnected; called on the loop. */
  void abort() {
    aborted = true;
    timer.end();
    wake();
  }

  private void room() {
    if (waitsForRoom) {
      waitsForRoom = false;
      wake();
    }
  }

  private void wake() {
    if (signals.getAndIncrement() == 0 && !threads.submit(this)) {
      // The server stops, and its threads accept no further tasks.
      aborted = true;
      work();
    }
  }

  @Override
  public void run() {
    int seen;
    do {
      seen = signals.get();
      work();
    } while (signals.addAndGet(-seen) != 0);
  }

  private void work() {
    if (over) {
      return;
    }
    try {
      if (aborted) {
        finish();
        return;
      }
      if (!opened) {
        opened = true;
        source.open(this::wake);
      }
      pump();
    } catch (RuntimeException e) {
      LOG.error("a streamed answer failed", e);
      finish();
      loop.execute(cut);
    }
  }

  private void pump() {
    while (!over && !aborted && hasRoom()) {
      PieceSource.Piece piece = source.next();
      int length = piece.bytes().remaining();
      if (length > 0) {
        sender.reserve(length);
        loop.execute(() -> sender.piece(piece.bytes()));
      }
      if (piece.last()) {
        finish();
        loop.execute(sender::end);
      } else if (length == 0) {
        loop.execute(() -> waitAtMost(piece));
        return;
      }
    }
  }

  private boolean hasRoom() {
    if (!sender.hasRoom()) {
      waitsForRoom = true;
      // The client may just have read the last piece.
      if (!sender.hasRoom()) {
        return false;
      }
      waitsForRoom = false;
    }
    return true;
  }

  private void waitAtMost(PieceSource.Piece piece) {
    if (!aborted) {
      timer.within(piece.quiet());
    }
  }

  private void finish() {
    over = true;
    source.close();
    if (!loop.isShuttingDown()) {
      loop.execute(timer::end);
    }
  }
}
