package dev.holdfast.portal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoThread;
import dev.holdfast.frontend.ExportCatalogue;
import dev.holdfast.frontend.Frontend;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.TlsPolicy;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client. Its thread reads as much as there is, lets the session take it, and sends all replies
 * at once:
 *
 * <pre>
 *   HELD --frontend is there--> HANDSHAKE --attach--> SERVING --end of stream, end(), error--> ENDED
 * </pre>
 *
 * The thread may stay blocked in its read while the session is exchanged: the session is called
 * only after the read, so nobody has to interrupt it.
 */
final class Connection implements FrontendConnection {
  private static final Logger log = LoggerFactory.getLogger(Connection.class);

  private final FrontendListener listener;
  private final PortalContext context;
  private final SocketChannel channel;
  private final String name;
  private final String peer;
  private final Outbox outbox;
  private final Inbox inbox;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final int handshakeTicks;
  private final int stallTicks;
  private IoThread thread;
  private Transport transport;
  private volatile Optional<PromptTransport> prompt = Optional.empty();
  private boolean promptAsked;
  private boolean closing;
  private boolean tlsWanted;
  private boolean secured;
  private volatile boolean ending;
  private volatile int handshakeSince;
  private volatile int messageSince;

  Connection(FrontendListener listener, PortalContext context, SocketChannel channel, String name)
      throws IOException {
    this.listener = listener;
    this.context = context;
    this.channel = channel;
    this.name = name;
    this.peer = String.valueOf(channel.getRemoteAddress());
    this.transport = new PlainTransport(channel);
    this.outbox = new Outbox(context.pool(), context.limits(), context.watchdog(), transport, name);
    this.inbox = new Inbox(context.pool());
    this.handshakeTicks = Watchdog.ticks(context.limits().handshake());
    this.stallTicks = Watchdog.ticks(context.limits().stall());
  }

  void start() {
    thread = new IoThread(this::run, name);
    thread.start();
  }

  /** Said under the listener's lock, so that a leaving frontend finds every user of it. */
  void startServing() {
    handshakeSince = context.watchdog().now();
  }

  boolean serving() {
    return handshakeSince != 0;
  }

  /**
   * Asks the connection to end: a blocked read sees the end of the stream, replies still go out.
   */
  void end() {
    ending = true;
    try {
      channel.shutdownInput();
    } catch (IOException e) {
      log.debug("{}: {} was gone already", name, peer, e);
    }
  }

  /** Waits for the end; after the deadline closes the socket, which frees a blocked writer. */
  void awaitEnd(long deadlineNanos) {
    try {
      if (!ended.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        sever();
        ended.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      sever();
    }
  }

  void checkPatience(int now) {
    int handshake = handshakeSince;
    int message = messageSince;
    int writing = outbox.writingSince();
    if (handshake > 0 && now - handshake > handshakeTicks) {
      log.warn("{}: {} did not finish its handshake in time; closed", name, peer);
      sever();
    } else if ((message != 0 && now - message > stallTicks)
        || (writing != 0 && now - writing > stallTicks)) {
      log.warn("{}: {} neither sends nor takes bytes; closed", name, peer);
      sever();
    }
  }

  private void sever() {
    try {
      channel.close();
    } catch (IOException e) {
      log.debug("{}: closing {} failed", name, peer, e);
    }
    prompt.ifPresent(PromptTransport::wake);
  }

  private void run() {
    context.watchdog().watch(this);
    try {
      Optional<Frontend> frontend = listener.awaitFrontend(this);
      if (frontend.isPresent()) {
        serve(frontend.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      log.debug("{}: {} left: {}", name, peer, e.getMessage());
    } catch (RuntimeException | Error e) {
      log.error("{}: serving {} failed; its connection is closed", name, peer, e);
    } finally {
      finish();
    }
  }

  private void finish() {
    outbox.close();
    inbox.close();
    try {
      transport.close();
    } catch (IOException e) {
      log.debug("{}: closing {} failed", name, peer, e);
    }
    sever();
    context.watchdog().forget(this);
    listener.ended(this);
    ended.countDown();
  }

  private void serve(Frontend frontend) throws IOException, InterruptedException {
    outbox.beginBatch();
    FrontendSession session = frontend.open(this);
    boolean batch = true;
    try {
      while (true) {
        outbox.finishBatch();
        batch = false;
        if (closing || ending || outbox.broken()) {
          return;
        }
        if (tlsWanted) {
          upgrade();
        }
        if (!fill()) {
          return;
        }
        outbox.beginBatch();
        batch = true;
        if (!promptAsked && outbox.completedInOtherRuns()) {
          answerPromptly();
        }
        thread.beginRun();
        inbox.offer(session);
        thread.endRun();
      }
    } finally {
      thread.endRun();
      if (batch) {
        outbox.finishBatch();
      }
      stop(session);
    }
  }

  /** Reads until there is something new for the session. Returns false at the end of the stream. */
  private boolean fill() throws IOException {
    do {
      messageSince = inbox.partial() ? context.watchdog().now() : 0;
      if (transport.read(inbox.target()) < 0) {
        return false;
      }
    } while (!inbox.enough());
    messageSince = 0;
    return true;
  }

  private void stop(FrontendSession session) throws InterruptedException {
    messageSince = 0;
    CountDownLatch stopped = new CountDownLatch(1);
    session.stop(stopped::countDown);
    stopped.await();
    outbox.beginBatch();
    outbox.finishBatch();
  }

  /**
   * From now on the thread on which the device completes answers itself, where it need not wait.
   */
  private void answerPromptly() throws IOException {
    promptAsked = true;
    prompt = transport.prompt();
    if (prompt.isPresent()) {
      transport = prompt.get();
      outbox.answerPromptly(prompt.get());
    }
  }

  private void upgrade() throws IOException {
    if (inbox.partial()) {
      throw new IOException("input follows the request for TLS in clear");
    }
    Transport encrypted = listener.tls().secure(channel);
    transport = encrypted;
    outbox.transport(encrypted);
    tlsWanted = false;
    secured = true;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public ExportCatalogue exports() {
    return listener;
  }

  @Override
  public Optional<BlockDevice> attach(String export) {
    Optional<BlockDevice> device = listener.attach(export, this);
    if (device.isPresent()) {
      handshakeSince = -1;
    }
    return device;
  }

  @Override
  public Reply reply(int capacity) {
    return outbox.acquire(capacity);
  }

  @Override
  public InputLease retainInput() {
    return inbox.retain();
  }

  @Override
  public TlsPolicy tls() {
    return listener.tls().policy();
  }

  @Override
  public boolean secured() {
    return secured;
  }

  @Override
  public void startTls() {
    if (secured || tls() == TlsPolicy.OFF) {
      throw new IllegalStateException("TLS is off, or the connection has it already");
    }
    tlsWanted = true;
  }

  @Override
  public void close() {
    closing = true;
  }
}
