package dev.holdfast.nvme.host.internal;

import dev.holdfast.block.IoThread;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * One queue of a controller on a connection of its own. One thread receives and completes, another
 * sends, so that a target that waits for one side never stops the other. Commands past the depth of
 * the queue wait. Buffers are given back after both threads left them.
 */
final class NvmeQueue implements AutoCloseable {
  private static final ByteBuffer[] END = {};

  private final String name;
  private final SocketChannel channel;
  private final PduReader reader;
  private final PduFormat format;
  private final int capsuleRoom;
  private final long limitNanos;
  private final NvmeCommand[] inFlight;
  private final ArrayDeque<Integer> freeIds = new ArrayDeque<>();
  private final ArrayDeque<NvmeCommand> backlog = new ArrayDeque<>();
  private final LinkedBlockingQueue<ByteBuffer[]> outgoing = new LinkedBlockingQueue<>();
  private final Thread receiver;
  private final Thread sender;
  private final Runnable ended;
  private StorageException dead;

  private NvmeQueue(
      String name,
      SocketChannel channel,
      PduReader reader,
      PduFormat format,
      int entries,
      int capsuleRoom,
      Duration limit,
      Runnable ended) {
    this.ended = ended;
    this.name = name;
    this.channel = channel;
    this.reader = reader;
    this.format = format;
    this.capsuleRoom = capsuleRoom;
    this.limitNanos = limit.toNanos();
    this.inFlight = new NvmeCommand[entries - 1];
    for (int id = 0; id < inFlight.length; id++) {
      freeIds.add(id);
    }
    this.receiver = new IoThread(this::receive, "nvme-host receiver " + name);
    this.sender = new IoThread(this::send, "nvme-host sender " + name);
  }

