package dev.holdfast.portal.internal.session;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoThread;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.portal.internal.transport.NonBlockingTransport;
import dev.holdfast.portal.internal.transport.OutOfBuffersException;
import dev.holdfast.portal.internal.transport.Outbox;
import dev.holdfast.portal.internal.transport.PlainTransport;
import dev.holdfast.portal.internal.transport.PresharedKeyTransport;
import dev.holdfast.portal.internal.transport.PskAcceptor;
import dev.holdfast.portal.internal.transport.Transport;
import dev.holdfast.portal.internal.transport.Watchdog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection. Its thread reads the available bytes, passes them to the session, and
 * sends all replies together:
 *
 * <pre>
 *   HELD --frontend is there--> HANDSHAKE --attach--> SERVING --end of stream, end(), error--> ENDED
 * </pre>
 *
 * <p>The thread may stay blocked in a read while the session in the {@link SessionSlot} is
 * replaced: it enters the slot only after the read, so the read need not be interrupted. If it then
 * finds another session, it passes the connection and the bytes read to a new thread and ends. No
 * thread-local state of the former session's bundle remains.
 */
public final class ClientConnection implements Watchdog.Watched {
  private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);

  // Buffers that a connection keeps for its next replies are released after an idle time of at most
  // twice this period.
  private static final int TRIM_TICKS = Watchdog.ticks(Duration.ofSeconds(20));

  private final ConnectionHost listener;
  private final ConnectionContext context;
  private final SocketChannel channel;
  private final String name;
  private final ClientPeer client;
  private final String peer;
  private final ConnectionRights rights;
  private volatile Optional<ClientIdentity> identity = Optional.empty();
  private final Outbox outbox;
  private final Inbox inbox;
  private final SessionSlot slot;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ClientTimeouts patience;
  private final int parkedTicks;
  private final ConnectionThread thread;
  private Transport transport;
  private volatile Optional<NonBlockingTransport> prompt = Optional.empty();
  private boolean promptAsked;
  private boolean batch;
  private volatile Optional<AttachedExport> attached = Optional.empty();
  private volatile String export;
  private final ConnectionState texts = new ConnectionState();
  private boolean closing;
  private boolean tlsWanted;
  private boolean secured;
  private int charged;
  private Optional<String> provenIdentity = Optional.empty();
  private volatile boolean ending;

  public ClientConnection(
      ConnectionHost listener, ConnectionContext context, SocketChannel channel, String name)
      throws IOException {
    this.listener = listener;
    this.context = context;
    this.channel = channel;
    this.name = name;
    this.client = ClientPeer.of(channel);
    this.peer = client.name();
    this.transport = new PlainTransport(channel);
    this.outbox =
        new Outbox(
            context.pool(),
            context.limits(),
            context.watchdog(),
            context.threads(),
            transport,
            name);
    this.inbox = new Inbox(context.pool());
    this.slot = new SessionSlot(listener::sessionFreed);
    this.patience = new ClientTimeouts(context.limits());
    this.parkedTicks = Watchdog.ticks(context.limits().replacement().parked());
    this.rights = listener.rights(this);
    this.thread =
        new ConnectionThread(name, context.threads(), slot, inbox, this::relieve, this::finish);
  }

  public void start() {
    thread.start(this::run);
  }

  /** Called under the listener's lock, so that a removed frontend's users are all known. */
  public void startServing(FrontendService frontend) {
    int now = context.watchdog().now();
    patience.handshakeBegins(now);
    slot.reserve(frontend, now);
  }

  public SessionSlot slot() {
    return slot;
  }

  /** Returns the name of this connection for messages: its export, else its client. */
  public String subject() {
    return export == null ? peer : export;
  }

  /**
   * Starts to end the connection: a blocked read sees the end of the stream, replies are still
   * sent.
   */
  public void end() {
    ending = true;
    try {
      channel.shutdownInput();
    } catch (IOException e) {
      log.debug("{}: {} had disconnected already", name, peer, e);
    }
    slot.abandon();
  }

  /**
   * Waits for the end. After the deadline closes the socket, which unblocks a writer. Leaves a
   * hanging session: it has lost its client, and its device refuses later requests.
   */
  public void awaitEnd(long deadlineNanos) {
    try {
      if (!ended.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        sever();
        if (!ended.await(context.limits().grace().toNanos(), TimeUnit.NANOSECONDS)) {
          log.error("{}: the session of {} does not return; abandoning it", name, subject());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      sever();
    }
  }

  /** Closes the connection when it has waited too long for its client. */
  @Override
  public void check(int now) {
    if (now % TRIM_TICKS == 0 || context.pool().wanted()) {
      outbox.trim();
    }
    int waited = slot.waitedFor(now);
    if (waited > 0) {
      patience.waitsForBundle(now);
      if (waited > parkedTicks) {
        context.closed().add(name + ": no bundle continued " + subject() + " of " + peer);
        sever();
      }
      return;
    }
    patience
        .exceeded(now, outbox.writingSince())
        .ifPresent(
            why -> {
              context.closed().add(name + ": " + peer + " " + why);
              sever();
            });
    if (slot.calledFor(now) == patience.stallTicks()) {
      log.warn(
          "{}: one call of the session of {} has taken {}; its frontend loops, or its device or"
              + " client is slow",
          name,
          subject(),
          context.limits().stall());
    }
  }

  /** Closes the socket immediately. */
  public void sever() {
    try {
      channel.close();
    } catch (IOException e) {
      log.debug("{}: closing {} failed", name, peer, e);
    }
    prompt.ifPresent(NonBlockingTransport::wake);
    slot.abandon();
  }

  private void run() {
    context.watchdog().watch(this);
    serve(() -> open() && takeTurns(false));
  }

  private void serve(ConnectionThread.Work work) {
    boolean goesOn = false;
    try {
      goesOn = work.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      log.debug("{}: {} left: {}", name, peer, e.getMessage());
    } catch (OutOfBuffersException e) {
      // Lack of memory is not a defect of the session's bundle.
      context.closed().add(name + ": " + subject() + ": " + e.getMessage());
    } catch (RuntimeException | Error e) {
      log.error("{}: serving {} failed; its connection is closed", name, peer, e);
      slot.owner().ifPresent(by -> listener.threw(by.origin(), subject(), e));
    } finally {
      if (!goesOn) {
        finish();
      }
    }
  }

  private void finish() {
    patience.messageCame();
    endSession();
    attached.ifPresent(export -> texts.remove(export.state()));
    outbox.close();
    inbox.close();
    context.pool().charge(-charged);
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

  /**
   * Waits for the frontend and opens the session. Returns false when the portal closes or the
   * client ends.
   */
  private boolean open() throws InterruptedException, IOException {
    Optional<FrontendProvider> present = listener.awaitPresence();
    if (present.isEmpty() || !entered(door(present.get()))) {
      return false;
    }
    Optional<FrontendService> frontend = listener.awaitFrontend(this);
    if (frontend.isPresent()) {
      beginBatch();
      SessionConnection view = SessionConnection.active(this);
      slot.opened(frontend.get().frontend().open(view), view);
    }
    return frontend.isPresent();
  }

  private Optional<PskAcceptor> door(FrontendProvider frontend) {
    return client.local() ? Optional.empty() : listener.tls().door(frontend);
  }

  /** Handles a client that may begin with TLS. Returns false at the end of the stream. */
  private boolean entered(Optional<PskAcceptor> door) throws IOException {
    if (door.isEmpty()) {
      return true;
    }
    patience.handshakeBegins(context.watchdog().now());
    ByteBuffer first = ByteBuffer.allocate(1);
    if (channel.read(first) < 0) {
      return false;
    }
    Optional<PresharedKeyTransport> encrypted = door.get().enter(channel, first.get(0));
    if (encrypted.isPresent()) {
      use(encrypted.get());
      provenIdentity = Optional.of(encrypted.get().identity());
    } else {
      inbox.begin(first.flip());
    }
    patience.handshakeOver();
    return true;
  }

  /** Returns whether another thread continues; if not, the connection has ended. */
  private boolean takeTurns(boolean inputWaits) throws IOException {
    boolean input = inputWaits;
    while (true) {
      if (!input) {
        finishBatch();
        if (closing || ending || outbox.broken()) {
          return false;
        }
        if (tlsWanted) {
          upgrade();
        }
        if (!inbox.tookBegun() && !fill()) {
          return false;
        }
      }
      input = false;
      switch (slot.enter(context.watchdog().now())) {
        case ENTERED -> {
          if (!turn()) {
            return true;
          }
        }
        case RENEWED -> {
          thread.follow(() -> serve(() -> takeTurns(true)));
          return true;
        }
        case ENDED -> {
          return false;
        }
      }
    }
  }

  /**
   * Passes the read bytes to the session; its replies are sent at the beginning of the next turn.
   * Returns false when another thread continues, because this one hung in a device.
   */
  private boolean turn() throws IOException {
    beginBatch();
    if (!promptAsked && outbox.completedInOtherRuns()) {
      answerPromptly();
    }
    return thread.turn();
  }

  private void relieve(IoThread.Remainder remainder) {
    serve(() -> !thread.continueTurn(remainder) || takeTurns(false));
  }

  /** Reads until the session can make progress. Returns false at the end of the stream. */
  private boolean fill() throws IOException {
    do {
      // May wait for memory; this is not the fault of the client.
      ByteBuffer target = inbox.target();
      if (inbox.partial()) {
        patience.messageBegan(context.watchdog().now());
      }
      if (transport.read(target) < 0) {
        return false;
      }
    } while (!inbox.enough());
    patience.messageCame();
    return true;
  }

  private void beginBatch() {
    outbox.beginBatch();
    batch = true;
  }

  private void finishBatch() {
    if (batch) {
      batch = false;
      outbox.finishBatch();
    }
  }

  /** Ends the session after any error. After the return none of its requests is at the device. */
  private void endSession() {
    try {
      finishBatch();
      slot.end();
      beginBatch();
      finishBatch();
    } catch (RuntimeException | Error e) {
      log.error("{}: the session of {} did not end cleanly", name, peer, e);
    }
  }

  /** Allows the device's completing thread to send replies itself, if that never blocks. */
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
    try {
      Transport secured = listener.tls().secure(channel);
      identity = listener.tls().identity(secured);
      use(secured);
    } catch (IOException e) {
      rights.refusedTls(e);
      throw e;
    }
    tlsWanted = false;
  }

  private void use(Transport encrypted) {
    transport = encrypted;
    charged = encrypted.directBytes();
    context.pool().charge(charged);
    outbox.transport(encrypted);
    secured = true;
  }

  public String peer() {
    return peer;
  }

  /** Returns the client. */
  public ClientPeer client() {
    return client;
  }

  /** Returns the identity that the client proved. */
  public Optional<ClientIdentity> identity() {
    return identity;
  }

  /** Returns the name of the export that the connection uses. */
  public Optional<String> export() {
    return Optional.ofNullable(export);
  }

  ConnectionRights rights() {
    return rights;
  }

  void identify(ClientIdentity proven) {
    identity = Optional.of(proven);
  }

  Optional<BlockDevice> attach(String name) {
    attached = listener.attach(name, this);
    if (attached.isPresent()) {
      export = name;
      established();
    }
    return attached();
  }

  Optional<BlockDevice> attached() {
    return attached.map(AttachedExport::device);
  }

  Optional<ExportState> state() {
    return attached.map(AttachedExport::state);
  }

  boolean share(String name, Optional<String> expected, String text) {
    return attached.isPresent() && texts.share(attached.get().state(), name, expected, text);
  }

  Reply reply(int capacity) {
    return outbox.acquire(capacity);
  }

  Optional<Reply> message(int capacity) {
    return outbox.offer(capacity);
  }

  void established() {
    patience.handshakeOver();
  }

  InputLease retainInput() {
    return inbox.retain();
  }

  /** Returns the TLS of this connection; the UNIX socket needs none. */
  public TlsPolicy tls() {
    return client.local() ? TlsPolicy.OFF : listener.tls().policy();
  }

  public boolean secured() {
    return secured;
  }

  Optional<String> provenIdentity() {
    return provenIdentity;
  }

  void startTls() {
    if (secured || tls() == TlsPolicy.OFF) {
      throw new IllegalStateException("TLS is off, or the connection has it already");
    }
    tlsWanted = true;
  }

  void close() {
    closing = true;
  }
}
