package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.iscsi.internal.pdu.DataIn;
import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.ReadyToTransfer;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiResponse;
import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.RequestFailedException;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A small initiator: one session, with a thread per connection that reads responses. */
final class IscsiClient implements FrontendClient {
  private static final int BLOCK = 512;
  private static final int FUA = 0x08;
  private static final int NO_DATA = 0x01;
  private static final int CHECK_CONDITION = 2;
  private static final int UNIT_ATTENTION = 6;

  /** Number of connections of a session with several. */
  static final int CONNECTIONS = 3;

  private final List<IscsiWire> wires = new ArrayList<>();
  private final Style style;
  private final Map<Integer, Request> requests = new HashMap<>();
  private final Queue<Request> waiting = new ArrayDeque<>();
  private int cmdSn;
  private int maxCmdSn;
  private int tag = 1;
  private boolean closed;

  /** How data is transferred. */
  enum Style {
    /** As much as possible with the command. */
    IMMEDIATE,
    /** As IMMEDIATE, with digests. */
    DIGESTS,
    /** Only in reply to an R2T. */
    SOLICITED,
    /** As much as possible with the command, each command on the next of several connections. */
    JOINT
  }

  private static final class Request {
    private final byte[] cdb;
    private final byte[] out;
    private final byte[] in;
    private IscsiWire wire;
    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

    Request(byte[] cdb, byte[] out, int in) {
      this.cdb = cdb;
      this.out = out;
      this.in = new byte[in];
    }
  }

  private IscsiClient(IscsiWire first, Style style) {
    this.wires.add(first);
    this.style = style;
    this.cmdSn = first.firstCommand();
    this.maxCmdSn = cmdSn;
  }

  static IscsiClient connect(URI endpoint, Style style) throws IOException {
    IscsiWire first = IscsiWire.login(endpoint, style);
    IscsiClient client = new IscsiClient(first, style);
    for (int i = 1; style == Style.JOINT && i < CONNECTIONS; i++) {
      client.wires.add(first.join(endpoint, style, i, client.cmdSn));
    }
    for (IscsiWire wire : client.wires) {
      Thread reader = new Thread(() -> client.receive(wire), "initiator");
      reader.setDaemon(true);
      reader.start();
    }
    client.awaitReady();
    return client;
  }

  /** Consumes the unit attention of a new session: the logical unit may have been reset. */
  private void awaitReady() throws IOException {
    try {
      byte[] unused = submit(new byte[16], new byte[0], 0).join();
    } catch (CompletionException e) {
      throw new IOException("the session ends after its login", e);
    }
  }

  @Override
  public CompletableFuture<byte[]> read(long offset, int length) {
    return submit(blocks(0x88, 0, offset, length), new byte[0], length);
  }

  @Override
  public CompletableFuture<Void> write(long offset, byte[] data, boolean durable) {
    return submit(blocks(0x8a, durable ? FUA : 0, offset, data.length), data, 0)
        .thenApply(n -> null);
  }

  @Override
  public CompletableFuture<Void> flush() {
    return submit(blocks(0x91, 0, 0, 0), new byte[0], 0).thenApply(none -> null);
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, int length) {
    return submit(blocks(0x93, NO_DATA, offset, length), new byte[0], 0).thenApply(none -> null);
  }

  private static byte[] blocks(int opcode, int flags, long offset, int length) {
    return ByteBuffer.allocate(16)
        .put((byte) opcode)
        .put((byte) flags)
        .putLong(offset / BLOCK)
        .putInt(length / BLOCK)
        .array();
  }

  /** Sends a command as soon as the target has room for it. */
  synchronized CompletableFuture<byte[]> submit(byte[] cdb, byte[] out, int in) {
    Request request = new Request(cdb, out, in);
    if (closed) {
      request.answer.completeExceptionally(new EOFException("the connection is closed"));
    } else {
      waiting.add(request);
      sendWaiting();
    }
    return request.answer;
  }

  private void sendWaiting() {
    while (!waiting.isEmpty() && cmdSn - maxCmdSn <= 0) {
      Request request = waiting.remove();
      int itt = tag++;
      requests.put(itt, request);
      try {
        send(request, itt);
      } catch (IOException e) {
        request.answer.completeExceptionally(e);
      }
    }
  }