  /**
   * Connects and agrees on the form of PDUs.
   *
   * @param entries size of the queue; one less are in flight
   * @param capsuleRoom bytes of data that a command may carry itself
   * @param ended called once after the connection has ended and its commands have failed
   */
  static NvmeQueue open(
      String name,
      InetSocketAddress address,
      int entries,
      int capsuleRoom,
      Duration limit,
      ScheduledExecutorService timer,
      Runnable ended)
      throws StorageException {
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, (int) Math.min(limit.toMillis(), Integer.MAX_VALUE));
      PduReader reader = new PduReader(channel);
      PduFormat format = greet(channel, reader, limit, timer);
      NvmeQueue queue =
          new NvmeQueue(name, channel, reader, format, entries, capsuleRoom, limit, ended);
      queue.receiver.start();
      queue.sender.start();
      return queue;
    } catch (IOException | RuntimeException e) {
      closeQuietly(channel, e);
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          name + ": could not connect: " + e.getMessage() + ": check the target and its address",
          e);
    }
  }

  private static void closeQuietly(SocketChannel channel, Exception reason) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        reason.addSuppressed(e);
      }
    }
  }

  /** A target that accepts and never answers loses the connection at the limit. */
  private static PduFormat greet(
      SocketChannel channel, PduReader reader, Duration limit, ScheduledExecutorService timer)
      throws IOException {
    ScheduledFuture<?> guard =
        timer.schedule(
            () -> {
              channel.close();
              return null;
            },
            limit.toMillis(),
            TimeUnit.MILLISECONDS);
    try {
      ByteBuffer greeting = PduFormat.greeting();
      while (greeting.hasRemaining()) {
        channel.write(greeting);
      }
      return PduFormat.agree(reader.next());
    } finally {
      guard.cancel(false);
    }
  }

  // --- commands ---------------------------------------------------------------------------

  /** Starts a command, or keeps it until there is room. Its answer comes on another thread. */
  void submit(NvmeCommand command) {
    StorageException failure;
    synchronized (this) {
      failure = dead;
      if (failure == null) {
        backlog.add(command);
        startNext();
      }
    }
    if (failure != null) {
      command.ended(0, 0, copy(failure));
    }
  }

  synchronized void requireConnected() throws StorageException {
    if (dead != null) {
      throw copy(dead);
    }
  }

  private static StorageException copy(StorageException failure) {
    return new StorageException(failure.code(), failure.getMessage(), failure);
  }

  private synchronized void startNext() {
    while (!backlog.isEmpty() && !freeIds.isEmpty()) {
      NvmeCommand command = backlog.poll();
      int id = freeIds.poll();
      inFlight[id] = command;
      command.prepare(id, capsuleRoom, System.nanoTime() + limitNanos);
      outgoing.add(format.capsule(command));
    }
  }

  /** Ends the connection when a command waits for its answer too long. */
  void failIfLate(long now) {
    boolean late;
    synchronized (this) {
      late =
          Arrays.stream(inFlight).filter(Objects::nonNull).anyMatch(command -> command.isLate(now));
    }
    if (late) {
      die(ErrorCode.TIMEOUT, "a command was not answered in time", null);
    }
  }

  private synchronized NvmeCommand find(int id) throws IOException {
    if (id >= inFlight.length || inFlight[id] == null) {
      throw new IOException("the target names command " + id + ", which is not in flight");
    }
    return inFlight[id];
  }

  private void complete(int id, int status, long result) throws IOException {
    NvmeCommand command = find(id);
    if (status == NvmeStatus.SUCCESS && command.fromTarget().hasRemaining()) {
      throw new IOException("the target sent less data than command " + id + " reads");
    }
    synchronized (this) {
      inFlight[id] = null;
      freeIds.add(id);
      startNext();
    }
    command.ended(status, result, null);
  }

  // --- threads ----------------------------------------------------------------------------

  private void receive() {
    try {
      while (true) {
        handle(reader.next());
      }
    } catch (IOException | RuntimeException e) {
      die(ErrorCode.UNREACHABLE, "connection lost: " + e.getMessage(), e);
    } finally {
      failAll();
      ended.run();
    }
  }

  private void handle(ByteBuffer pdu) throws IOException {
    switch (PduFormat.type(pdu)) {
      case PduFormat.RESPONSE ->
          complete(PduFormat.responseId(pdu), PduFormat.status(pdu), pdu.getLong(8));
      case PduFormat.DATA_TO_HOST -> receiveData(pdu);
      case PduFormat.READY_TO_TRANSFER -> sendData(pdu);
      case PduFormat.TERMINATION ->
          throw new IOException("the target ended the connection: " + pdu.getShort(8));
      default -> throw new IOException("PDU of type " + PduFormat.type(pdu));
    }
  }

  private void receiveData(ByteBuffer pdu) throws IOException {
    int id = PduFormat.commandId(pdu);
    ByteBuffer target = find(id).fromTarget();
    int length = PduFormat.dataLength(pdu);
    if (length < 0 || length > target.remaining() || !PduFormat.isNext(pdu, target)) {
      throw new IOException("the target sent data that command " + id + " does not expect");
    }
    reader.data(pdu, target.duplicate().limit(target.position() + length));
    target.position(target.position() + length);
    if (PduFormat.isSuccess(pdu)) {
      complete(id, NvmeStatus.SUCCESS, 0);
    }
  }

  private void sendData(ByteBuffer pdu) throws IOException {
    NvmeCommand command = find(PduFormat.commandId(pdu));
    long offset = PduFormat.requestedOffset(pdu);
    long length = PduFormat.requestedLength(pdu);
    if (command.isInCapsule() || offset + length > command.toTarget().remaining()) {
      throw new IOException("the target requested data that a command does not have");
    }
    format.data(pdu, command.toTarget(), (int) offset, (int) length).forEach(outgoing::add);
  }

  private void send() {
    try {
      for (ByteBuffer[] pdu = outgoing.take(); pdu != END; pdu = outgoing.take()) {
        while (pdu[pdu.length - 1].hasRemaining() || pdu[0].hasRemaining()) {
          channel.write(pdu);
        }
      }
    } catch (IOException e) {
      die(ErrorCode.UNREACHABLE, "connection lost: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      die(ErrorCode.UNREACHABLE, "interrupted", e);
    }
  }

  /** Ends the connection. The receiver then fails what is in flight. */
  private void die(ErrorCode code, String reason, Exception cause) {
    synchronized (this) {
      if (dead == null) {
        dead = new StorageException(code, name + ": " + reason + ": connect again", cause);
      }
    }
    closeQuietly(channel, dead);
    outgoing.add(END);
  }

  /** Buffers belong to the threads until both have ended. */
  private void failAll() {
    boolean interrupted = false;
    while (sender.isAlive()) {
      try {
        sender.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    List<NvmeCommand> failed = new ArrayList<>();
    StorageException reason;
    synchronized (this) {
      reason = dead;
      Arrays.stream(inFlight).filter(Objects::nonNull).forEach(failed::add);
      Arrays.fill(inFlight, null);
      failed.addAll(backlog);
      backlog.clear();
    }
    failed.forEach(command -> command.ended(0, 0, copy(reason)));
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    die(ErrorCode.IO, "device is closed", null);
    if (Thread.currentThread() != receiver) {
      try {
        receiver.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