  private void send(Request request, int itt) throws IOException {
    IscsiWire wire = wires.get(Math.floorMod(itt, wires.size()));
    request.wire = wire;
    boolean unsolicited = style != Style.SOLICITED;
    int immediate = unsolicited ? Math.min(request.out.length, wire.firstBurst()) : 0;
    ScsiCommand command =
        new ScsiCommand(
            false,
            true,
            request.in.length > 0,
            request.out.length > 0,
            0,
            0,
            itt,
            Math.max(request.in.length, request.out.length),
            cmdSn++,
            0,
            ByteBuffer.wrap(request.cdb));
    wire.send(command, request.out, 0, immediate);
  }

  private void receive(IscsiWire wire) {
    try {
      while (true) {
        handle(wire.receive());
      }
    } catch (IOException e) {
      fail(wire, e);
    }
  }

  /** Requests on other connections may still complete. */
  private synchronized void fail(IscsiWire wire, IOException e) {
    closed = true;
    List<Request> lost =
        requests.values().stream().filter(request -> wire.equals(request.wire)).toList();
    requests.values().removeAll(lost);
    lost.forEach(request -> request.answer.completeExceptionally(e));
    waiting.forEach(request -> request.answer.completeExceptionally(e));
    waiting.clear();
  }

  private void handle(Frame frame) throws IOException {
    ByteBuffer header = frame.header();
    synchronized (this) {
      maxCmdSn = Math.max(maxCmdSn, header.getInt(32));
    }
    switch (frame.opcode()) {
      case DataIn.OPCODE -> data(DataIn.parse(header), frame.data());
      case ReadyToTransfer.OPCODE -> transfer(ReadyToTransfer.parse(header));
      case ScsiResponse.OPCODE -> response(ScsiResponse.parse(header), frame.data());
      default -> throw new IOException("unexpected opcode " + frame.opcode());
    }
    synchronized (this) {
      sendWaiting();
    }
  }

  private void data(DataIn in, ByteBuffer data) {
    Request request = request(in.tag());
    data.get(request.in, (int) in.offset(), data.remaining());
    if (in.hasStatus()) {
      end(in.tag()).answer.complete(request.in);
    }
  }

  private void transfer(ReadyToTransfer asked) throws IOException {
    Request request = request(asked.tag());
    int end = (int) asked.offset() + asked.length();
    int number = 0;
    for (int at = (int) asked.offset(); at < end; ) {
      int length = Math.min(IscsiWire.SEGMENT, end - at);
      boolean last = at + length == end;
      request.wire.send(
          new DataOut(last, 0, asked.tag(), asked.targetTag(), 0, number++, at),
          request.out,
          at,
          length);
      at += length;
    }
  }

  private void response(ScsiResponse response, ByteBuffer sense) {
    Request request = end(response.tag());
    if (response.status() == 0) {
      request.answer.complete(request.in);
    } else if (response.status() == CHECK_CONDITION && key(sense) == UNIT_ATTENTION) {
      again(request);
    } else {
      request.answer.completeExceptionally(
          new RequestFailedException(status(response.status(), sense)));
    }
  }

  /** The target reported a unit attention and did not execute the command: sends it again. */
  private synchronized void again(Request request) {
    waiting.add(request);
  }

  private static int key(ByteBuffer sense) {
    return sense.get(4) & 0x0f;
  }

  /** Names a failure. Medium errors of reads and writes count as the same failure of the device. */
  private static String status(int status, ByteBuffer sense) {
    if (status != CHECK_CONDITION) {
      return "status " + status;
    }
    int key = key(sense);
    return key == 3 ? "3" : key + "/" + Integer.toHexString(sense.getShort(14) & 0xffff);
  }

  private synchronized Request request(int itt) {
    return requests.get(itt);
  }

  private synchronized Request end(int itt) {
    return requests.remove(itt);
  }

  @Override
  public void close() throws IOException {
    for (IscsiWire wire : wires) {
      wire.close();
    }
  }
}
